/** Where a person writes: Enter sends, "@" offers names. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

const CALL = /(^|[\s，。,(（])@([^\s@]{0,20})$/;

/** The writing box of the open chat. */
export class Composer {
  constructor(desk) {
    this.desk = desk;
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
    const label = say(chat.direct ? "placeholder" : "placeholderGroup", { chat: chat.name, name: store.nameOf(store.me) });
    return h(
      "form",
      {
        class: "composer",
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
          "aria-controls": "mention-list",
          enterkeyhint: "send",
          "aria-activedescendant": this.offers.length ? `mention-${this.pick}` : null,
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
        h("button", { type: "submit", class: "send", "aria-label": say("send"), title: say("sendHint") }, icon("send")),
      ),
      h("div", { class: "composer-hint", key: "hint" }, say("sendHint")),
    );
  }

  /** A file goes to direct chats: in groups the bot hears only what mentions it. */
  drawAttach() {
    if (!this.desk.store.chat.direct) return null;
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
            if (file) this.desk.attach(file);
          },
        },
      }),
    );
  }

  /** What stands above the box: the message that is being replied to. */
  drawAbove(store) {
    if (!store.replyTo) return null;
    const name = store.replyTo.sender.name || store.nameOf(store.replyTo.sender.id);
    return this.drawReply(store, "reply", say("replyingTo", { name }));
  }

  drawReply(store, sign, words) {
    return h(
      "div",
      { class: "replying" },
      icon(sign),
      h("span", { class: "replying-line" }, `${words}: ${store.lineOf(store.replyTo)}`),
      h(
        "button",
        {
          type: "button",
          class: "icon-button small",
          "aria-label": say("cancel"),
          on: { click: () => store.set({ replyTo: null }) },
        },
        icon("close"),
      ),
    );
  }

  drawOffers() {
    return h(
      "ul",
      { class: "offers", id: "mention-list", role: "listbox", "aria-label": say("mentions") },
      this.offers.map((one, i) =>
        h(
          "li",
          {
            key: one.name,
            id: `mention-${i}`,
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
          icon(one.bot ? "robot" : "person"),
          h("span", null, one.name),
          one.bot && h("span", { class: "bot-mark" }, say("bot")),
        ),
      ),
    );
  }

  /** After each redraw: a chat's draft comes back when the chat does. */
  settle() {
    const { chatId } = this.desk.store;
    if (!this.node || chatId === this.shownFor) return;
    this.shownFor = chatId;
    this.write(this.drafts.get(chatId) ?? "");
  }

  focus() {
    this.node?.focus();
  }

  write(text) {
    this.node.value = text;
    this.drafts.set(this.desk.store.chatId, text);
    this.grow();
  }

  grow() {
    this.node.style.height = "auto";
    this.node.style.height = `${Math.min(this.node.scrollHeight, 160)}px`;
  }

  typed() {
    this.drafts.set(this.desk.store.chatId, this.node.value);
    this.grow();
    const call = CALL.exec(this.node.value.slice(0, this.node.selectionStart));
    this.offer(call ? this.namesLike(call[2].toLowerCase()) : []);
  }

  namesLike(start) {
    const { store } = this.desk;
    const bots = store.botsOf(store.chat).map((bot) => ({ name: bot.name, bot: true }));
    const people = store.people.filter(
      (person) => person.id !== store.me && store.chat.members.includes(person.id),
    );
    return [...bots, ...people].filter((one) => one.name.toLowerCase().startsWith(start));
  }

  offer(offers) {
    if (!offers.length && !this.offers.length) return;
    this.offers = offers;
    this.pick = 0;
    this.desk.redraw();
  }

  take(place) {
    const at = this.node.selectionStart;
    const before = this.node.value.slice(0, at).replace(/@[^\s@]*$/, `@${this.offers[place].name} `);
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
    if (!(await this.desk.send(text))) this.write(text);
  }
}
