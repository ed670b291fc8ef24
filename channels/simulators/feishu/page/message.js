/** One message: who, when, what, and the reactions below it. */

import { avatar } from "./avatar.js";
import { drawCard } from "./card.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { withMentions } from "./mentions.js";
import { clock, say } from "./words.js";

const SIGNS = {
  OK: "👌",
  LOVE: "😍",
  SMILE: "🙂",
  LAUGH: "😄",
  ThumbsDown: "👎",
  EYES: "👀",
  Get: "🫡",
  FIRE: "🔥",
  PARTY: "🎉",
  Hundred: "💯",
  JIAYI: "➕",
  APPLAUSE: "👏",
  Alarm: "⏰",
};

const DRAWN = {
  THUMBSUP: "thumb",
  HEART: "heart",
  DONE: "check",
  CheckMark: "check",
  CrossMark: "close",
  OnIt: "tool",
};

/** Draw a message. `joined` leaves out picture and name: the message before is by the same sender. */
export function drawMessage(message, desk, joined = false) {
  const { store } = desk;
  const { sender } = message;
  const name = sender.name || store.nameOf(sender.id);
  if (message.recalled) return h("div", { key: message.message_id, class: "system-line" }, say("recalled", { name }));
  const mine = sender.id === store.me;
  const bot = sender.type === "bot" ? store.bot(sender.id) : null;
  return h(
    "article",
    {
      key: message.message_id,
      id: message.message_id,
      class: rowClass(message, mine, joined),
      "aria-label": `${name}, ${clock(message.create_time_ms)}`,
    },
    joined
      ? h("span", { class: "avatar-space" })
      : avatar(name, { bot: sender.type === "bot", online: bot ? bot.connections > 0 : undefined }),
    h(
      "div",
      { class: "message-body" },
      !joined &&
        h(
          "div",
          { class: "message-meta" },
          h("span", { class: "message-name" }, name),
          sender.type === "bot" && h("span", { class: "bot-mark" }, say("bot")),
          h("time", null, clock(message.create_time_ms)),
          message.edited && h("span", null, say("edited")),
        ),
      h("div", { class: "message-line" }, drawContent(message, desk), drawActions(message, desk, mine)),
      drawReactions(message, store),
    ),
  );
}

function rowClass(message, mine, joined) {
  return `message ${mine ? "message-mine" : ""} ${joined ? "message-joined" : ""} ${message.card ? "message-card" : ""}`
    .replace(/\s+/g, " ")
    .trim();
}

function drawContent(message, desk) {
  const quote = drawQuote(message, desk.store);
  if (message.card) return h("div", { class: "message-content" }, quote, drawCard(message, desk));
  return h(
    "div",
    { class: "bubble" },
    quote,
    h("div", { class: "bubble-text" }, drawText(message, desk.store)),
    message.msg_type === "image" && drawPicture(message),
  );
}

function drawText(message, store) {
  if (message.msg_type !== "file") return withMentions(message.text || store.lineOf(message), store);
  return h("a", { class: "link", href: fileOf(message, "file_key"), download: "" }, message.text);
}

function drawPicture(message) {
  return h("img", { class: "bubble-picture", key: "picture", src: fileOf(message, "image_key"), alt: message.text });
}

/** The address of what was sent; the content of a message is JSON. */
function fileOf(message, name) {
  return `/_sim/files/${encodeURIComponent(JSON.parse(message.content)[name])}`;
}

function drawQuote(message, store) {
  const parent = message.thread_id ? null : store.messages.get(message.parent_id ?? "");
  if (!parent) return null;
  const name = parent.sender.name || store.nameOf(parent.sender.id);
  return h(
    "div",
    { class: "quote", key: "quote" },
    h("span", { class: "quote-name" }, `${say("replyingTo", { name })}: `),
    parent.recalled ? say("recalled", { name }) : store.lineOf(parent),
  );
}

function drawActions(message, desk, mine) {
  const { store } = desk;
  const topic = Boolean(message.thread_id) || store.chat?.type === "topic";
  const act = (label, name, run) =>
    h(
      "button",
      { type: "button", class: "icon-button small", "aria-label": label, title: label, on: { click: run } },
      icon(name),
    );
  return h(
    "div",
    { class: "message-actions", role: "group", "aria-label": say("actions") },
    act(topic ? say("replyTopic") : say("reply"), topic ? "topic" : "reply", () => desk.reply(message)),
    mine && act(say("recall"), "undo", () => desk.recall(message)),
  );
}

function drawReactions(message, store) {
  if (!message.reactions.length) return null;
  const groups = Map.groupBy ? Map.groupBy(message.reactions, (one) => one.emoji_type) : grouped(message.reactions);
  return h(
    "div",
    { class: "reactions" },
    [...groups].map(([type, all]) => {
      const names = all.map((one) => store.nameOf(one.by) || one.by).join(", ");
      return h(
        "span",
        {
          key: type,
          class: `reaction ${type === "Typing" || type === "OnIt" ? "reaction-live" : ""}`.trim(),
          title: `${type}: ${names}`,
          "aria-label": `${type}: ${names}`,
        },
        sign(type),
        h("span", { class: "reaction-names" }, names),
      );
    }),
  );
}

function grouped(reactions) {
  const groups = new Map();
  for (const one of reactions) groups.set(one.emoji_type, [...(groups.get(one.emoji_type) ?? []), one]);
  return groups;
}

function sign(type) {
  if (type === "Typing")
    return h("span", { class: "typing-sign", "aria-hidden": "true" }, h("i", null), h("i", null), h("i", null));
  if (type in DRAWN)
    return h(
      "span",
      { class: `sign-icon ${type === "OnIt" ? "onit-sign" : ""}`.trim(), "aria-hidden": "true" },
      icon(DRAWN[type]),
    );
  return h("span", { "aria-hidden": "true" }, SIGNS[type] ?? `:${type}:`);
}
