/** The page of one platform: one store, one drawing per frame, and what happens around a message. */

import { h, patch } from "./dom.js";
import { icon } from "./icons.js";
import { Local } from "./local.js";
import { toast } from "./overlay.js";
import { chatAvatar, drawSidebar } from "./sidebar.js";
import { Store } from "./store.js";
import { Refused, fetchState, follow } from "./wire.js";
import { say } from "./words.js";

/** What every platform's page does; a platform gives `this.log` and `this.composer` and what a person's acts do. */
export class Desk {
  constructor(root, platform) {
    this.root = root;
    this.store = new Store(() => this.redraw(), platform);
    this.locals = new Map();
    this.waiting = false;
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
    this.take(await fetchState());
  }

  take(state) {
    this.store.load(state);
  }

  receive(event) {
    if (event.kind !== "toast") this.store.apply(event);
    else if (this.isForMe(event)) toast(event.tone, event.text);
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
    patch(this.root, [
      this.drawSidebar(),
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
        store.chats.length > 0 &&
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
      chat && this.drawSign(chat, store),
      chat &&
        h(
          "div",
          { class: "main-words" },
          h("h2", null, chat.name),
          h("div", { class: "main-sub" }, this.subtitle(chat, store)),
        ),
    );
  }

  drawSign(chat, store) {
    return chatAvatar(chat, store);
  }

  drawSidebar() {
    return drawSidebar(this.store);
  }

  /** What stands under a chat's name: its size and how its bots are connected. */
  subtitle(chat, store) {
    const states = store.botsOf(chat).map(botState);
    return chat.direct ? states : [h("span", null, this.kindOf(chat)), states];
  }

  kindOf(chat) {
    return say("members", { n: chat.members.length });
  }

  isForMe(event) {
    return event.open_id === this.store.me;
  }

  localOf(id) {
    if (!this.locals.has(id)) this.locals.set(id, new Local());
    return this.locals.get(id);
  }

  touch(id) {
    this.localOf(id).revision += 1;
    this.redraw();
  }

  suggest(text) {
    this.composer.write(text);
    this.composer.focus();
  }

  /** Wait for an answer of the simulator; null and a toast when it refuses or cannot be reached. */
  async tried(promise) {
    try {
      return await promise;
    } catch (error) {
      toast("error", error instanceof Refused ? error.message : say("notSent"));
      console.warn(error);
      return null;
    }
  }
}

function botState(bot) {
  const isOn = bot.connections > 0;
  return h(
    "span",
    { class: "bot-state", key: bot.app_id },
    h("span", { class: `dot ${isOn ? "dot-on" : "dot-off"}` }),
    `${bot.name} · ${say(isOn ? "connected" : "disconnected")}`,
  );
}
