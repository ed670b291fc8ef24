/** Slack's names for what every platform has, read into the page's own shape. */

import { plainOf } from "./mrkdwn.js";

/** What the store asks of a platform. */
export const slack = { remember: "niuma.slack.person", read, readMessage, lineOf, isSeen };

function read(state) {
  return {
    now_ms: state.now_ms,
    people: state.people,
    bots: state.bots.map((bot) => ({ ...bot, id: bot.user_id })),
    chats: state.chats.map((chat) => ({ ...chat, direct: chat.type === "im", opensFirst: chat.type === "channel" })),
    messages: state.messages.map(readMessage),
  };
}

function readMessage(message) {
  return { ...message, live: Boolean(message.streaming) };
}

/** A reply stands in its thread only, unless it was also sent to the channel. */
export function isReply(message) {
  return Boolean(message.thread_ts) && message.thread_ts !== message.ts && message.subtype !== "thread_broadcast";
}

function isSeen(message, me) {
  return !message.deleted && (!message.ephemeral_to || message.ephemeral_to === me);
}

function lineOf(message) {
  return plainOf(message.text || message.chunks?.markdown || "") || message.files?.[0]?.name || "…";
}
