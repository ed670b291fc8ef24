/** One message: mine on the right, everybody else's on the left, emotions below it. */

import { avatar } from "./avatar.js";
import { drawContent } from "./contents.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { withSigns } from "./signs.js";
import { clock, say } from "./words.js";

/** Draw a message. `joined` leaves out picture and name: the message before is by the same sender. */
export function drawMessage(message, desk, joined) {
  const { store } = desk;
  const { sender } = message;
  const name = sender.name || store.nameOf(sender.id);
  if (message.recalled) return h("div", { key: message.id, class: "system-line" }, say("recalled", { name }));
  if (sender.type === "system") return h("div", { key: message.id, class: "system-line" }, message.text);
  const mine = sender.id === store.me;
  return h(
    "article",
    {
      key: message.id,
      class: `message ${mine ? "message-mine" : ""} ${joined ? "message-joined" : ""} message-${message.msg_type}`
        .replace(/\s+/g, " ")
        .trim(),
      "aria-label": `${name}, ${clock(message.create_time_ms)}`,
    },
    joined ? h("span", { class: "avatar-space" }) : avatar(name, { bot: sender.type === "bot" }),
    h(
      "div",
      { class: "message-body" },
      !joined && drawMeta(message, name, mine),
      h(
        "div",
        { class: "message-line" },
        h("div", { class: "message-content" }, drawQuote(message, store), drawContent(message, desk)),
        drawActions(message, desk, mine),
      ),
      drawEmotions(message, store),
    ),
  );
}

function drawMeta(message, name, mine) {
  return h(
    "div",
    { class: "message-meta" },
    !mine && h("span", { class: "message-name" }, name),
    message.sender.type === "bot" && h("span", { class: "bot-mark" }, say("robot")),
    h("time", null, clock(message.create_time_ms)),
  );
}

function drawQuote(message, store) {
  const parent = store.messages.get(message.quotes ?? "");
  if (!parent) return null;
  const name = parent.sender.name || store.nameOf(parent.sender.id);
  return h(
    "div",
    { class: "quote", key: "quote" },
    h("span", { class: "quote-name" }, `${name}: `),
    parent.recalled ? say("recalled", { name }) : store.lineOf(parent),
  );
}

function drawActions(message, desk, mine) {
  const act = (label, name, run) =>
    h(
      "button",
      { type: "button", class: "icon-button small", "aria-label": label, title: label, on: { click: run } },
      icon(name),
    );
  return h(
    "div",
    { class: "message-actions", role: "group", "aria-label": say("actions") },
    act(say("reply"), "reply", () => desk.reply(message)),
    mine && act(say("recall"), "undo", () => desk.recall(message)),
  );
}

/** Emotions are words with a face; the face is drawn where it says that somebody works on it. */
function drawEmotions(message, store) {
  if (!message.emotions?.length) return null;
  return h(
    "div",
    { class: "emotions" },
    message.emotions.map((one) => {
      const who = store.nameOf(one.by) || one.by;
      const isWork = /🤔|思考|处理/u.test(one.name);
      const words = isWork ? one.name.replace(/^\p{Extended_Pictographic}\ufe0f?/u, "") : one.name;
      return h(
        "span",
        {
          key: `${one.by}-${one.name}`,
          class: `emotion ${isWork ? "emotion-live" : ""}`.trim(),
          title: `${one.name}: ${who}`,
          "aria-label": `${one.name}: ${who}`,
        },
        isWork && icon("thought"),
        h("span", null, withSigns(words)),
        h("span", { class: "emotion-who" }, who),
      );
    }),
  );
}
