/** What a reader can press and fill in: buttons, inputs, forms. */

import { textOf } from "./card_tree.js";
import { h } from "./dom.js";
import { tokenIcon } from "./icons.js";
import { linkProps } from "./markdown.js";

const KINDS = new Set([
  "default",
  "primary",
  "danger",
  "text",
  "primary_text",
  "danger_text",
  "primary_filled",
  "danger_filled",
  "laser",
]);
const SIZES = new Set(["tiny", "small", "medium", "large"]);

/** A button: a link when it only opens an address, else one that asks the simulator. */
export function drawButton(element, key, context) {
  const behaviors = element.behaviors ?? [];
  const callback = behaviors.find((one) => one.type === "callback");
  const address = behaviors.find((one) => one.type === "open_url");
  const waits = context.local.pending.has(key);
  const inside = [
    element.icon && tokenIcon(element.icon.token ?? "", { class: "button-icon" }),
    h("span", { class: "button-label" }, textOf(element.text)),
    waits && h("span", { class: "button-wait", "aria-hidden": "true" }, h("i", null), h("i", null), h("i", null)),
  ];
  if (address && !callback && !element.disabled)
    return h("a", { ...linkProps(urlOf(address)), class: looks(element) }, inside);
  const locked = context.local.pending.size > 0;
  return h(
    "button",
    {
      type: "button",
      class: `${looks(element)} ${waits ? "button-waiting" : ""}`.trim(),
      name: element.name ?? null,
      disabled: Boolean(element.disabled),
      "aria-disabled": locked ? "true" : null,
      "aria-busy": waits ? "true" : null,
      "data-submits": formActionOf(element) === "submit",
      title: textOf(element.disabled ? element.disabled_tips : element.hover_tips) || null,
      on: { click: (event) => !locked && press(event.currentTarget, element, key, context) },
    },
    inside,
  );
}

function looks(element) {
  const kind = KINDS.has(element.type) ? element.type : "default";
  const size = SIZES.has(element.size) ? element.size : "medium";
  return `button button-${kind} button-${size} ${element.width === "fill" ? "button-fill" : ""}`.trim();
}

function urlOf(address) {
  return address.pc_url || address.default_url || address.url || "";
}

/** A form button says what it does in one of two places. */
function formActionOf(element) {
  return (
    element.form_action_type ?? (element.behaviors ?? []).find((one) => one.type === "form_action")?.behavior ?? null
  );
}

function press(node, element, key, context) {
  const form = node.closest("form");
  const action = formActionOf(element);
  if (action === "reset") {
    form?.reset();
    return;
  }
  const submits = action === "submit";
  if (submits && !form.reportValidity()) return;
  for (const behavior of element.behaviors ?? []) {
    if (behavior.type === "open_url" && linkProps(urlOf(behavior)).href)
      window.open(urlOf(behavior), "_blank", "noopener");
  }
  const callback = (element.behaviors ?? []).find((one) => one.type === "callback");
  if (!callback && !submits) return;
  const order = { key, value: callback?.value ?? {}, confirm: element.confirm ?? null };
  if (element.name) order.name = element.name;
  if (submits) order.form_value = Object.fromEntries(new FormData(form));
  context.press(order);
}

/** A form around its drawn elements; Enter in an input presses its submit button. */
export function drawForm(element, key, context, inside) {
  const submit = (event) => {
    event.preventDefault();
    event.currentTarget.querySelector("button[data-submits]")?.click();
  };
  return h("form", { class: "card-form", name: element.name ?? null, on: { submit } }, inside);
}

/** A one-line or many-line input; the reader's text is never overwritten by an update. */
export function drawInput(element, key, context) {
  const id = `input-${context.id}-${key}`.replace(/[^\w-]/g, "_");
  const label = textOf(element.label);
  const many = element.input_type === "multiline_text";
  const props = {
    id,
    name: element.name ?? key,
    class: "input",
    placeholder: textOf(element.placeholder) || null,
    required: Boolean(element.required),
    disabled: Boolean(element.disabled),
    maxlength: element.max_length ?? null,
    "aria-label": label ? null : textOf(element.placeholder) || element.name,
    mount: (node) => {
      node.value = element.default_value ?? "";
    },
  };
  const field = many
    ? h("textarea", { ...props, rows: element.rows ?? 3 })
    : h("input", { ...props, type: element.input_type === "password" ? "password" : "text" });
  return h(
    "div",
    { class: element.label_position === "left" ? "input-row" : "input-column" },
    label &&
      h("label", { for: id }, label, element.required && h("span", { class: "required", "aria-hidden": "true" }, "*")),
    field,
  );
}
