/** Block Kit: what a message of an app is made of. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { drawElement } from "./interactive.js";
import { linkProps, markdown } from "./markdown.js";
import { missing, mrkdwn, plainText, plainWords, textObject } from "./mrkdwn.js";
import { pagedTable } from "./paged_table.js";
import { richText } from "./rich_text.js";
import { withSigns } from "./signs.js";
import { drawPlan, drawTask } from "./tasks.js";
import { say } from "./words.js";

const WHOLE_TABLE_ROWS = 100;

const BLOCKS = {
  section: drawSection,
  header: (block) => h("h3", { class: "kit-header" }, plainWords(block.text)),
  divider: () => h("hr", { class: "kit-rule" }),
  context: drawContext,
  actions: drawActions,
  context_actions: drawActions,
  image: drawImageBlock,
  markdown: (block, key, context) => drawMarkdown(block.text, key, context),
  rich_text: (block, key, context) => richText(block, context.view),
  table: drawTable,
  plan: drawPlan,
  task_card: drawTask,
  input: drawInput,
  alert: (block, key, context) =>
    h(
      "div",
      { class: `kit-alert kit-alert-${block.level ?? "default"}`, role: "note" },
      textObject(block.text, context.view),
    ),
  card: drawCard,
  carousel: (block, key, context) =>
    h("div", { class: "kit-carousel", tabindex: "0" }, drawBlocks(block.elements ?? [], key, context)),
  container: drawContainer,
};

/**
 * Draw blocks. `context`: `id`, `live`, `local`, `view` (names), `touch(change)`, `press(order)`. While a message streams, its
 * last block may still grow.
 */
export function drawBlocks(blocks, prefix, context) {
  return blocks.map((block, place) => {
    const key = block.block_id ?? `${prefix}${place}`;
    const inner = { ...context, live: context.live && place === blocks.length - 1 };
    const drawn = Object.hasOwn(BLOCKS, block.type) ? BLOCKS[block.type](block, key, inner) : missing(block.type);
    return h("div", { class: "block", key: `${block.type}-${place}`, "data-block-type": block.type }, drawn);
  });
}

/** Standard markdown, as blocks and streams have it; it grows in place. */
export function drawMarkdown(text, key, context) {
  const view = {
    open: context.live,
    caret: context.live,
    cache: context.local.cacheOf(key),
    pageOf: () => 0,
    turn: () => {},
    nameOf: context.view.nameOf,
    rowsPerPage: WHOLE_TABLE_ROWS,
  };
  return h("div", { class: "markdown-body" }, markdown(text, view));
}

function drawSection(block, key, context) {
  return h(
    "div",
    { class: "kit-section" },
    h(
      "div",
      { class: "kit-words" },
      textObject(block.text, context.view),
      block.fields &&
        h(
          "div",
          { class: "kit-fields" },
          block.fields.map((one) => h("div", null, textObject(one, context.view))),
        ),
    ),
    block.accessory &&
      h("div", { class: "kit-accessory" }, one(block.accessory, { block_id: block.block_id ?? key }, context)),
  );
}

function one(element, place, context) {
  if (element.type === "image") return picture(element, "kit-thumb");
  return drawElement(element, { ...place, context, words: { options: say("options") } });
}

function drawContext(block, key, context) {
  const parts = (block.elements ?? []).map((part) =>
    part.type === "image"
      ? picture(part, "kit-small")
      : part.type === "plain_text"
        ? h("span", null, plainWords(part))
        : mrkdwn(part.text, context.view),
  );
  return h("div", { class: "kit-context" }, parts);
}

function drawActions(block, key, context) {
  const place = { block_id: block.block_id ?? key };
  return h(
    "div",
    { class: `kit-actions ${block.type === "context_actions" ? "kit-feedback" : ""}`.trim() },
    (block.elements ?? []).map((part) => one(part, place, context)),
  );
}

function drawImageBlock(block) {
  const title = plainText(block.title);
  return h("figure", { class: "kit-image" }, title && h("figcaption", null, title), picture(block, "kit-picture"));
}

/** A picture of this machine is shown; an address elsewhere is only named, because the page loads nothing from outside. */
export function picture(element, look) {
  const address = element.image_url ?? element.slack_file?.url ?? "";
  const alt = element.alt_text || say("image");
  if (isOurs(address)) return h("img", { class: look, src: address, alt });
  return h("span", { class: `inline-image ${look}` }, icon("image"), h("a", linkProps(address), alt));
}

function isOurs(address) {
  if (/^data:image\//.test(address)) return true;
  return (
    Boolean(address) &&
    URL.canParse(address, location.href) &&
    new URL(address, location.href).origin === location.origin
  );
}

function drawTable(block, key, context) {
  const [head = [], ...rows] = (block.rows ?? []).map((row) => row.map((cell) => drawCell(cell, context)));
  const aligns = (block.column_settings ?? []).map((column) => column?.align ?? "left");
  return pagedTable({ head, rows, aligns, size: WHOLE_TABLE_ROWS, page: 0, turn: () => {} });
}

function drawCell(cell, context) {
  return cell.type === "rich_text" ? richText(cell, context.view) : withSigns(String(cell.text ?? ""));
}

function drawInput(block, key, context) {
  const id = `input-${context.id}-${key}`.replace(/[^\w-]/g, "_");
  const place = {
    block_id: block.block_id ?? key,
    context,
    id,
    label: plainText(block.label),
    required: block.optional !== true,
    words: { options: say("options") },
  };
  return h(
    "div",
    { class: "input-column" },
    h(
      "label",
      { for: id },
      plainText(block.label),
      block.optional !== true && h("span", { class: "required", "aria-hidden": "true" }, "*"),
    ),
    drawElement(block.element ?? {}, place),
    block.hint && h("div", { class: "kit-hint" }, plainText(block.hint)),
  );
}

function drawCard(block, key, context) {
  return h(
    "div",
    { class: "kit-card" },
    block.hero_image && picture(block.hero_image, "kit-picture"),
    block.title && h("strong", null, textObject(block.title, context.view)),
    block.subtitle && h("div", { class: "kit-hint" }, textObject(block.subtitle, context.view)),
    textObject(block.body, context.view),
    block.actions && drawActions({ type: "actions", block_id: block.block_id, elements: block.actions }, key, context),
  );
}

function drawContainer(block, key, context) {
  const isOpen = context.local.folds.get(key) ?? block.default_collapsed !== true;
  const flip = () => context.touch((local) => local.folds.set(key, !isOpen));
  const title = plainText(block.title);
  return h(
    "section",
    { class: "kit-container", "aria-label": title },
    h(
      "button",
      { type: "button", class: "task-line", "aria-expanded": String(isOpen), on: { click: flip } },
      h("strong", null, title),
      icon("chevron", { class: isOpen ? "turned" : "" }),
    ),
    isOpen &&
      h("div", { class: "kit-inside" }, drawBlocks(block.child_blocks ?? block.blocks ?? [], `${key}/`, context)),
  );
}
