/** The tags that a DingTalk card's markdown knows: `<br>`, `<font ...>`, `<a atId=...>`. Every other tag stays text. */

const TAG = /<(br|font|a)((?:\s+[a-zA-Z0-9]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))*)\s*\/?>/iy;
const ATTRIBUTE = /([a-zA-Z0-9]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
const HALF = /^<\/?(?:b(?:r\s*\/?)?|f(?:o(?:n(?:t[^<>]{0,300})?)?)?|a(?:\s[^<>]{0,300})?)?$/i;
const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "grey", "gray"];

/** Read a tag at `at`: `{node, length}`, `node.inside` is still to be parsed; null when this is no tag of the platform. */
export function readTag(text, at, open) {
  TAG.lastIndex = at;
  const found = TAG.exec(text);
  if (found) return whole(text, at, found, open);
  return open && HALF.test(text.slice(at)) ? { node: null, length: text.length - at } : null;
}

function whole(text, at, found, open) {
  const name = found[1].toLowerCase();
  if (name === "br") return { node: { t: "br" }, length: found[0].length };
  const node = name === "font" ? { t: "font", color: colour(attributes(found[2])) } : anchor(attributes(found[2]));
  const from = at + found[0].length;
  const end = text.toLowerCase().indexOf(`</${name}>`, from);
  if (end >= 0)
    return { node: { ...node, inside: text.slice(from, end), insideOpen: false }, length: end + name.length + 3 - at };
  return open ? { node: { ...node, inside: text.slice(from), insideOpen: true }, length: text.length - at } : null;
}

function anchor(attrs) {
  return attrs.atId ? { t: "at", id: attrs.atId } : { t: "link", href: attrs.href ?? "" };
}

/** Colour tokens are like `common_red1_color`; what matters of them is the colour's name. */
function colour({ colorTokenV2 = "", color = "" }) {
  const name = COLOURS.find((each) => `${colorTokenV2} ${color}`.toLowerCase().includes(each)) ?? "";
  return name === "gray" ? "grey" : name;
}

function attributes(source) {
  return Object.fromEntries([...source.matchAll(ATTRIBUTE)].map((m) => [m[1], m[2] ?? m[3] ?? m[4]]));
}
