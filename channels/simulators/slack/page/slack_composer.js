/** Slack's composer: slash commands, files everywhere, and Stop while an answer is being written. */

import { Composer } from "./composer.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

const COMMAND = /^\/(\S*)$/;

/** The box of a channel, or of the thread pane. */
export class SlackComposer extends Composer {
  get inThread() {
    return this.name === "thread";
  }

  get place() {
    return this.inThread ? this.desk.thread : super.place;
  }

  label(store) {
    return this.inThread ? say("replyPlaceholder", { name: store.nameOf(store.me) }) : super.label(store);
  }

  drawAbove(store) {
    const { editing } = this.desk;
    if (editing?.inPane !== this.inThread) return null;
    return this.drawStrip("pencil", `${say("editing")}: ${store.lineOf(editing.message)}`, () =>
      this.desk.stopEditing(),
    );
  }

  key(event) {
    if (event.key !== "Escape" || this.offers.length || !this.desk.editing) {
      super.key(event);
      return;
    }
    event.preventDefault();
    this.desk.stopEditing();
  }

  /** Files go everywhere: a person's words and file are one message there. */
  mayAttach() {
    return true;
  }

  offersFor(before) {
    const found = COMMAND.exec(before);
    if (!found) return super.offersFor(before);
    const commands = this.desk.commands.filter((one) => one.startsWith(`/${found[1]}`));
    return commands.map((one) => ({ name: one, insert: `${one} `, sign: "command", note: say("command") }));
  }

  drawSend() {
    const live = this.desk.processing(this.inThread);
    if (!live) return super.drawSend();
    const stop = () => this.desk.stop(live);
    return [
      h(
        "button",
        {
          type: "button",
          key: "stop",
          class: "send stop",
          "aria-label": say("stop"),
          title: say("stop"),
          on: { click: stop },
        },
        icon("stop"),
      ),
      super.drawSend(),
    ];
  }

  attach(file) {
    return this.desk.attach(file, this.inThread);
  }

  deliver(text) {
    return this.desk.send(text, this.inThread);
  }
}
