/** The open chat's messages: by day, topics together, and the scroll position a reader wants. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { drawMessage } from "./message.js";
import { day, say } from "./words.js";

const JOIN_MS = 180_000;
const FOLDED_REPLIES = 3;
const NEAR_END_PX = 60;

/** Remembers what it drew, so that only changed messages are described again. */
export class Log {
  constructor(desk) {
    this.desk = desk;
    this.drawn = new Map();
    this.wide = new Set();
    this.node = null;
    this.atEnd = true;
    this.held = 0;
  }

  draw() {
    const { store } = this.desk;
    const messages = store.messagesOf(store.chatId);
    const rows = messages.length ? this.rows(messages) : [this.welcome()];
    return h(
      "div",
      { class: "log-frame", key: "log" },
      h(
        "div",
        {
          class: "log",
          role: "log",
          "aria-label": say("log"),
          "aria-live": "polite",
          tabindex: "0",
          key: store.chatId,
          mount: (node) => this.adopt(node),
          on: {
            scroll: () => this.scrolled(),
            fold: () => {
              this.atEnd = false;
            },
          },
        },
        h("div", { class: "log-rows" }, rows),
      ),
      !this.atEnd &&
        messages.length > 0 &&
        h(
          "button",
          { type: "button", class: "to-latest", on: { click: () => this.toEnd() } },
          icon("down"),
          say("latest"),
        ),
    );
  }

  adopt(node) {
    this.node = node;
    this.atEnd = true;
    new ResizeObserver(() => this.settle()).observe(node);
    new ResizeObserver(() => this.settle()).observe(node.firstChild);
  }

  scrolled() {
    const before = this.atEnd;
    this.atEnd = this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < NEAR_END_PX;
    if (before !== this.atEnd) this.desk.redraw();
  }

  /** Keep the end in view, where the reader is there. */
  settle() {
    if (this.atEnd && this.node) this.node.scrollTop = this.node.scrollHeight;
  }

  toEnd() {
    this.atEnd = true;
    this.settle();
    this.desk.redraw();
  }

  rows(messages) {
    const { store } = this.desk;
    const rows = [];
    let heading = "";
    let previous = null;
    for (const entry of entriesOf(messages, store.chat)) {
      const title = day(entry.root.create_time_ms, store.nowMs);
      if (title !== heading) rows.push(h("div", { class: "day", key: `day-${title}` }, h("span", null, title)));
      const joined = title === heading && !entry.replies && follows(previous, entry.root);
      heading = title;
      rows.push(entry.replies ? this.topic(entry) : this.message(entry.root, joined));
      previous = entry.replies ? null : entry.root;
    }
    return rows;
  }

  message(message, joined) {
    const { store } = this.desk;
    const local = this.desk.localOf(message.message_id);
    const parent = store.messages.get(message.parent_id ?? "");
    const bot = store.bot(message.sender.id)?.connections;
    const stamp = [message, local.revision, store.me, joined, parent, bot, store.chatId];
    const known = this.drawn.get(message.message_id);
    if (known && known.stamp.every((one, i) => one === stamp[i])) return known.node;
    const node = this.drawSafely(message, joined);
    this.drawn.set(message.message_id, { stamp, node });
    return node;
  }

  /** One card the page cannot draw must not take the chat with it. */
  drawSafely(message, joined) {
    try {
      return drawMessage(message, this.desk, joined);
    } catch (error) {
      console.error(`message ${message.message_id} cannot be drawn`, error);
      return drawMessage({ ...message, card: null }, this.desk, joined);
    }
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
        shown.map((reply, i) => this.message(reply, follows(shown[i - 1], reply))),
      ),
      h(
        "button",
        { type: "button", class: "topic-reply", on: { click: () => this.desk.reply(root) } },
        icon("topic"),
        say("replyTopic"),
      ),
    );
  }

  welcome() {
    const { store } = this.desk;
    const bot = store.chat ? (store.botsOf(store.chat)[0]?.name ?? "niuma") : "niuma";
    const call = store.chat?.type === "p2p" ? "" : `@${bot} `;
    return h(
      "div",
      { class: "welcome", key: "welcome" },
      h("div", { class: "welcome-sign", "aria-hidden": "true" }, icon("robot")),
      h("h2", null, say("emptyTitle", { bot })),
      h("p", null, say("emptyText")),
      h(
        "div",
        { class: "welcome-tries" },
        ["try1", "try2", "try3"].map((key) =>
          h(
            "button",
            { type: "button", class: "try", on: { click: () => this.desk.suggest(call + say(key)) } },
            call + say(key),
          ),
        ),
      ),
    );
  }
}

function count(n) {
  return n === 1 ? say("oneReply") : say("replies", { n });
}

function follows(previous, message) {
  return (
    Boolean(previous) &&
    !previous.recalled &&
    !message.recalled &&
    previous.sender.id === message.sender.id &&
    message.create_time_ms - previous.create_time_ms < JOIN_MS &&
    !message.card &&
    !previous.card
  );
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
