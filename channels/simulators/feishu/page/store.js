/** What the page knows: the simulator's state, who speaks, which chat is open, what is being replied to. */

const REMEMBER = "niuma.feishu.person";

/** The page's state; `changed()` is called after each change. */
export class Store {
  constructor(changed) {
    this.changed = changed;
    this.people = [];
    this.bots = [];
    this.chats = [];
    this.messages = new Map();
    this.offset = 0;
    this.me = "";
    this.chatId = "";
    this.replyTo = null;
    this.online = false;
    this.drawer = false;
    this.seen = new Map();
  }

  /** Take over a whole state. */
  load(state) {
    this.people = state.people;
    this.bots = state.bots;
    this.chats = state.chats;
    this.offset = state.now_ms - Date.now();
    this.messages = new Map(state.messages.map((message) => [message.message_id, this.keep(message)]));
    this.online = true;
    if (!this.person(this.me)) this.me = this.person(remembered())?.open_id ?? this.people[0]?.open_id ?? "";
    this.settleChat();
    for (const chat of this.chats) if (!this.seen.has(chat.chat_id)) this.read(chat.chat_id);
    this.changed();
  }

  /** Keep the object that is already shown when nothing about it changed. */
  keep(message) {
    const known = this.messages.get(message.message_id);
    return known && JSON.stringify(known) === JSON.stringify(message) ? known : message;
  }

  /** Take over one message or connection event. */
  apply(event) {
    if (event.kind === "message") this.messages.set(event.message.message_id, event.message);
    if (event.kind === "connection") {
      this.bots = this.bots.map((bot) =>
        bot.app_id === event.app_id ? { ...bot, connections: event.connections } : bot,
      );
    }
    if (event.kind === "message" && event.message.chat_id === this.chatId) this.read(this.chatId);
    this.changed();
  }

  /** Speak as another person from now on. */
  speakAs(openId) {
    this.me = openId;
    this.replyTo = null;
    remember(openId);
    this.settleChat();
    this.changed();
  }

  /** Open a chat. */
  open(chatId) {
    this.chatId = chatId;
    this.replyTo = null;
    this.drawer = false;
    this.read(chatId);
    this.changed();
  }

  set(change) {
    Object.assign(this, change);
    this.changed();
  }

  get chat() {
    return this.chats.find((chat) => chat.chat_id === this.chatId) ?? null;
  }

  get nowMs() {
    return Date.now() + this.offset;
  }

  person(openId) {
    return this.people.find((person) => person.open_id === openId) ?? null;
  }

  bot(id) {
    return this.bots.find((bot) => bot.open_id === id || bot.app_id === id) ?? null;
  }

  nameOf(id) {
    return this.person(id)?.name ?? this.bot(id)?.name ?? "";
  }

  /** Chats that the speaking person is in, newest first. */
  myChats() {
    const last = (chat) => this.messagesOf(chat.chat_id).at(-1)?.create_time_ms ?? 0;
    return this.chats.filter((chat) => this.isMine(chat)).sort((a, b) => last(b) - last(a));
  }

  isMine(chat) {
    return chat.members.includes(this.me) || !this.people.some((person) => chat.members.includes(person.open_id));
  }

  /** Messages of a chat in the order they were sent. */
  messagesOf(chatId) {
    const mine = [...this.messages.values()].filter((message) => message.chat_id === chatId);
    return mine.sort((a, b) => a.create_time_ms - b.create_time_ms);
  }

  /** The bots of a chat; all of them where the members do not say. */
  botsOf(chat) {
    const named = [...chat.members, ...(chat.bots ?? [])];
    const inside = this.bots.filter((bot) => named.includes(bot.open_id) || named.includes(bot.app_id));
    return inside.length ? inside : this.bots;
  }

  unread(chatId) {
    return this.messagesOf(chatId).filter(
      (m) => m.create_time_ms > (this.seen.get(chatId) ?? 0) && m.sender.id !== this.me,
    ).length;
  }

  read(chatId) {
    this.seen.set(chatId, this.messagesOf(chatId).at(-1)?.create_time_ms ?? 0);
  }

  settleChat() {
    const mine = this.myChats();
    if (mine.some((chat) => chat.chat_id === this.chatId)) return;
    this.chatId = (mine.find((chat) => chat.type === "group") ?? mine[0])?.chat_id ?? "";
    this.read(this.chatId);
  }
}

/** One line that stands for a message in the chat list and in quotes. */
export function lineOf(message) {
  if (message.card_state?.summary) return message.card_state.summary;
  const title = message.card?.header?.title?.content;
  return title ?? (message.text || `[${message.msg_type}]`);
}

function remembered() {
  try {
    return window.localStorage.getItem(REMEMBER);
  } catch {
    return null; // storage is blocked: the first person speaks
  }
}

function remember(openId) {
  try {
    window.localStorage.setItem(REMEMBER, openId);
  } catch {
    // storage is blocked: the choice lasts until the page is closed
  }
}
