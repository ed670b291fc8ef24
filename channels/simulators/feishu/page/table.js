/** The `table` component: typed columns, pages. */

import { h } from "./dom.js";
import { colourClass, inlineMarkdown } from "./markdown.js";
import { pagedTable } from "./paged_table.js";
import { moment } from "./words.js";

/** Draw a `table` element. */
export function drawTable(element, key, context) {
  const columns = element.columns ?? [];
  const style = element.header_style ?? {};
  return pagedTable({
    head: columns.map((column) => column.display_name ?? column.name),
    rows: (element.rows ?? []).map((row) => columns.map((column) => drawCell(row[column.name], column, context))),
    aligns: columns.map((column) => column.horizontal_align ?? (column.data_type === "number" ? "right" : "left")),
    widths: columns.map((column) => (/^\d{1,3}px$/.test(column.width ?? "") ? column.width : null)),
    size: Math.min(10, Math.max(1, element.page_size ?? 5)),
    page: context.local.pages.get(key) ?? 0,
    turn: (page) => context.touch((local) => local.pages.set(key, page)),
    headClass: style.background_style === "none" ? "head-plain" : "",
  });
}

const CELLS = {
  markdown: (value, column, context) => inlineMarkdown(String(value), { nameOf: context.nameOf }),
  lark_md: (value, column, context) => inlineMarkdown(String(value), { nameOf: context.nameOf }),
  number: (value, column) => number(value, column.format ?? {}),
  date: (value) => moment(Number(value)),
  persons: (value, column, context) =>
    [value].flat().map((one) => h("span", { class: "at" }, `@${context.nameOf(one.id ?? one) || (one.id ?? one)} `)),
  options: (value) =>
    [value]
      .flat()
      .map((one) =>
        h("span", { class: `text-tag ${colourClass("tag", one.color ?? "blue")}` }, one.text ?? String(one)),
      ),
};

function drawCell(value, column, context) {
  if (value === null || value === undefined) return "";
  const draw = Object.hasOwn(CELLS, column.data_type ?? "") ? CELLS[column.data_type] : (plain) => String(plain);
  return draw(value, column, context);
}

function number(value, format) {
  const digits = Number.isInteger(format.precision) ? format.precision : null;
  const text = Number(value).toLocaleString(undefined, {
    useGrouping: Boolean(format.separator ?? format.seperator),
    minimumFractionDigits: digits ?? 0,
    maximumFractionDigits: digits ?? 20,
  });
  return `${format.symbol ?? ""}${text}`;
}
