/** Walks a card: the key of every element, the texts that may grow, and the sizes elements share. */

const SPACES = { none: "0", small: "4px", medium: "8px", large: "12px", extra_large: "16px" };
const LENGTHS = /^-?\d{1,3}px(?: -?\d{1,3}px){0,3}$/;
const SIZES = new Set([
  "heading-0",
  "heading-1",
  "heading-2",
  "heading-3",
  "heading-4",
  "heading",
  "normal",
  "notation",
]);

/** An element's key: its `element_id`, else its place. */
export function keyOf(parent, element, place) {
  return element.element_id ?? `${parent}.${place}:${element.tag}`;
}

/** Every text of a card that may grow, as `[key, text]`. */
export function* textsOf(card) {
  yield* textsIn(card.body?.elements ?? card.elements ?? [], "body");
}

function* textsIn(elements, parent) {
  for (const [place, element] of elements.entries()) {
    const key = keyOf(parent, element, place);
    if (element.tag === "markdown") yield [key, String(element.content ?? "")];
    if (element.text?.content !== undefined && element.tag === "div")
      yield [textKey(key, element.text), String(element.text.content)];
    yield* textsIn(element.elements ?? element.columns ?? [], key);
  }
}

/** The key of a text inside a `div`. */
export function textKey(parent, text) {
  return text.element_id ?? `${parent}.text`;
}

/** The plain words of a text object. */
export function textOf(node) {
  return typeof node === "string" ? node : String(node?.content ?? "");
}

/** A spacing word or length as CSS. */
export function space(value, fallback) {
  return SPACES[value] ?? (LENGTHS.test(value ?? "") ? value : fallback);
}

/** The class of a `text_size`. */
export function sizeClass(value) {
  return SIZES.has(value) ? `size-${value}` : "size-normal";
}

/** Layout of anything that holds elements: a body, a column, a panel, a form. */
export function stackStyle(holder, fallbackGap) {
  return {
    gap: `${space(holder.vertical_spacing, fallbackGap)} ${space(holder.horizontal_spacing, "8px")}`,
    padding: space(holder.padding, null),
    margin: space(holder.margin, null),
  };
}
