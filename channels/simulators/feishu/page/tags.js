/** The HTML-like tags that Feishu's markdown knows, and autolinks. Every other tag stays text. */

const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;
const OPEN_TAG = /<([a-z_]+)((?:\s+[a-z_-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>/]+))*)\s*(\/?)>/iy;
const ATTRIBUTE = /([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/gi;
const HALF_TAG = /^<\/?(?:[a-z_]+[^<>]{0,300})?$/i;

const EMPTY = {
  br: () => ({ t: "br" }),
  hr: () => ({ t: "br" }),
  local_datetime: (attrs) => ({ t: "time", ms: Number(attrs.millisecond) }),
};

const WITH_TEXT = {
  at: (attrs) => ({ t: "at", id: attrs.id ?? attrs.user_id ?? attrs.ids ?? "" }),
  person: (attrs) => ({ t: "at", id: attrs.id ?? "" }),
  font: (attrs) => ({ t: "font", color: attrs.color ?? "" }),
  text_tag: (attrs) => ({ t: "tag", color: attrs.color ?? "neutral" }),
  number_tag: (attrs) => ({ t: "tag", color: attrs.background_color ?? attrs.color ?? "neutral" }),
  link: (attrs) => ({ t: "link", href: attrs.url ?? attrs.pc_url ?? "" }),
  a: (attrs) => ({ t: "link", href: attrs.href ?? "" }),
  b: () => ({ t: "strong" }),
  strong: () => ({ t: "strong" }),
  i: () => ({ t: "em" }),
  em: () => ({ t: "em" }),
  s: () => ({ t: "del" }),
  del: () => ({ t: "del" }),
  u: () => ({ t: "u" }),
};

/**
 * Read a tag at `at`. Gives `{node, length}`, where `node.inside` is text still to be parsed; `node` is null where half a
 * tag at the end must wait for its rest; null when this is no tag of ours.
 */
export function readTag(text, at, open) {
  return autolink(text, at) ?? known(text, at, open) ?? half(text, at, open);
}

function autolink(text, at) {
  AUTOLINK.lastIndex = at;
  const found = AUTOLINK.exec(text);
  if (!found) return null;
  return { node: { t: "link", href: found[1], kids: [{ t: "text", v: found[1] }] }, length: found[0].length };
}

function known(text, at, open) {
  OPEN_TAG.lastIndex = at;
  const found = OPEN_TAG.exec(text);
  if (!found) return null;
  const name = found[1].toLowerCase();
  const attrs = attributes(found[2]);
  if (Object.hasOwn(EMPTY, name))
    return { node: EMPTY[name](attrs), length: found[0].length + closing(text, at + found[0].length, name) };
  if (!Object.hasOwn(WITH_TEXT, name)) return null;
  return withText(text, at, { name, attrs, length: found[0].length, empty: found[3] === "/" }, open);
}

function withText(text, at, tag, open) {
  const node = WITH_TEXT[tag.name](tag.attrs);
  const from = at + tag.length;
  if (tag.empty) return { node: { ...node, inside: "", insideOpen: false }, length: tag.length };
  const end = matching(text, from, tag.name);
  if (end >= 0) {
    return {
      node: { ...node, inside: text.slice(from, end), insideOpen: false },
      length: end + tag.name.length + 3 - at,
    };
  }
  if (tag.name === "at") return { node: { ...node, inside: "", insideOpen: false }, length: tag.length };
  return open ? { node: { ...node, inside: text.slice(from), insideOpen: true }, length: text.length - at } : null;
}

/** Where the closing tag that belongs to an opened one begins, or -1. */
function matching(text, from, name) {
  const pattern = new RegExp(`<(/?)${name}(?=[\\s>/])[^<>]*>`, "gi");
  pattern.lastIndex = from;
  let depth = 1;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    depth += found[1] ? -1 : 1;
    if (depth === 0) return found.index;
  }
  return -1;
}

function closing(text, at, name) {
  const tag = `</${name}>`;
  return text.slice(at, at + tag.length).toLowerCase() === tag ? tag.length : 0;
}

function half(text, at, open) {
  if (!open || !HALF_TAG.test(text.slice(at))) return null;
  return { node: null, length: text.length - at };
}

function attributes(source) {
  return Object.fromEntries([...source.matchAll(ATTRIBUTE)].map((m) => [m[1].toLowerCase(), m[2] ?? m[3] ?? m[4]]));
}
