/** Slack's own marks in `text` and sections: `*bold*`, `_it_`, `~strike~`, code, quotes and `<...>`. No headings, no tables. */

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { linkProps } from "./markdown.js";
import { withSigns } from "./signs.js";
import { moment, say } from "./words.js";

const FENCE = /```\n?([\s\S]*?)\n?```/;
const TOKEN = new RegExp(
  [
    String.raw`<(?<angle>[^<>\n]+)>`,
    "`(?<code>[^`\\n]+)`",
    String.raw`(?<![\w*])\*(?=\S)(?<bold>[^*\n]*[^*\s])\*(?![\w*])`,
    String.raw`(?<![\w_])_(?=\S)(?<italic>[^_\n]*[^_\s])_(?![\w_])`,
    String.raw`(?<![\w~])~(?=\S)(?<strike>[^~\n]*[^~\s])~(?![\w~])`,
    String.raw`:(?<emoji>[a-z0-9_+'-]+):`,
    String.raw`(?<bare>https?:\/\/[^\s<>"'，。；！？、（）]+)`,
  ].join("|"),
  "g",
);
const TAGS = { bold: "strong", italic: "em", strike: "del" };
const MAX_DEPTH = 8;

/**
 * Draw mrkdwn; `view.nameOf(id)` and `view.channelOf(id)` give the names of people and channels, `tail` follows the last word.
 */
export function mrkdwn(text, view, tail = null) {
  const pieces = String(text ?? "").split(FENCE);
  const drawn = pieces.flatMap((piece, i) =>
    i % 2 ? h("pre", { class: "preformatted", tabindex: "0" }, unescaped(piece)) : lines(piece, view),
  );
  const last = drawn.at(-1);
  if (!tail) return drawn;
  return last?.tag === "div" ? [...drawn.slice(0, -1), h("div", last.attrs, last.kids, tail)] : [...drawn, tail];
}

/** The words alone, as a chat list shows them. */
export function plainOf(text) {
  return unescaped(String(text ?? "").replace(/<[^<>|]+\|([^<>]+)>/g, "$1"))
    .replace(/[*_~`]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** A text as a person would type it again: names instead of tokens. */
export function typedOf(text, view) {
  const named = text.replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (_, id) => `@${view.nameOf(id) || id}`);
  return unescaped(
    named.replace(/<!(here|channel|everyone)>/g, "@$1").replace(/<((?:https?:|mailto:)[^<>|]+)(?:\|[^>]*)?>/g, "$1"),
  );
}

/** Undo the three escapes that Slack's texts have. */
export function unescaped(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Quoted lines stand together; every other line break is kept as it is. */
function lines(text, view) {
  const out = [];
  for (const run of text.split(/((?:^&gt; ?.*(?:\n|$))+)/m)) {
    if (/^&gt;/.test(run))
      out.push(h("blockquote", { class: "mrkdwn" }, inline(run.replace(/^&gt; ?/gm, "").trimEnd(), view)));
    else if (run.trim()) out.push(h("div", { class: "mrkdwn" }, inline(run.replace(/^\n+|\n+$/g, ""), view)));
  }
  return out;
}

function inline(text, view, depth = 0) {
  if (depth > MAX_DEPTH) return [unescaped(text)];
  const out = [];
  let at = 0;
  for (const found of text.matchAll(TOKEN)) {
    out.push(withSigns(unescaped(text.slice(at, found.index))), token(found, view, depth));
    at = found.index + found[0].length;
  }
  return [...out, withSigns(unescaped(text.slice(at)))];
}

function token(found, view, depth) {
  const { angle, code, emoji: name, bare } = found.groups;
  if (angle) return special(angle, found[0], view);
  if (code) return h("code", null, unescaped(code));
  if (name) return emoji(name);
  if (bare) return h("a", linkProps(unescaped(bare)), unescaped(bare));
  const kind = Object.keys(TAGS).find((each) => found.groups[each] !== undefined);
  return h(TAGS[kind], null, inline(found.groups[kind], view, depth + 1));
}

function special(inside, raw, view) {
  const bar = inside.indexOf("|");
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? "" : unescaped(inside.slice(bar + 1));
  if (target.startsWith("@")) return at(`@${view.nameOf(target.slice(1)) || label || target.slice(1)}`);
  if (target.startsWith("#")) return at(`#${view.channelOf(target.slice(1)) || label || target.slice(1)}`);
  if (target.startsWith("!")) return command(target.slice(1), label);
  if (!/^(?:https?:\/\/|mailto:)/.test(target)) return raw;
  return h("a", linkProps(unescaped(target)), label || unescaped(target));
}

function command(target, label) {
  const date = /^date\^(\d+)\^/.exec(target);
  if (date) return h("time", null, moment(Number(date[1]) * 1000));
  if (target.startsWith("subteam^")) return at(label || `@${target.slice(8)}`);
  return at(`@${target}`);
}

/** A mention as a pill. */
export function at(words) {
  return h("span", { class: "at" }, words);
}

/** Draw a text object: `mrkdwn` or `plain_text`. */
export function textObject(object, view) {
  if (!object) return null;
  if (object.type === "mrkdwn") return mrkdwn(object.text, view);
  return h("div", { class: "mrkdwn" }, plainWords(object));
}

/** A `plain_text` as it is shown: its words, and status signs drawn. */
export function plainWords(object) {
  return withSigns(plainText(object));
}

/** The words of a text object, for buttons and labels. */
export function plainText(object) {
  return String(object?.text ?? "");
}

export const missing = (tag) => h("div", { class: "unsupported" }, say("unsupported", { tag }));
