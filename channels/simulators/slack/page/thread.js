/** The thread pane on the right: a message, its replies, and a box to answer in. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { Log } from "./log.js";
import { drawMessage } from "./message.js";
import { isReply } from "./platform.js";
import { say } from "./words.js";

/** The channel: replies stand in their threads. */
export class ChannelLog extends Log {
  constructor(desk) {
    super(desk, (message, owner, joined) => drawMessage(message, owner, joined, false));
  }

  messages() {
    return super.messages().filter((message) => !isReply(message));
  }

  follows(previous, message) {
    return (
      super.follows(previous, message) &&
      !previous.ephemeral_to &&
      !message.ephemeral_to &&
      !this.desk.repliesTo(previous).length
    );
  }

  stamp(message, joined) {
    const { desk } = this;
    const replies = desk.repliesTo(message);
    const status = desk.statusOf(message.chat_id, message.ts);
    return [
      ...super.stamp(message, joined),
      replies.length,
      replies.at(-1),
      replies.some((one) => one.live),
      JSON.stringify(status),
    ];
  }

  rows(messages) {
    return [...super.rows(messages), this.desk.drawStatus(this.desk.store.chatId, "")];
  }
}

/** One thread: its first message and everything said in reply. */
export class ThreadLog extends Log {
  constructor(desk) {
    super(desk, (message, owner, joined) => drawMessage(message, owner, joined, true));
  }

  get key() {
    return this.desk.thread;
  }

  messages() {
    const root = this.desk.threadRoot;
    return root ? [root, ...this.desk.repliesTo(root)] : [];
  }

  rows(messages) {
    const { desk } = this;
    const [root, ...replies] = super.rows(messages).filter((row) => row.attrs.class !== "day");
    const count = replies.length === 1 ? say("oneReply") : say("replies", { n: replies.length });
    const rule = replies.length > 0 && h("div", { class: "thread-rule", key: "rule" }, h("span", null, count));
    return [root, rule, replies, desk.drawStatus(desk.store.chatId, desk.threadRoot.ts)];
  }

  follows(previous, message) {
    return previous !== this.desk.threadRoot && super.follows(previous, message);
  }
}

/** Draw the pane. */
export function drawThread(desk) {
  const { store, threadLog, threadComposer } = desk;
  return h(
    "aside",
    {
      class: "thread",
      key: "thread",
      "aria-label": say("thread"),
      on: { keydown: (event) => event.key === "Escape" && !event.defaultPrevented && desk.closeThread() },
    },
    h(
      "header",
      { class: "main-head" },
      h(
        "div",
        { class: "main-words" },
        h("h2", null, say("thread")),
        h("div", { class: "main-sub" }, store.chat?.direct ? store.chat.name : `# ${store.chat?.name}`),
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon-button thread-close",
          "aria-label": say("closeThread"),
          on: { click: () => desk.closeThread() },
        },
        icon("close"),
      ),
    ),
    threadLog.draw(),
    threadComposer.draw(),
  );
}
