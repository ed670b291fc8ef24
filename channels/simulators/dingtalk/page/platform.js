/** DingTalk's names for what every platform has, read into the page's own shape. */

import { seenCard } from "./card_state.js";
import { say } from "./words.js";

/** What the store asks of a platform. */
export const dingtalk = { remember: "niuma.dingtalk.person", read, readMessage, lineOf, isSeen };

const LIVE = new Set(["1", "2", "4"]);

function read(state) {
  return {
    now_ms: state.now_ms,
    people: state.people,
    bots: state.bots.map((bot) => ({ ...bot, id: bot.app_id })),
    chats: state.chats.map((chat) => ({ ...chat, direct: chat.type === "single", opensFirst: chat.type === "group" })),
    messages: state.messages.map(readMessage),
  };
}

function readMessage(message) {
  return { ...message, live: LIVE.has(message.card?.flow_status), parent_id: message.quotes ?? null };
}

/** A robot may send to some members of a group only. */
function isSeen(message, me) {
  return !message.recipients?.length || message.recipients.includes(me) || message.sender.id === me;
}

function lineOf(message) {
  if (message.card && !message.title) return seenCard(message.card, "").title || say("cardLine");
  return message.title || message.text || say("cardLine");
}
