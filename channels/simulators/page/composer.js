/** Where a person writes: Enter sends, "@" offers names. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

const CALL = /(^|[\s，。,(（])@([^\s@]{0,20})$/;

/** The writing box of the open chat. A page may hold several; `name` tells them apart. */
export class Composer {
  constructor(desk, name = "main") {
    this.desk = desk;
    this.name = name;
    this.node = null;
    this.drafts = new Map();
    this.offers = [];
    this.pick = 0;
    this.shownFor = "";
  }

  draw() {
    const { store } = this.desk;
    const { chat } = store;
    if (!chat) return null;
    const label = this.label(store);
    return h(
      "form",
      {
        class: `composer composer-${this.name}`,
        on: {
          submit: (event) => {
            event.preventDefault();
            this.send();
          },
        },
      },
      this.drawAbove(store),
      h(
        "div",
        { class: "composer-box", key: "box" },
        this.offers.length > 0 && this.drawOffers(),
        h("textarea", {
          class: "composer-text",
          rows: 1,
          placeholder: label,
          "aria-label": label,
          role: "combobox",
          "aria-autocomplete": "list",
          "aria-expanded": String(this.offers.length > 0),
          "aria-controls": `offers-${this.name}`,
          enterkeyhint: "send",
          "aria-activedescendant": this.offers.length ? this.offerId(this.pick) : null,
          mount: (node) => {
            this.node = node;
          },
          on: {
            input: () => this.typed(),
            keydown: (event) => this.key(event),
            click: () => this.typed(),
            blur: () => this.offer([]),
          },
        }),
        this.drawAttach(),
        this.drawSend(),
      ),
      h("div", { class: "composer-hint", key: "hint" }, say("sendHint")),
    );
  }

  /** Where the words go: each place keeps its own draft. */
  get place() {
    return this.desk.store.chatId;
  }

  label(store) {
    const { chat } = store;
    return say(chat.direct ? "placeholder" : "placeholderGroup", { chat: chat.name, name: store.nameOf(store.me) });
  }

  offerId(place) {
    return `offer-${this.name}-${place}`;
  }

  drawSend() {
    return h(
      "button",
      { type: "submit", class: "send", "aria-label": say("send"), title: say("sendHint") },
      icon("send"),
    );
  }

  /** A file goes to direct chats: in groups the bot hears only what mentions it. */
  mayAttach() {
    return this.desk.store.chat.direct;
  }

  drawAttach() {
    if (!this.mayAttach()) return null;
    return h(
      "label",
      { class: "icon-button attach", title: say("attach") },
      icon("attach"),
      h("input", {
        type: "file",
        class: "attach-input",
        "aria-label": say("attach"),
        on: {
          change: (event) => {
            const [file] = event.target.files;
            event.target.value = "";
            if (file) this.attach(file);
          },
        },
      }),
    );
  }

  /** What stands above the box: the message that is being replied to. */
  drawAbove(store) {
    if (!store.replyTo) return null;
    const name = store.replyTo.sender.name || store.nameOf(store.replyTo.sender.id);
    return this.drawReply("reply", say("replyingTo", { name }));
  }

  drawReply(sign, words) {
    const { store } = this.desk;
    const line = `${words}: ${store.lineOf(store.replyTo)}`;
    return this.drawStrip(sign, line, () => store.set({ replyTo: null }));
  }

  /** One line above the box, with a button that takes it away. */
  drawStrip(sign, words, cancel) {
    return h(
      "div",
      { class: "replying" },
      icon(sign),
      h("span", { class: "replying-line" }, words),
      h(
        "button",
        { type: "button", class: "icon-button small", "aria-label": say("cancel"), on: { click: cancel } },
        icon("close"),
      ),
    );
  }

  drawOffers() {
    return h(
      "ul",
      { class: "offers", id: `offers-${this.name}`, role: "listbox", "aria-label": say("mentions") },
      this.offers.map((one, i) =>
        h(
          "li",
          {
            key: one.name,
            id: this.offerId(i),
            role: "option",
            "aria-selected": String(i === this.pick),
            class: i === this.pick ? "offer offer-on" : "offer",
            on: {
              mousedown: (event) => {
                event.preventDefault();
                this.take(i);
              },
            },
          },
          icon(one.sign),
          h("span", null, one.name),
          one.note && h("span", { class: "bot-mark" }, one.note),
        ),
      ),
    );
  }

  /** After each redraw: a chat's draft comes back when the chat does. */
  settle() {
    const { place } = this;
    if (!this.node || place === this.shownFor) return;
    this.shownFor = place;
    this.write(this.drafts.get(place) ?? "");
  }

  focus() {
    this.node?.focus();
  }

  write(text) {
    this.node.value = text;
    this.drafts.set(this.place, text);
    this.grow();
  }

  grow() {
    this.node.style.height = "auto";
    this.node.style.height = `${Math.min(this.node.scrollHeight, 160)}px`;
  }

  typed() {
    this.drafts.set(this.place, this.node.value);
    this.grow();
    this.offer(this.offersFor(this.node.value.slice(0, this.node.selectionStart)));
  }

  /** What may complete the words before the cursor. */
  offersFor(before) {
    const call = CALL.exec(before);
    return call ? this.namesLike(call[2].toLowerCase()) : [];
  }

  namesLike(start) {
    const { store } = this.desk;
    const bots = store.botsOf(store.chat).map(({ name }) => ({ name, sign: "robot", note: say("bot") }));
    const people = store.people
      .filter((person) => person.id !== store.me && store.chat.members.includes(person.id))
      .map(({ name }) => ({ name, sign: "person" }));
    const named = [...bots, ...people].filter((one) => one.name.toLowerCase().startsWith(start));
    return named.map((one) => ({ ...one, insert: `@${one.name} ` }));
  }

  offer(offers) {
    if (!offers.length && !this.offers.length) return;
    this.offers = offers;
    this.pick = 0;
    this.desk.redraw();
  }

  take(place) {
    const at = this.node.selectionStart;
    const before = this.node.value.slice(0, at).replace(/[@/][^\s@/]*$/, this.offers[place].insert);
    this.write(before + this.node.value.slice(at));
    this.node.setSelectionRange(before.length, before.length);
    this.offer([]);
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (this.offers.length && this.offerKey(event)) return;
    if (event.key === "Escape" && this.desk.store.replyTo) this.desk.store.set({ replyTo: null });
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.send();
  }

  offerKey(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) this.pick = (this.pick + moves[event.key] + this.offers.length) % this.offers.length;
    else if (event.key === "Enter" || event.key === "Tab") this.take(this.pick);
    else if (event.key === "Escape") this.offer([]);
    else return false;
    event.preventDefault();
    this.desk.redraw();
    return true;
  }

  async send() {
    const text = this.node.value.trim();
    if (!text) return;
    this.write("");
    if (!(await this.deliver(text))) this.write(text);
  }

  attach(file) {
    return this.desk.attach(file);
  }

  /** Send what was written; gives false where it must be kept for another try. */
  deliver(text) {
    return this.desk.send(text);
  }
}
