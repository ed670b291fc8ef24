/** Markdown of a card as nodes: blocks that did not change keep their very description, so their nodes are not touched. */

import { parseBlocks } from "./blocks.js";
import { codeBlock } from "./code.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { parseInline } from "./inline.js";
import { pagedTable } from "./paged_table.js";
import { withSigns } from "./signs.js";
import { moment, say } from "./words.js";

const COLOURS = new Set([
  "blue",
  "wathet",
  "turquoise",
  "green",
  "lime",
  "yellow",
  "orange",
  "red",
  "carmine",
  "violet",
  "purple",
  "indigo",
  "grey",
  "neutral",
]);
const TABLE_ROWS = 5;

/**
 * Draw markdown. `view` holds `open` (more may follow), `caret` (show one at the end), `cache` (a Map kept between calls),
 * `pageOf(n)` and `turn(n, page)` for the n-th table, `nameOf(id)` for mentions,
 * `rowsPerPage` of tables, `imageOf(key)` the address of a picture the platform keeps (or null),
 * `linkOf(href)` what an `<a>` gets, `without` the marks this client shows as written (`del`, `rule`, `code`).
 */
export function markdown(text, view) {
  const blocks = parseBlocks(text, view.open);
  const fresh = new Map();
  const drawn = blocks.map((block, place) => {
    const caret = view.caret && place === blocks.length - 1;
    const id = `${block.t}|${block.t === "table" ? `${place}:${view.pageOf(place)}` : ""}|${block.open}${caret}|${block.source}`;
    const node = view.cache.get(id) ?? drawBlock(block, { ...view, caret, place });
    fresh.set(id, node);
    return node;
  });
  view.cache.clear();
  for (const [id, node] of fresh) view.cache.set(id, node);
  return drawn.length || !view.caret ? drawn : [h("p", null, caretNode())];
}

/** Draw inline markdown alone, as in table cells and `lark_md` texts. */
export function inlineMarkdown(text, view) {
  return drawInline(parseInline(text, view.open ?? false), view, view.caret);
}

/** A colour name of the platform as a class, or none. */
export function colourClass(prefix, name) {
  return COLOURS.has(name) ? `${prefix}-${name}` : `${prefix}-other`;
}

function caretNode() {
  return h("span", { class: "caret", "aria-hidden": "true" });
}

const BLOCKS = {
  paragraph: (block, view) => h("p", null, inline(block.text, block, view)),
  heading: (block, view) => h(`h${block.level}`, null, inline(block.text, block, view)),
  rule: (block, view) =>
    h("div", { class: "rule-line" }, lacks(view, "rule") ? block.source : h("hr", null), tail(view)),
  code: (block, view) =>
    lacks(view, "code")
      ? h("pre", { class: "plain-code", tabindex: "0" }, block.text, tail(view))
      : codeBlock(block.language, block.text, tail(view)),
  quote: (block, view) => h("blockquote", null, nested(block.blocks, view)),
  list: (block, view) => drawList(block, view),
  table: (block, view) => drawTable(block, view),
};

function tail(view) {
  return view.caret && caretNode();
}

function lacks(view, mark) {
  return view.without?.has(mark) ?? false;
}

function drawBlock(block, view) {
  return BLOCKS[block.t](block, view);
}

function inline(text, block, view) {
  return drawInline(parseInline(text, block.open), view, view.caret);
}

function nested(blocks, view) {
  if (!blocks.length && view.caret) return [caretNode()];
  return blocks.map((block, place) =>
    drawBlock(block, { ...view, caret: view.caret && place === blocks.length - 1, place: `${view.place}.${place}` }),
  );
}

function drawList(block, view) {
  const items = block.items.map((item, place) => {
    const inner = { ...view, caret: view.caret && place === block.items.length - 1, place: `${view.place}.${place}` };
    const task =
      item.task === null
        ? null
        : h("span", { class: `task ${item.task ? "task-done" : ""}` }, item.task && icon("check"));
    return h("li", { class: item.task === null ? null : "task-item" }, task, itemKids(item, block.loose, inner));
  });
  return h(block.ordered ? "ol" : "ul", { start: block.ordered && block.start !== 1 ? block.start : null }, items);
}

/** A tight list shows its paragraphs without their own spacing. */
function itemKids(item, loose, view) {
  const kids = nested(item.blocks, view);
  if (loose) return kids;
  return kids.map((kid, place) =>
    item.blocks[place]?.t === "paragraph" ? h("div", { class: "tight" }, kid.kids) : kid,
  );
}

function drawTable(block, view) {
  const last = block.rows.length - 1;
  const cell = (text, open, caret) => drawInline(parseInline(text, open), view, caret);
  const head = block.head.map((text, i) =>
    cell(text, block.open && last < 0, view.caret && last < 0 && i === block.head.length - 1),
  );
  const tail = last < 0 ? -1 : block.rows[last].findLastIndex((text) => text !== "");
  const rows = block.rows.map((row, r) =>
    row.map((text, i) => {
      const end = r === last && i === Math.max(tail, 0);
      return cell(text, block.open && end, view.caret && end);
    }),
  );
  return pagedTable({
    head,
    rows,
    aligns: block.aligns,
    size: view.rowsPerPage ?? TABLE_ROWS,
    page: view.pageOf(view.place),
    turn: (page) => view.turn(view.place, page),
  });
}

const INLINE = {
  text: (node) => withSigns(node.v),
  br: () => h("br", null),
  code: (node) => h("code", null, node.v),
  strong: (node, view) => h("strong", null, kids(node, view)),
  em: (node, view) => h("em", null, kids(node, view)),
  del: (node, view) => (lacks(view, "del") ? ["~~", kids(node, view), "~~"] : h("del", null, kids(node, view))),
  u: (node, view) => h("u", null, kids(node, view)),
  font: (node, view) => h("span", { class: colourClass("ink", node.color) }, kids(node, view)),
  tag: (node, view) => h("span", { class: `text-tag ${colourClass("tag", node.color)}` }, kids(node, view)),
  time: (node) => h("time", null, Number.isFinite(node.ms) ? moment(node.ms) : ""),
  img: (node, view) => drawImage(node, view.imageOf?.(node.key)),
  at: (node, view) =>
    h(
      "span",
      { class: "at" },
      `@${node.id === "all" ? say("all") : view.nameOf(node.id) || plainText(node.kids) || node.id}`,
    ),
  link: (node, view) => h("a", view.linkOf?.(node.href) ?? linkProps(node.href), kids(node, view)),
};

function drawImage(node, address) {
  if (address) return h("img", { class: "inline-picture", src: address, alt: node.alt || say("image") });
  return h("span", { class: "inline-image" }, icon("image"), node.alt || say("image"));
}

function kids(node, view) {
  return (node.kids ?? []).map((kid) => INLINE[kid.t](kid, view));
}

function plainText(nodes = []) {
  return nodes.map((node) => node.v ?? plainText(node.kids)).join("");
}

function drawInline(nodes, view, caret = false) {
  const drawn = nodes.map((node) => INLINE[node.t](node, view));
  return caret ? [...drawn, caretNode()] : drawn;
}

/** What an `<a>` gets for an address a model wrote: nothing unless the scheme is harmless. */
export function linkProps(href) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href ?? "")) return { class: "link" };
  return { class: "link", href, target: "_blank", rel: "noopener noreferrer" };
}
