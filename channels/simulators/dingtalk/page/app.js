/** DingTalk's page: what a person's acts do there. */

import { fileAddress } from "./contents.js";
import { Desk } from "./desk.js";
import { h } from "./dom.js";
import { Composer } from "./composer.js";
import { dingLink } from "./links.js";
import { Log } from "./log.js";
import { drawMessage } from "./message.js";
import { toast } from "./overlay.js";
import { dingtalk } from "./platform.js";
import { act, click, isPicture, recall, send, upload } from "./wire.js";
import { say } from "./words.js";

/** Robots hear pictures in groups too. */
class DingComposer extends Composer {
  drawAbove(store) {
    const bot = store.botsOf(store.chat).find((each) => each.connections === 0);
    const notice =
      bot &&
      h(
        "div",
        { class: "offline-robot", key: "offline-robot", role: "status" },
        say("offlineRobot", { bot: bot.name }),
      );
    return [notice, super.drawAbove(store)];
  }
}

class DingDesk extends Desk {
  constructor(root) {
    super(root, dingtalk);
    this.log = new Log(this, drawMessage);
    this.composer = new DingComposer(this);
    this.follow = (url) => this.tried(act("link", { chat_id: this.store.chatId, as: this.store.me, url }));
    this.views = {
      nameOf: (id) => this.store.nameOf(id),
      imageOf: (key) => (key.startsWith("@") ? fileAddress(key) : null),
      linkOf: (url) => dingLink(url, this.follow),
    };
  }

  reply(message) {
    this.store.set({ replyTo: message });
    this.composer.focus();
  }

  async recall(message) {
    await this.tried(recall(message.id));
  }

  get place() {
    return { chat_id: this.store.chatId, as: this.store.me };
  }

  async send(text) {
    const { replyTo } = this.store;
    this.store.set({ replyTo: null });
    this.log.toEnd();
    return (await this.tried(send({ ...this.place, text, ...(replyTo && { quote: replyTo.id }) }))) !== null;
  }

  /** Send a file as a message of its own, as people do: its words follow. */
  async attach(file) {
    const kept = await this.tried(upload(file));
    if (kept === null) return;
    this.log.toEnd();
    await this.tried(send({ ...this.place, msg_type: isPicture(file) ? "picture" : "file", file: kept.id }));
  }

  async press(message, button) {
    const local = this.localOf(message.id);
    local.pending.add(button.id);
    this.touch(message.id);
    const answer = await this.tried(click({ message_id: message.id, as: this.store.me, button_id: button.id }));
    local.pending.delete(button.id);
    this.touch(message.id);
    if (answer && !answer.ok) toast(answer.reason === "timeout" ? "warning" : "error", say(answer.reason));
  }
}

new DingDesk(document.getElementById("app")).start();
