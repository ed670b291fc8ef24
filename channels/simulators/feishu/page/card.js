/** A card JSON 2.0 as Feishu draws it: header, body, and what the reader did to it (folds, pages, waiting buttons). */

import { stackOf } from "./elements.js";
import { h } from "./dom.js";
import { tokenIcon } from "./icons.js";
import { colourClass } from "./markdown.js";
import { textOf, textsOf } from "./card_tree.js";
import { paceOf } from "./typing.js";

/** Draw a message's card. `desk` is the app: `typist`, `store`, `localOf(id)`, `touch(id)`, `press(order)`. */
export function drawCard(message, desk) {
  const { card } = message;
  const context = contextOf(message, desk);
  const streaming = context.streaming;
  return h(
    "div",
    {
      class: `card ${card.config?.width_mode === "fill" ? "card-fill" : ""} ${streaming ? "card-live" : ""}`.trim(),
      "aria-busy": streaming ? "true" : null,
    },
    card.header && drawHeader(card.header),
    h("div", { class: "card-body" }, stackOf(card.body ?? { elements: card.elements ?? [] }, "body", context, "12px")),
  );
}

function contextOf(message, desk) {
  const { card, message_id: id } = message;
  const streaming = Boolean(message.card_state?.streaming);
  const local = desk.localOf(id);
  const pace = paceOf(card);
  const shown = new Map();
  for (const [key, text] of textsOf(card)) shown.set(key, desk.typist.show(`${id}/${key}`, text, { streaming, pace }));
  const live = streaming ? desk.typist.liveOf([...shown.keys()].map((key) => `${id}/${key}`)) : null;
  const touch = (change) => {
    change(local);
    desk.touch(id);
  };
  return {
    id,
    streaming,
    local,
    touch,
    shown: (key, text) => shown.get(key) ?? text,
    caret: (key) => live === `${id}/${key}`,
    nameOf: (who) => desk.store.nameOf(who),
    press: (order) => desk.press({ ...order, message }),
  };
}

function drawHeader(header) {
  const tags = header.text_tag_list ?? [];
  return h(
    "header",
    { class: `card-header ${colourClass("head", header.template ?? "default")}` },
    header.icon && h("span", { class: "card-header-icon" }, tokenIcon(header.icon.token ?? "")),
    h(
      "div",
      { class: "card-header-words" },
      h(
        "div",
        { class: "card-title-line" },
        h("div", { class: "card-title" }, textOf(header.title)),
        tags.map((tag) =>
          h("span", { class: `text-tag ${colourClass("tag", tag.color ?? "neutral")}` }, textOf(tag.text)),
        ),
      ),
      textOf(header.subtitle) && h("div", { class: "card-subtitle" }, textOf(header.subtitle)),
    ),
  );
}
