/** Puts the page together: one store, one drawing per frame, and what a person's acts do. */

import { CardLocal } from "./card.js";
import { textOf } from "./card_tree.js";
import { Composer } from "./composer.js";
import { h, patch } from "./dom.js";
import { icon } from "./icons.js";
import { Log } from "./log.js";
import { ask, toast } from "./overlay.js";
import { chatAvatar, drawSidebar } from "./sidebar.js";
import { Store } from "./store.js";
import { Typist } from "./typing.js";
import { click, fetchState, follow, isPicture, recall, send, upload } from "./wire.js";
import { say } from "./words.js";

class Desk {
  constructor(root) {
    this.root = root;
    this.store = new Store(() => this.redraw());
    this.typist = new Typist((key) => this.touch(key.slice(0, key.indexOf("/"))));
    this.locals = new Map();
    this.log = new Log(this);
    this.composer = new Composer(this);
    this.waiting = false;
    this.shownChat = "";
  }

  start() {
    document.addEventListener(
      "keydown",
      (event) => event.key === "Escape" && this.store.drawer && this.store.set({ drawer: false }),
    );
    follow({
      onOpen: () => this.reload(),
      onLost: () => this.store.set({ online: false }),
      onEvent: (event) => this.receive(event),
    });
  }

  async reload() {
    this.store.load(await fetchState());
  }

  receive(event) {
    if (event.kind !== "toast") this.store.apply(event);
    else if (event.open_id === this.store.me) toast(event.tone, event.text);
  }

  /** Draw once per frame, however many changes there were. */
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    const soon = document.hidden ? (draw) => setTimeout(draw, 50) : requestAnimationFrame;
    soon(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    if (this.store.chatId !== this.shownChat) this.typist.clear();
    this.shownChat = this.store.chatId;
    patch(this.root, [
      drawSidebar(this.store),
      h("div", { class: "backdrop", on: { click: () => this.store.set({ drawer: false }) } }),
      this.drawMain(),
    ]);
    this.settleDrawer();
    this.log.settle();
    this.composer.settle();
  }

  /** Focus goes into the drawer with it, and back to its button. */
  settleDrawer() {
    const { drawer } = this.store;
    if (this.root.classList.contains("drawer-open") === drawer) return;
    this.root.classList.toggle("drawer-open", drawer);
    this.root.querySelector(drawer ? ".chat-current" : ".drawer-button")?.focus();
  }

  drawMain() {
    const { store } = this;
    return h(
      "main",
      { class: "main" },
      this.drawHead(store),
      !store.online &&
        this.store.chats.length > 0 &&
        h("div", { class: "offline", key: "offline", role: "status" }, say("offline")),
      this.log.draw(),
      this.composer.draw(),
    );
  }

  drawHead(store) {
    const { chat } = store;
    return h(
      "header",
      { class: "main-head" },
      h(
        "button",
        {
          type: "button",
          class: "icon-button drawer-button",
          "aria-label": say("openChats"),
          "aria-expanded": String(store.drawer),
          "aria-controls": "sidebar",
          on: { click: () => store.set({ drawer: true }) },
        },
        icon("menu"),
      ),
      chat && chatAvatar(chat, store),
      chat &&
        h(
          "div",
          { class: "main-words" },
          h("h2", null, chat.name),
          h("div", { class: "main-sub" }, subtitle(chat, store)),
        ),
    );
  }

  localOf(id) {
    if (!this.locals.has(id)) this.locals.set(id, new CardLocal());
    return this.locals.get(id);
  }

  touch(id) {
    this.localOf(id).revision += 1;
    this.redraw();
  }

  reply(message) {
    this.store.set({ replyTo: message });
    this.composer.focus();
  }

  suggest(text) {
    this.composer.write(text);
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

  /** Wait for an answer of the simulator; null and a toast when it cannot be reached. */
  async tried(promise) {
    try {
      return await promise;
    } catch (error) {
      toast("error", say("notSent"));
      console.warn(error);
      return null;
    }
  }
}

function subtitle(chat, store) {
  const bots = store.botsOf(chat);
  const state = bots.map((bot) =>
    h(
      "span",
      { class: "bot-state", key: bot.app_id },
      h("span", { class: `dot ${bot.connections > 0 ? "dot-on" : "dot-off"}` }),
      `${bot.name} · ${say(bot.connections > 0 ? "connected" : "disconnected")}`,
    ),
  );
  if (chat.type === "p2p") return state;
  return [
    h("span", null, chat.type === "topic" ? say("topicGroup") : say("members", { n: chat.members.length })),
    state,
  ];
}

new Desk(document.getElementById("app")).start();
