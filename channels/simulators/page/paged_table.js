/** A table that scrolls inside its own box and turns pages. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

/**
 * Draw a table. `head` and `rows` hold drawn cells, `aligns` one of left, center, right per column, `widths` CSS widths;
 * `size` rows make a page, `page` counts from 0, `turn(page)` is asked for another one.
 */
export function pagedTable({ head, rows, aligns = [], widths = [], size, page, turn, headClass = "" }) {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const current = Math.min(page, pages - 1);
  const shown = rows.slice(current * size, current * size + size);
  return h(
    "div",
    { class: "table" },
    h(
      "div",
      { class: "table-scroll", tabindex: "0" },
      h(
        "table",
        null,
        h(
          "thead",
          { class: headClass || null },
          h(
            "tr",
            null,
            head.map((cell, i) => h("th", { scope: "col", class: side(aligns[i]), style: width(widths[i]) }, cell)),
          ),
        ),
        h(
          "tbody",
          null,
          shown.map((row) =>
            h(
              "tr",
              null,
              row.map((cell, i) => h("td", { class: side(aligns[i]) }, cell)),
            ),
          ),
        ),
      ),
    ),
    pages > 1 && pager(current, pages, turn),
  );
}

function side(align) {
  return align === "right" || align === "center" ? `align-${align}` : null;
}

function width(value) {
  return value ? { "min-width": value } : {};
}

function pager(current, pages, turn) {
  const step = (to, name, label) =>
    h(
      "button",
      {
        type: "button",
        class: "pager-step",
        "aria-label": label,
        disabled: to < 0 || to >= pages,
        on: { click: () => turn(to) },
      },
      icon(name),
    );
  return h(
    "div",
    { class: "pager" },
    step(current - 1, "left", say("previous")),
    h("span", { "aria-live": "polite" }, say("page", { n: current + 1, of: pages })),
    step(current + 1, "chevron", say("next")),
  );
}
