/** What stands between `<` and `>` in Slack's standard markdown: mentions, channels, addresses. Every tag of HTML stays text. */

const ANGLE = /<([^<>\n]{1,2000})>/y;
const HALF = /^<(?:[@#!]|https?:|mailto:)?[^<>\n]{0,300}$/;

/** Read a token at `at`: `{node, length}`; `node` is null where half of one must wait for its rest; null when it is none. */
export function readTag(text, at, open) {
  ANGLE.lastIndex = at;
  const found = ANGLE.exec(text);
  const node = found && nodeOf(found[1]);
  if (node) return { node, length: found[0].length };
  return open && HALF.test(text.slice(at)) ? { node: null, length: text.length - at } : null;
}

function nodeOf(inside) {
  const [target, label] = split(inside);
  const words = [{ t: "text", v: label ?? target }];
  if (/^@[A-Z0-9]+$/.test(target)) return { t: "at", id: target.slice(1), kids: label ? words : [] };
  if (/^#[A-Z0-9]+$/.test(target)) return { t: "text", v: `#${label ?? target.slice(1)}` };
  if (/^!(?:here|channel|everyone)$/.test(target)) return { t: "at", id: target.slice(1), kids: [] };
  if (/^(?:https?:\/\/|mailto:)/.test(target)) return { t: "link", href: target, kids: words };
  return null;
}

function split(inside) {
  const at = inside.indexOf("|");
  return at < 0 ? [inside] : [inside.slice(0, at), inside.slice(at + 1)];
}
