/** Slack's page: channels, threads, and what a person's acts do there. */

import { Desk } from "./desk.js";
import { h, patch } from "./dom.js";
import { valuesIn } from "./interactive.js";
import { plainText, typedOf } from "./mrkdwn.js";
import { ask, toast } from "./overlay.js";
import { isReply, slack } from "./platform.js";
import { drawSidebar } from "./sidebar.js";
import { SlackComposer } from "./slack_composer.js";
import { ChannelLog, ThreadLog, drawThread } from "./thread.js";
import { act, click, send, upload } from "./wire.js";
import { say } from "./words.js";
import { chatSign, drawChannels } from "./workspace.js";

/** What a session's status says while the app works; the client has its own words for it. */
const PROCESSING = "processing";
/** What a person is told when the app did not acknowledge in time. */
const TIMEOUT = "operation_timeout";

class SlackDesk extends Desk {
  constructor(root) {
    super(root, slack);
    this.statuses = [];
    this.editing = null;
    this.thread = "";
    this.commands = [];
    this.log = new ChannelLog(this);
    this.composer = new SlackComposer(this);
    this.threadLog = new ThreadLog(this);
    this.threadComposer = new SlackComposer(this, "thread");
    this.names = {
      nameOf: (id) => this.store.nameOf(id),
      channelOf: (id) => this.store.chats.find((chat) => chat.id === id)?.name ?? "",
    };
  }

  take(state) {
    this.statuses = state.statuses ?? [];
    this.commands = state.commands ?? state.bots.map((bot) => `/${bot.name.toLowerCase()}`);
    super.take(state);
  }

  receive(event) {
    if (event.kind === "statuses") this.takeStatuses(event.statuses);
    else if (event.kind === "message") this.takeMessage(event);
    else super.receive(event.text === TIMEOUT ? { ...event, text: say("timeout") } : event);
  }

  takeStatuses(statuses) {
    this.statuses = statuses;
    this.redraw();
  }

  /** In the app's own chat an answer opens its thread, as the platform's agent view does. */
  takeMessage(event) {
    const isNew = !this.store.messages.has(event.message.id);
    super.receive(event);
    const { message } = event;
    const root = this.store.messages.get(`${message.chat_id}/${message.thread_ts}`);
    const isAnswer = isNew && isReply(message) && message.sender.type === "bot" && root?.sender.id === this.store.me;
    if (isAnswer && this.store.chat?.direct && message.chat_id === this.store.chatId) this.openThread(root, false);
  }

  get threadRoot() {
    const root = this.store.messages.get(this.thread);
    return root?.chat_id === this.store.chatId ? root : null;
  }

  openThread(message, takesFocus = true) {
    this.thread = message.id;
    this.threadLog.atEnd = true;
    this.draw();
    if (takesFocus) this.threadComposer.focus();
  }

  closeThread() {
    const [channel, ts] = this.thread.split("/");
    this.thread = "";
    this.draw();
    if (channel) this.root.querySelector(`[data-ts="${ts}"] .thread-line`)?.focus();
  }

  /** Write a message again, in the box of the place where it stands. */
  edit(message, inPane) {
    this.editing = { message, inPane };
    const composer = inPane ? this.threadComposer : this.composer;
    this.draw();
    composer.write(typedOf(message.text, this.names));
    composer.focus();
  }

  stopEditing() {
    const composer = this.editing.inPane ? this.threadComposer : this.composer;
    this.editing = null;
    composer.write("");
    this.redraw();
  }

  async remove(message) {
    if (!(await ask(say("delete"), say("asksDelete"), { yes: say("delete") }))) return;
    await this.tried(act("delete", { message_id: message.id, as: this.store.me }));
  }

  async react(message, name, removed) {
    await this.tried(act("react", { message_id: message.id, as: this.store.me, name, removed }));
  }

  repliesTo(message) {
    return this.store
      .messagesOf(message.chat_id)
      .filter((one) => one.thread_ts === message.ts && one.ts !== message.ts);
  }

  statusOf(chatId, threadTs) {
    return this.statuses.find((one) => one.chat_id === chatId && (one.thread_ts ?? "") === threadTs && one.status);
  }

  statusWords(status) {
    const app = this.store.botsOf(this.store.chat)[0]?.name ?? "";
    const words = status.status === PROCESSING ? say("processing") : status.status;
    return `${app} ${status.loading?.[0] ?? words}`;
  }

  drawStatus(chatId, threadTs) {
    const status = this.statusOf(chatId, threadTs);
    return status && h("div", { class: "status-line", key: "status", role: "status" }, this.statusWords(status));
  }

  /** The newest answer that is still being written: in the open thread, or in a direct chat while no thread is open. */
  processing(inThread) {
    const live = this.shownIn(inThread).findLast((message) => message.live);
    if (live) return { chat_id: live.chat_id, thread_ts: live.thread_ts ?? live.ts };
    const root = inThread && this.threadRoot;
    const isBusy = root && this.statusOf(root.chat_id, root.ts)?.status === PROCESSING;
    return isBusy ? { chat_id: root.chat_id, thread_ts: root.ts } : null;
  }

  shownIn(inThread) {
    const root = this.threadRoot;
    if (inThread) return root ? this.repliesTo(root) : [];
    return this.store.chat?.direct && !root ? this.store.messagesOf(this.store.chatId) : [];
  }

  draw() {
    if (!this.threadRoot) this.thread = "";
    if (this.editing && this.editing.message.chat_id !== this.store.chatId) this.editing = null;
    patch(this.root, [
      drawSidebar(this.store, { title: say("workspace"), list: drawChannels }),
      h("div", { class: "backdrop", on: { click: () => this.store.set({ drawer: false }) } }),
      this.drawMain(),
      this.thread && drawThread(this),
    ]);
    this.root.classList.toggle("with-thread", Boolean(this.thread));
    this.settleDrawer();
    for (const part of [this.log, this.composer, this.thread && this.threadLog, this.thread && this.threadComposer])
      if (part) part.settle();
  }

  drawSign(chat, store) {
    return chatSign(chat, store);
  }

  async send(text, inThread) {
    if (this.editing?.inPane === inThread) return this.rewrite(text);
    const command = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/i.exec(text);
    const place = { chat_id: this.store.chatId, as: this.store.me };
    if (command) return this.command(place, `/${command[1]}`, command[2] ?? "", inThread);
    (inThread ? this.threadLog : this.log).toEnd();
    const root = inThread ? { thread_ts: this.threadRoot.ts } : {};
    return (await this.tried(send({ ...place, text, ...root }))) !== null;
  }

  async rewrite(text) {
    const { message } = this.editing;
    this.stopEditing();
    return (await this.tried(act("edit", { message_id: message.id, as: this.store.me, text }))) !== null;
  }

  async command(place, command, text, inThread) {
    if (inThread) {
      toast("warning", say("noCommandInThread", { command }));
      return false;
    }
    this.log.toEnd();
    return (await this.tried(act("command", { ...place, command, text }))) !== null;
  }

  async stop(live) {
    await this.tried(act("stop", { as: this.store.me, ...live }));
  }

  async attach(file, inThread) {
    const root = inThread ? { thread_ts: this.threadRoot.ts } : {};
    (inThread ? this.threadLog : this.log).toEnd();
    await this.tried(upload(file, { chat_id: this.store.chatId, as: this.store.me, ...root }));
  }

  async press({ message, key, node, element, confirm, ...order }) {
    if (
      confirm &&
      !(await ask(plainText(confirm.title), plainText(confirm.text), {
        yes: plainText(confirm.confirm) || say("confirm"),
        no: plainText(confirm.deny) || say("cancel"),
      }))
    )
      return;
    const form = node.closest("article");
    const missed = [...form.querySelectorAll("[data-action]")].find(
      (field) => element.style === "primary" && !field.checkValidity(),
    );
    if (missed) {
      missed.reportValidity();
      return;
    }
    const local = this.localOf(message.id);
    local.pending.add(key);
    this.touch(message.id);
    const body = {
      message_id: message.id,
      as: this.store.me,
      action_id: element.action_id,
      state: valuesIn(form),
      ...order,
    };
    await this.tried(click(body));
    local.pending.delete(key);
    this.touch(message.id);
  }
}

new SlackDesk(document.getElementById("app")).start();
