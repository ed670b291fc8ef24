/** Slack's left column: the workspace, who speaks, channels, direct messages. */

import { avatar } from "./avatar.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

/** Draw the channels and direct chats of the speaking person. */
export function drawChannels(store) {
  const mine = store.chats.filter((chat) => store.isMine(chat));
  const part = (title, chats) =>
    chats.length > 0 &&
    h(
      "section",
      { class: "channel-part", "aria-label": title },
      h("h2", null, title),
      chats.map((chat) => drawChannel(chat, store)),
    );
  return [
    part(
      say("channels"),
      mine.filter((chat) => !chat.direct),
    ),
    part(
      say("directs"),
      mine.filter((chat) => chat.direct),
    ),
  ];
}

/** The sign before a chat's name: `#`, a lock, or the app with its connection. */
export function chatSign(chat, store) {
  if (!chat.direct) return h("span", { class: "channel-sign" }, icon(chat.type === "group" ? "lock" : "hash"));
  const bot = store.botsOf(chat)[0];
  return avatar(bot?.name ?? chat.name, {
    bot: true,
    size: "avatar-small",
    online: bot ? bot.connections > 0 : undefined,
  });
}

function drawChannel(chat, store) {
  const isCurrent = chat.id === store.chatId;
  const unread = isCurrent ? 0 : store.unread(chat.id);
  return h(
    "button",
    {
      type: "button",
      key: chat.id,
      class: `chat-row ${isCurrent ? "chat-current" : ""} ${unread ? "chat-unread" : ""}`.replace(/\s+/g, " ").trim(),
      "aria-current": isCurrent ? "true" : null,
      on: { click: () => store.open(chat.id) },
    },
    chatSign(chat, store),
    h("span", { class: "chat-name" }, chat.name),
    unread > 0 &&
      h("span", { class: "badge", "aria-label": say("unread", { n: unread }) }, unread > 99 ? "99+" : unread),
  );
}
