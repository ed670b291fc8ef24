/** Feishu's page: what a person's acts do there. */

import { textOf } from "./card_tree.js";
import { Desk } from "./desk.js";
import { ask, toast } from "./overlay.js";
import { feishu } from "./platform.js";
import { TopicComposer } from "./topic_composer.js";
import { TopicLog } from "./topic_log.js";
import { Typist } from "./typing.js";
import { click, isPicture, recall, send, upload } from "./wire.js";
import { say } from "./words.js";

class FeishuDesk extends Desk {
  constructor(root) {
    super(root, feishu);
    this.typist = new Typist((key) => this.touch(key.slice(0, key.indexOf("/"))));
    this.log = new TopicLog(this);
    this.composer = new TopicComposer(this);
    this.shownChat = "";
  }

  draw() {
    if (this.store.chatId !== this.shownChat) this.typist.clear();
    this.shownChat = this.store.chatId;
    super.draw();
  }

  kindOf(chat) {
    return chat.type === "topic" ? say("topicGroup") : super.kindOf(chat);
  }

  reply(message) {
    this.store.set({ replyTo: message });
    this.composer.focus();
  }

  async recall(message) {
    await this.tried(recall(message.message_id));
  }

  async send(text) {
    const { store } = this;
    const body = { chat_id: store.chatId, as: store.me, text };
    if (store.replyTo)
      Object.assign(
        body,
        { reply_to: store.replyTo.message_id },
        store.replyTo.thread_id && { thread_id: store.replyTo.thread_id },
      );
    store.set({ replyTo: null });
    this.log.toEnd();
    return (await this.tried(send(body))) !== null;
  }

  /** Send a file as a message of its own, as people do: its words follow. */
  async attach(file) {
    const kept = await this.tried(upload(file));
    if (kept === null) return;
    const content = isPicture(file) ? { image_key: kept.key } : { file_key: kept.key, file_name: file.name };
    const { store } = this;
    const body = { chat_id: store.chatId, as: store.me, msg_type: isPicture(file) ? "image" : "file", content };
    this.log.toEnd();
    await this.tried(send(body));
  }

  async press({ message, key, confirm, ...order }) {
    if (confirm && !(await ask(textOf(confirm.title), textOf(confirm.text)))) return;
    const local = this.localOf(message.message_id);
    local.pending.add(key);
    this.touch(message.message_id);
    const answer = await this.tried(click({ message_id: message.message_id, as: this.store.me, ...order }));
    local.pending.delete(key);
    this.touch(message.message_id);
    if (answer?.toast) toast(answer.toast.type, answer.toast.content);
    else if (answer?.code)
      toast("error", say({ 200341: "timeout", 404: "gone" }[answer.code] ?? "failed", { code: answer.code }));
  }
}

new FeishuDesk(document.getElementById("app")).start();
