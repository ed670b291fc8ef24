/** The log of a Feishu chat: a topic's messages stand together. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { Log } from "./log.js";
import { drawMessage } from "./message.js";
import { say } from "./words.js";

const FOLDED_REPLIES = 3;

/** A log that puts topics into one frame each. */
export class TopicLog extends Log {
  constructor(desk) {
    super(desk, drawMessage);
    this.wide = new Set();
  }

  entries(messages) {
    return entriesOf(messages, this.desk.store.chat);
  }

  entry(entry, joined) {
    return entry.replies ? this.topic(entry) : super.entry(entry, joined);
  }

  topic({ root, replies, id }) {
    const folded = replies.length > FOLDED_REPLIES && !this.wide.has(id);
    const shown = folded ? replies.slice(-FOLDED_REPLIES + 1) : replies;
    const unfold = () => {
      this.wide.add(id);
      this.desk.redraw();
    };
    return h(
      "section",
      { class: "topic", key: `topic-${id}`, "aria-label": say("inTopic") },
      this.message(root, false),
      h(
        "div",
        { class: "topic-replies" },
        folded &&
          h(
            "button",
            { type: "button", class: "topic-more", on: { click: unfold } },
            icon("down"),
            count(replies.length - shown.length),
          ),
        shown.map((reply, i) => this.message(reply, this.follows(shown[i - 1], reply))),
      ),
      h(
        "button",
        { type: "button", class: "topic-reply", on: { click: () => this.desk.reply(root) } },
        icon("topic"),
        say("replyTopic"),
      ),
    );
  }
}

function count(n) {
  return n === 1 ? say("oneReply") : say("replies", { n });
}

/** Put each topic where its first message stands; in a topic group every message outside one begins one. */
function entriesOf(messages, chat) {
  const topics = new Map();
  const entries = [];
  const known = new Map(messages.map((message) => [message.message_id, message]));
  for (const message of messages) {
    const root = known.get(message.root_id ?? "");
    const id = message.thread_id ?? (chat?.type === "topic" ? (root?.message_id ?? message.message_id) : null);
    const topic = topics.get(id) ?? topics.get(root?.message_id);
    if (id === null) entries.push({ root: message });
    else if (topic) topic.replies.push(message);
    else openTopic(entries, topics, { root: message.thread_id && root ? root : message, message, id });
  }
  return entries;
}

function openTopic(entries, topics, { root, message, id }) {
  const place = entries.findIndex((entry) => entry.root === root);
  const topic = { root, id, replies: root === message ? [] : [message] };
  topics.set(id, topic);
  topics.set(root.message_id, topic);
  if (place >= 0) entries[place] = topic;
  else entries.push(topic);
}
