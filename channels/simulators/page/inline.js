/**
 * Inline markdown of a Feishu card: text to a small tree.
 *
 * `open` says that more text may follow. A mark that is not closed yet then counts as closed at the end, and half a mark
 * at the very end is not shown, so that nothing already on screen changes its look when the rest arrives.
 */

import { join, pair } from "./emphasis.js";
import { readTag } from "./tags.js";

const PLAIN = /[^\\`*_~[!<&\nh]+/y;
const URL_RUN = /https?:\/\/[^\s<>"'`，。；！？、（）【】《》]+/y;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/y;
const NAMED = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const MAX_DEPTH = 16;

/** Parse one run of inline text. */
export function parseInline(text, open = false, depth = 0) {
  if (depth > MAX_DEPTH) return [{ t: "text", v: text }];
  return new Inline(text, open, depth).parse();
}

class Inline {
  constructor(text, open, depth) {
    this.text = text;
    this.open = open;
    this.depth = depth;
    this.at = 0;
    this.out = [];
  }

  parse() {
    while (this.at < this.text.length) {
      const step = STEPS[this.text[this.at]] ?? Inline.prototype.plain;
      if (!step.call(this)) this.literal(this.text[this.at]);
    }
    return join(pair(this.out, this.open));
  }

  literal(value) {
    this.out.push({ t: "text", v: value });
    this.at += value.length;
    return true;
  }

  inner(text, open) {
    return parseInline(text, open, this.depth + 1);
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  push(node, length) {
    this.out.push(node);
    this.at += length;
    return true;
  }

  plain() {
    const found = this.match(PLAIN);
    return found !== null && this.literal(found[0]);
  }

  escape() {
    const next = this.text[this.at + 1];
    if (next === "\n") return this.push({ t: "br" }, 2);
    if (next === undefined) return this.open && this.skip(1);
    return ESCAPABLE.test(next) && this.push({ t: "text", v: next }, 2);
  }

  skip(length) {
    this.at += length;
    return true;
  }

  newline() {
    const last = this.out.at(-1);
    const hard = last?.t === "text" && last.v.endsWith("  ");
    if (last?.t === "text") last.v = last.v.trimEnd();
    return this.push(hard ? { t: "br" } : { t: "text", v: "\n" }, 1);
  }

  code() {
    const fence = /`+/y;
    const ticks = this.match(fence)[0];
    const from = this.at + ticks.length;
    const end = closingTicks(this.text, from, ticks.length);
    if (end >= 0)
      return this.push({ t: "code", v: codeText(this.text.slice(from, end)) }, end + ticks.length - this.at);
    if (!this.open) return this.literal(ticks);
    const rest = this.text.slice(from).replace(/`+$/, "");
    if (rest) this.out.push({ t: "code", v: codeText(rest) });
    return this.skip(this.text.length - this.at);
  }

  marks() {
    const mark = this.text[this.at];
    let end = this.at;
    while (this.text[end] === mark) end += 1;
    const before = this.text[this.at - 1] ?? " ";
    const after = this.text[end] ?? " ";
    const inWord = mark === "_" && /\w/.test(before) && /\w/.test(after);
    const node = {
      t: "mark",
      mark,
      n: end - this.at,
      last: end === this.text.length,
      opens: !/\s/.test(after) && !inWord,
      closes: !/\s/.test(before) && !inWord,
      inside: /\w/.test(before) && /\w/.test(after),
    };
    return this.push(node, end - this.at);
  }

  link() {
    const end = closingBracket(this.text, this.at);
    if (end < 0) return this.open && this.skip(1);
    const label = this.text.slice(this.at + 1, end);
    const target = linkTarget(this.text, end + 1, this.open);
    if (!target) return false;
    const node = { t: "link", href: target.href, kids: this.inner(label, false) };
    return this.push(node, target.end - this.at);
  }

  image() {
    if (this.text[this.at + 1] !== "[") return false;
    const end = closingBracket(this.text, this.at + 1);
    const target = end < 0 ? null : linkTarget(this.text, end + 1, this.open);
    if (!target) return this.open && end < 0 && this.skip(this.text.length - this.at);
    return this.push(
      { t: "img", key: target.href ?? "", alt: this.text.slice(this.at + 2, end) },
      target.end - this.at,
    );
  }

  tag() {
    const found = readTag(this.text, this.at, this.open);
    if (!found) return false;
    if (found.node === null) return this.skip(found.length);
    const { inside, insideOpen, ...node } = found.node;
    if (inside !== undefined) node.kids = this.inner(inside, insideOpen);
    return this.push(node, found.length);
  }

  entity() {
    const found = this.match(ENTITY);
    if (found) {
      const code = found[1] ? Number(found[1]) : found[2] ? parseInt(found[2], 16) : null;
      const value =
        code === null ? NAMED[found[3]] : code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
      return value !== undefined && this.push({ t: "text", v: value }, found[0].length);
    }
    return this.open && /^&#?\w{0,8}$/.test(this.text.slice(this.at)) && this.skip(this.text.length - this.at);
  }

  address() {
    const found = this.match(URL_RUN);
    if (!found) return this.literal("h");
    const href = found[0].replace(/[.,;:!?)\]*_~]+$/, "");
    return this.push({ t: "link", href, kids: [{ t: "text", v: href }] }, href.length);
  }
}

const STEPS = {
  "\\": Inline.prototype.escape,
  "\n": Inline.prototype.newline,
  "`": Inline.prototype.code,
  "*": Inline.prototype.marks,
  _: Inline.prototype.marks,
  "~": Inline.prototype.marks,
  "[": Inline.prototype.link,
  "!": Inline.prototype.image,
  "<": Inline.prototype.tag,
  "&": Inline.prototype.entity,
  h: Inline.prototype.address,
};

function closingTicks(text, from, length) {
  for (const found of text.slice(from).matchAll(/`+/g)) if (found[0].length === length) return from + found.index;
  return -1;
}

function codeText(raw) {
  const flat = raw.replaceAll("\n", " ");
  return /^ .*\S.* $/.test(flat) ? flat.slice(1, -1) : flat;
}

function closingBracket(text, from) {
  let depth = 0;
  for (let at = from; at < Math.min(text.length, from + 2000); at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") depth += 1;
    else if (text[at] === "]" && (depth -= 1) === 0) return at;
  }
  return -1;
}

function linkTarget(text, at, open) {
  if (at >= text.length && open) return { href: null, end: at };
  if (text[at] !== "(") return null;
  const found = /\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+["'(][^\n]*?["')])?\s*\)/y;
  found.lastIndex = at;
  const whole = found.exec(text);
  if (whole) return { href: whole[1], end: at + whole[0].length };
  return open && !/[)\n]/.test(text.slice(at)) ? { href: null, end: text.length } : null;
}
