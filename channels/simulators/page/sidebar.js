/** The left column: who speaks, and their chats. */

import { avatar } from "./avatar.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say, shortTime } from "./words.js";

/** Draw the column; `list` draws the chats another way than one row each, `title` stands above them. */
export function drawSidebar(store, { title = say("chats"), list = chatRows } = {}) {
  return h(
    "aside",
    { class: "sidebar", id: "sidebar", "aria-label": say("chats") },
    h(
      "div",
      { class: "sidebar-top" },
      h("h1", null, title),
      h(
        "button",
        {
          type: "button",
          class: "icon-button drawer-close",
          "aria-label": say("closeChats"),
          on: { click: () => store.set({ drawer: false }) },
        },
        icon("close"),
      ),
    ),
    drawPeople(store),
    h("nav", { class: "chat-list", "aria-label": say("chats") }, list(store)),
  );
}

function chatRows(store) {
  return store.myChats().map((chat) => drawChat(chat, store));
}

function drawPeople(store) {
  const choice = (person) =>
    h(
      "label",
      { class: "person", key: person.id },
      h("input", {
        type: "radio",
        name: "speak-as",
        value: person.id,
        checked: person.id === store.me,
        mount: (node) => {
          node.checked = person.id === store.me;
        },
        on: { change: () => store.speakAs(person.id) },
      }),
      h(
        "span",
        { class: "person-face" },
        avatar(person.name, { size: "avatar-small" }),
        h("span", { class: "person-name" }, person.name),
      ),
    );
  return h(
    "fieldset",
    { class: "people" },
    h("legend", null, say("speakAs")),
    h("div", { class: "people-row" }, store.people.map(choice)),
  );
}

function drawChat(chat, store) {
  const last = store.messagesOf(chat.id).at(-1);
  const current = chat.id === store.chatId;
  const unread = current ? 0 : store.unread(chat.id);
  return h(
    "button",
    {
      type: "button",
      key: chat.id,
      class: `chat-row ${current ? "chat-current" : ""}`.trim(),
      "aria-current": current ? "true" : null,
      on: { click: () => store.open(chat.id) },
    },
    chatAvatar(chat, store),
    h(
      "span",
      { class: "chat-words" },
      h(
        "span",
        { class: "chat-line" },
        h("span", { class: "chat-name" }, chat.name),
        last && h("time", null, shortTime(last.create_time_ms, store.nowMs)),
      ),
      h(
        "span",
        { class: "chat-line" },
        h(
          "span",
          { class: `chat-last ${last?.live ? "chat-last-live" : ""}`.trim() },
          last ? previewOf(last, chat, store) : say("quiet"),
        ),
        unread > 0 &&
          h("span", { class: "badge", "aria-label": say("unread", { n: unread }) }, unread > 99 ? "99+" : unread),
      ),
    ),
  );
}

/** The picture of a chat: the bot with its connection dot in a direct chat, a sign in others. */
export function chatAvatar(chat, store) {
  if (!chat.direct) return avatar(chat.name, { group: true });
  const bot = store.botsOf(chat)[0];
  return avatar(bot?.name ?? chat.name, { bot: true, online: bot ? bot.connections > 0 : undefined });
}

function previewOf(message, chat, store) {
  const who = message.sender.name || store.nameOf(message.sender.id);
  if (message.recalled) return say("recalled", { name: who });
  const line = store.lineOf(message).replaceAll("\n", " ");
  return chat.direct ? line : `${who}: ${line}`;
}
