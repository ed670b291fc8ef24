/** What people press, choose and fill in: the interactive elements of Block Kit. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { linkProps } from "./markdown.js";
import { missing, plainText } from "./mrkdwn.js";

const LOOKS = { primary: "primary_filled", danger: "danger_filled" };

const ELEMENTS = {
  button: drawButton,
  static_select: drawSelect,
  overflow: drawOverflow,
  checkboxes: (element, place) => drawChoices(element, place, "checkbox"),
  radio_buttons: (element, place) => drawChoices(element, place, "radio"),
  datepicker: (element, place) => drawField(element, place, { type: "date" }),
  timepicker: (element, place) => drawField(element, place, { type: "time" }),
  plain_text_input: drawTextInput,
  number_input: (element, place) => drawField(element, place, { type: "number" }),
  email_text_input: (element, place) => drawField(element, place, { type: "email" }),
  url_text_input: (element, place) => drawField(element, place, { type: "url" }),
  feedback_buttons: drawFeedback,
  icon_button: drawIconButton,
};

/** Draw one element. `place` holds `block_id`, `label` (of an input block), `context` (`local`, `press(order)`). */
export function drawElement(element, place) {
  return Object.hasOwn(ELEMENTS, element.type) ? ELEMENTS[element.type](element, place) : missing(element.type);
}

/** What stands in the inputs of a message, as `state.values` of an action: by block, then by action. */
export function valuesIn(root) {
  const values = {};
  for (const field of root.querySelectorAll("[data-action]")) {
    const { block, action, kind } = field.dataset;
    if ((field.type === "checkbox" || field.type === "radio") && !field.checked) continue;
    values[block] ??= {};
    values[block][action] = valueOf(kind, field, values[block][action]);
  }
  return values;
}

function valueOf(kind, field, known) {
  const option = { value: field.value, text: { type: "plain_text", text: field.dataset.words ?? field.value } };
  if (kind === "static_select") option.text.text = field.selectedOptions[0]?.textContent ?? "";
  if (kind === "static_select" || kind === "radio_buttons")
    return { type: kind, selected_option: field.value ? option : null };
  if (kind === "checkboxes") return { type: kind, selected_options: [...(known?.selected_options ?? []), option] };
  if (kind === "datepicker") return { type: kind, selected_date: field.value || null };
  if (kind === "timepicker") return { type: kind, selected_time: field.value || null };
  return { type: kind, value: field.value || null };
}

function drawButton(element, place) {
  const words = plainText(element.text);
  const looks = `button button-${LOOKS[element.style] ?? "default"} button-medium`;
  return pressable(element, place, { class: looks, "aria-label": element.accessibility_label ?? null }, words, {
    value: element.value,
  });
}

/** A button that waits for its answer; `order` is what of the action the press adds. */
function pressable(element, place, props, inside, order) {
  const { local, press } = place.context;
  const key = `${place.block_id}/${element.action_id ?? element.type}/${order.value ?? ""}`;
  const waits = local.pending.has(key);
  const run = (event) => {
    if (local.pending.size) return;
    if (linkProps(element.url).href) window.open(element.url, "_blank", "noopener");
    press({
      key,
      node: event.currentTarget,
      block_id: place.block_id,
      element,
      confirm: element.confirm ?? null,
      ...order,
    });
  };
  return h(
    "button",
    {
      type: "button",
      ...props,
      class: `${props.class} ${waits ? "button-waiting" : ""}`.trim(),
      "aria-busy": waits ? "true" : null,
      on: { click: run },
    },
    h("span", { class: "button-label" }, inside),
    waits && h("span", { class: "button-wait", "aria-hidden": "true" }, h("i", null), h("i", null), h("i", null)),
  );
}

function optionsOf(element) {
  return element.options ?? (element.option_groups ?? []).flatMap((group) => group.options);
}

function named(element, place) {
  return {
    name: element.action_id,
    "aria-label": place.label ? null : plainText(element.placeholder) || element.action_id,
    "data-block": place.block_id,
    "data-action": element.action_id,
    "data-kind": element.type,
  };
}

/** A choice outside an input block is an action at once. */
function changed(element, place, order) {
  if (place.label) return {};
  return {
    change: (event) =>
      place.context.press({
        key: element.action_id,
        node: event.currentTarget,
        block_id: place.block_id,
        element,
        confirm: element.confirm ?? null,
        ...order(event.currentTarget),
      }),
  };
}

function drawSelect(element, place) {
  const options = optionsOf(element);
  const first = element.initial_option?.value ?? "";
  const chosen = (node) => ({ value: node.value });
  return h(
    "select",
    {
      class: "input select",
      id: place.id ?? null,
      ...named(element, place),
      mount: (node) => {
        node.value = first;
      },
      on: changed(element, place, chosen),
    },
    h("option", { value: "" }, plainText(element.placeholder) || "…"),
    options.map((one) => h("option", { value: one.value }, plainText(one.text))),
  );
}

function drawOverflow(element, place) {
  return h(
    "details",
    { class: "overflow" },
    h("summary", { class: "icon-button", "aria-label": place.words.options }, icon("more")),
    h(
      "div",
      { class: "overflow-list" },
      optionsOf(element).map((one) =>
        pressable(element, place, { class: "overflow-item" }, plainText(one.text), { value: one.value }),
      ),
    ),
  );
}

function drawChoices(element, place, type) {
  const initial = [element.initial_option, ...(element.initial_options ?? [])].filter(Boolean).map((one) => one.value);
  return h(
    "div",
    { class: "choices", role: type === "radio" ? "radiogroup" : "group" },
    optionsOf(element).map((one) =>
      h(
        "label",
        { class: "choice" },
        h("input", {
          ...named(element, place),
          "aria-label": null,
          name: `${place.context.id}-${element.action_id}`,
          type,
          value: one.value,
          "data-words": plainText(one.text),
          mount: (node) => {
            node.checked = initial.includes(one.value);
          },
        }),
        h("span", null, plainText(one.text)),
      ),
    ),
  );
}

function drawTextInput(element, place) {
  if (!element.multiline) return drawField(element, place, { type: "text" });
  return field("textarea", element, place, { rows: 3 });
}

function drawField(element, place, props) {
  return field("input", element, place, props);
}

/** A text field; the reader's words are never overwritten by an update. */
function field(tag, element, place, props) {
  return h(tag, {
    class: "input",
    id: place.id ?? null,
    ...named(element, place),
    ...props,
    placeholder: plainText(element.placeholder) || null,
    required: place.required ?? false,
    minlength: element.min_length ?? null,
    maxlength: element.max_length ?? null,
    mount: (node) => {
      node.value = element.initial_value ?? element.initial_date ?? element.initial_time ?? "";
    },
  });
}

function drawFeedback(element, place) {
  const one = (button, sign) =>
    button &&
    pressable(
      element,
      place,
      {
        class: "icon-button feedback",
        "aria-label": button.accessibility_label ?? plainText(button.text),
        title: plainText(button.text),
      },
      icon(sign),
      { value: button.value },
    );
  return [one(element.positive_button, "thumb"), one(element.negative_button, "thumb_down")];
}

function drawIconButton(element, place) {
  const words = plainText(element.text);
  const props = { class: "icon-button feedback", "aria-label": element.accessibility_label ?? words, title: words };
  return pressable(element, place, props, icon(element.icon === "trash" ? "trash" : "dot"), { value: element.value });
}
