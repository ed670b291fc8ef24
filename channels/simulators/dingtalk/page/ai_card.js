/** An AI card: its state, the text that grows, the buttons of the person who looks. */

import { seenCard } from "./card_state.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { markdown } from "./markdown.js";
import { withSigns } from "./signs.js";
import { say } from "./words.js";

const WHOLE_TABLE_ROWS = 100;
const TONES = { stop: "danger", deny: "danger", approve: "primary_filled", backlog_all: "primary_filled" };
const SIGNS = { stop: "stop", retry: "undo", good: "thumb", bad: "thumb_down", satisfied: "thumb" };

/** Draw a message's card for the speaking person. */
export function drawAiCard(message, desk) {
  const { card } = message;
  if (card.blank) return h("div", { class: "ai-card ai-card-blank", "aria-label": say("blank"), title: say("blank") });
  const seen = seenCard(card, desk.store.me);
  const isEmpty = !seen.parts.some((part) => part.name === card.streaming_key);
  return h(
    "div",
    { class: `ai-card ai-card-${seen.state}`, "aria-busy": message.live ? "true" : null },
    (seen.title || seen.status) && drawHead(seen),
    h(
      "div",
      { class: "ai-card-body" },
      seen.parts.map((part) => drawPart(part, message, desk)),
      drawState(seen, isEmpty),
    ),
    seen.buttons.length > 0 &&
      h(
        "div",
        { class: "ai-card-buttons" },
        seen.buttons.map((button) => drawButton(button, message, desk)),
      ),
  );
}

function drawHead({ title, status }) {
  return h(
    "header",
    { class: "ai-card-head" },
    title && h("h3", null, withSigns(title)),
    status && h("span", { class: "ai-card-status" }, withSigns(status)),
  );
}

/** One variable; a name the product's template uses for small print looks like that. */
function drawPart(part, message, desk) {
  const look = `ai-part ai-part-${part.name}`;
  if (part.kind === "text")
    return h("div", { class: `${look} plain`, key: part.name, "data-variable": part.name }, withSigns(part.value));
  const local = desk.localOf(message.id);
  const view = {
    open: part.grows,
    caret: part.grows,
    cache: local.cacheOf(part.name),
    pageOf: () => 0,
    turn: () => {},
    rowsPerPage: WHOLE_TABLE_ROWS,
    ...desk.views,
  };
  return h(
    "div",
    { class: `${look} markdown-body`, key: part.name, "data-variable": part.name },
    markdown(part.value, view),
  );
}

function drawState({ state }, isEmpty) {
  if (state === "failed")
    return h(
      "div",
      { class: "ai-state ai-state-failed", role: "status", key: "state" },
      icon("warning"),
      say("failedCard"),
    );
  if (state === "finished" || (state === "inputing" && !isEmpty)) return null;
  return h(
    "div",
    { class: "ai-state", role: "status", key: "state" },
    h("span", { class: "ai-spark", "aria-hidden": "true" }, icon("spark")),
    h("span", { class: "ai-words" }, say(state)),
  );
}

function drawButton(button, message, desk) {
  const action = button.params?.action ?? button.id.replace(/^btn_/, "");
  const local = desk.localOf(message.id);
  const waits = local.pending.has(button.id);
  return h(
    "button",
    {
      type: "button",
      key: button.id,
      class: `button button-medium button-${TONES[action] ?? "default"} ${waits ? "button-waiting" : ""}`.trim(),
      disabled: Boolean(button.disabled),
      "aria-busy": waits ? "true" : null,
      on: { click: () => !local.pending.size && desk.press(message, button) },
    },
    SIGNS[action] && icon(SIGNS[action], { class: "button-icon" }),
    h("span", { class: "button-label" }, button.label || button.id),
    waits && h("span", { class: "button-wait", "aria-hidden": "true" }, h("i", null), h("i", null), h("i", null)),
  );
}
