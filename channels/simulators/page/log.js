/** Messages of a chat by day, and the scroll position a reader wants. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { day, say } from "./words.js";

const JOIN_MS = 180_000;
const NEAR_END_PX = 60;
const UNDRAWN = { card: null, blocks: null, chunks: null };

/** Remembers what it drew, so that only changed messages are described again. */
export class Log {
  /** `drawMessage(message, desk, joined)` is the platform's look of one message. */
  constructor(desk, drawMessage) {
    this.desk = desk;
    this.drawMessage = drawMessage;
    this.drawn = new Map();
    this.node = null;
    this.atEnd = true;
    this.held = 0;
  }

  /** What is shown; a platform leaves out what stands elsewhere. */
  messages() {
    return this.desk.store.messagesOf(this.desk.store.chatId);
  }

  /** Another key is another scroll position. */
  get key() {
    return this.desk.store.chatId;
  }

  draw() {
    const messages = this.messages();
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
          key: this.key,
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
    for (const entry of this.entries(messages)) {
      const title = day(entry.root.create_time_ms, store.nowMs);
      if (title !== heading) rows.push(h("div", { class: "day", key: `day-${title}` }, h("span", null, title)));
      const joined = title === heading && !entry.replies && this.follows(previous, entry.root);
      heading = title;
      rows.push(this.entry(entry, joined));
      previous = entry.replies ? null : entry.root;
    }
    return rows;
  }

  /** What stands in the log by itself: each message, unless a platform puts some together (`{root, replies}`). */
  entries(messages) {
    return messages.map((root) => ({ root }));
  }

  entry({ root }, joined) {
    return this.message(root, joined);
  }

  /** Whether a message is shown without picture and name, because the one before is by the same sender. */
  follows(previous, message) {
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

  message(message, joined) {
    const stamp = this.stamp(message, joined);
    const known = this.drawn.get(message.id);
    if (known && known.stamp.every((one, i) => one === stamp[i])) return known.node;
    const node = this.drawSafely(message, joined);
    this.drawn.set(message.id, { stamp, node });
    return node;
  }

  /** Everything a message's look depends on. */
  stamp(message, joined) {
    const { store } = this.desk;
    const local = this.desk.localOf(message.id);
    const parent = store.messages.get(message.parent_id ?? "");
    const bot = store.bot(message.sender.id)?.connections;
    return [message, local.revision, store.me, joined, parent, bot, store.chatId];
  }

  /** One card the page cannot draw must not take the chat with it. */
  drawSafely(message, joined) {
    try {
      return this.drawMessage(message, this.desk, joined);
    } catch (error) {
      console.error(`message ${message.id} cannot be drawn`, error);
      return this.drawMessage({ ...message, ...UNDRAWN }, this.desk, joined);
    }
  }

  welcome() {
    const { store } = this.desk;
    const bot = store.chat ? (store.botsOf(store.chat)[0]?.name ?? "niuma") : "niuma";
    const call = store.chat?.direct ? "" : `@${bot} `;
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
