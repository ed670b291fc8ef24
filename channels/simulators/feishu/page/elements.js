/** The elements of a card's body, each drawn by its tag. */

import { keyOf, sizeClass, space, stackStyle, textKey, textOf } from "./card_tree.js";
import { drawChart } from "./chart.js";
import { drawButton, drawForm, drawInput } from "./controls.js";
import { h } from "./dom.js";
import { icon, tokenIcon } from "./icons.js";
import { colourClass, inlineMarkdown, markdown } from "./markdown.js";
import { withSigns } from "./signs.js";
import { drawTable } from "./table.js";
import { say } from "./words.js";

const DRAW = {
  markdown: drawMarkdown,
  div: drawDiv,
  hr: () => h("hr", { class: "card-rule" }),
  img: drawImage,
  collapsible_panel: drawPanel,
  column_set: drawColumns,
  column: drawColumn,
  table: drawTable,
  form: drawFormStack,
  input: drawInput,
  button: drawButton,
  chart: drawChart,
  plain_text: drawPlain,
  lark_md: drawPlain,
};

/** Draw everything a holder holds, one below the other unless it says `horizontal`. */
export function stackOf(holder, key, context, gap) {
  const kids = (holder.elements ?? []).map((element, place) =>
    drawElement(element, keyOf(key, element, place), context),
  );
  return h(
    "div",
    { class: `stack ${holder.direction === "horizontal" ? "stack-row" : ""}`.trim(), style: stackStyle(holder, gap) },
    kids,
  );
}

function drawElement(element, key, context) {
  const draw = DRAW[element.tag] ?? drawUnknown;
  const drawn = draw(element, key, context);
  return h(
    "div",
    {
      key: `${key}:${element.tag}`,
      class: "element",
      "data-element": element.element_id ?? null,
      style: boxStyle(element),
    },
    drawn,
  );
}

function boxStyle(element) {
  return element.tag === "column" || element.tag === "form" || element.tag === "collapsible_panel"
    ? {}
    : { margin: space(element.margin, null) };
}

function drawUnknown(element) {
  return h("div", { class: "unsupported" }, say("unsupported", { tag: element.tag }));
}

function viewOf(key, context) {
  const cache = context.local.cacheOf(key);
  return {
    open: context.streaming,
    caret: context.caret(key),
    cache,
    nameOf: context.nameOf,
    pageOf: (n) => context.local.pages.get(`${key}#${n}`) ?? 0,
    turn: (n, page) =>
      context.touch((local) => {
        local.pages.set(`${key}#${n}`, page);
        cache.clear();
      }),
  };
}

function drawMarkdown(element, key, context) {
  const text = context.shown(key, String(element.content ?? ""));
  return h(
    "div",
    { class: `markdown ${sizeClass(element.text_size)} ${alignClass(element)}`.trim() },
    element.icon && h("span", { class: "lead-icon" }, tokenIcon(element.icon.token ?? "")),
    h("div", { class: "markdown-body" }, markdown(text, viewOf(key, context))),
  );
}

function alignClass(element) {
  return element.text_align === "center" || element.text_align === "right" ? `align-${element.text_align}` : "";
}

function drawDiv(element, key, context) {
  const fields = (element.fields ?? []).map((field, i) =>
    h("div", { class: field.is_short ? "field field-short" : "field" }, words(field.text, `${key}.field${i}`, context)),
  );
  return h(
    "div",
    { class: "div" },
    element.icon &&
      h(
        "span",
        { class: `lead-icon ${colourClass("ink", element.icon.color ?? "")}` },
        tokenIcon(element.icon.token ?? ""),
      ),
    h(
      "div",
      { class: "div-body" },
      element.text && words(element.text, textKey(key, element.text), context),
      fields.length > 0 && h("div", { class: "fields" }, fields),
    ),
  );
}

function drawPlain(element, key, context) {
  return words(element, key, context);
}

function words(text, key, context) {
  const shown = context.shown(key, textOf(text));
  const kind =
    `words ${sizeClass(text.text_size)} ${colourClass("ink", text.text_color ?? "")} ${alignClass(text)}`.trim();
  if (text.tag === "lark_md") return h("div", { class: `${kind} lark` }, markdown(shown, viewOf(key, context)));
  const caret = context.caret(key) && h("span", { class: "caret", "aria-hidden": "true" });
  return h("div", { class: `${kind} plain` }, withSigns(shown), caret);
}

/** The simulator gives out no pictures: a frame with the words for it stands in. */
function drawImage(element) {
  const alt = textOf(element.alt) || say("image");
  const title = textOf(element.title);
  return h(
    "figure",
    { class: "image" },
    h("div", { class: "image-blank", role: "img", "aria-label": alt }, icon("image"), h("span", null, alt)),
    title && h("figcaption", null, title),
  );
}

function drawPanel(element, key, context) {
  const header = element.header ?? {};
  const open = context.local.folds.get(key) ?? Boolean(element.expanded);
  const toggle = (event) => {
    event.currentTarget.dispatchEvent(new CustomEvent("fold", { bubbles: true }));
    context.touch((local) => local.folds.set(key, !open));
  };
  const region = `fold-${context.id}-${key}`.replace(/[^\w-]/g, "_");
  const mark = foldMark(header, open);
  const right = header.icon_position === "right";
  return h(
    "section",
    {
      class: `panel ${open ? "panel-open" : ""}`.trim(),
      style: { "border-radius": space(element.border?.corner_radius, null) },
    },
    h(
      "button",
      {
        type: "button",
        class:
          `panel-head ${colourClass("fill", header.background_color ?? "")} ${right ? "panel-head-spread" : ""}`.trim(),
        "aria-expanded": String(open),
        "aria-controls": region,
        on: { click: toggle },
      },
      !right && header.icon_position !== "follow_text" && mark,
      h("span", { class: "panel-title" }, panelTitle(header.title, key, context)),
      (right || header.icon_position === "follow_text") && mark,
    ),
    h(
      "div",
      { class: "panel-fold", id: region, hidden: !open },
      stackOf({ ...element, margin: null }, key, context, "8px"),
    ),
  );
}

function panelTitle(title, key, context) {
  if (title?.tag !== "markdown" && title?.tag !== "lark_md") return withSigns(textOf(title));
  return inlineMarkdown(textOf(title), { nameOf: context.nameOf });
}

function foldMark(header, open) {
  const token = header.icon?.token ?? "";
  const angle = Number(header.icon_expanded_angle ?? (token ? 0 : 90));
  const drawing = token.includes("down") ? icon("down") : token ? tokenIcon(token) : icon("chevron");
  const still = token.includes("loading");
  return h(
    "span",
    {
      class: `panel-icon ${colourClass("ink", header.icon?.color ?? "")}`,
      style: { transform: open && angle && !still ? `rotate(${angle}deg)` : "none" },
    },
    drawing,
  );
}

function drawColumns(element, key, context) {
  const columns = (element.columns ?? []).map((column, place) =>
    drawColumn(column, keyOf(key, column, place), context),
  );
  const flow = ["stretch", "flow", "bisect", "trisect"].includes(element.flex_mode)
    ? `columns-${element.flex_mode}`
    : "columns-none";
  return h(
    "div",
    {
      class:
        `columns ${flow} ${colourClass("fill", fillOf(element.background_style))} ${element.horizontal_align === "right" ? "columns-right" : ""}`.trim(),
      style: { gap: space(element.horizontal_spacing, "8px") },
    },
    columns,
  );
}

function drawColumn(element, key, context) {
  const width = element.width ?? "weighted";
  const fixed = /^\d{1,3}px$/.test(width);
  const flex = fixed ? `0 1 ${width}` : width === "auto" ? "0 1 auto" : `${Number(element.weight) || 1} 1 0`;
  return h(
    "div",
    {
      key,
      class: `column ${width === "weighted" ? "column-weighted" : ""} column-${["center", "bottom"].includes(element.vertical_align) ? element.vertical_align : "top"} ${colourClass("fill", fillOf(element.background_style))}`,
      style: { flex },
    },
    stackOf(element, key, context, "8px"),
  );
}

function fillOf(style) {
  return String(style ?? "").replace(/-\d+$/, "");
}

function drawFormStack(element, key, context) {
  return drawForm(element, key, context, stackOf(element, key, context, "12px"));
}
