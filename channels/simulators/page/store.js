/**
 * What the page knows: the simulator's state, who speaks, which chat is open, what is being replied to.
 *
 * People, bots, chats and messages are kept in one shape for all platforms: `id` and `name`; a chat is `direct` (one person and
 * a bot) or not, and one of those that `opensFirst` is shown at the start. A platform reads its own JSON into that shape and may leave its own fields beside it.
 */

/** The page's state; `changed()` is called after each change. */
export class Store {
  /** `platform`: `remember` (where the choice of a person is kept), `read(state)`, `readMessage(message)`, `lineOf(message)`. */
  constructor(changed, platform) {
    this.changed = changed;
    this.platform = platform;
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
  load(raw) {
    const state = this.platform.read(raw);
    this.people = state.people;
    this.bots = state.bots;
    this.chats = state.chats;
    this.offset = state.now_ms - Date.now();
    this.messages = new Map(state.messages.map((message) => [message.id, this.keep(message)]));
    this.online = true;
    if (!this.person(this.me)) this.me = this.person(this.remembered())?.id ?? this.people[0]?.id ?? "";
    this.settleChat();
    for (const chat of this.chats) if (!this.seen.has(chat.id)) this.read(chat.id);
    this.changed();
  }

  /** Keep the object that is already shown when nothing about it changed. */
  keep(message) {
    const known = this.messages.get(message.id);
    return known && JSON.stringify(known) === JSON.stringify(message) ? known : message;
  }

  /** Take over one message or connection event. */
  apply(event) {
    if (event.kind === "message") this.takeMessage(this.platform.readMessage(event.message));
    if (event.kind === "connection") {
      this.bots = this.bots.map((bot) =>
        bot.app_id === event.app_id ? { ...bot, connections: event.connections } : bot,
      );
    }
    this.changed();
  }

  takeMessage(message) {
    this.messages.set(message.id, message);
    if (message.chat_id === this.chatId) this.read(this.chatId);
  }

  /** Speak as another person from now on. */
  speakAs(personId) {
    this.me = personId;
    this.replyTo = null;
    this.rememberMe();
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
    return this.chats.find((chat) => chat.id === this.chatId) ?? null;
  }

  get nowMs() {
    return Date.now() + this.offset;
  }

  person(id) {
    return this.people.find((person) => person.id === id) ?? null;
  }

  bot(id) {
    return this.bots.find((bot) => bot.id === id || bot.app_id === id) ?? null;
  }

  nameOf(id) {
    return this.person(id)?.name ?? this.bot(id)?.name ?? "";
  }

  /** One line that stands for a message in the chat list and in quotes. */
  lineOf(message) {
    return this.platform.lineOf(message);
  }

  /** Chats that the speaking person is in, newest first. */
  myChats() {
    const last = (chat) => this.messagesOf(chat.id).at(-1)?.create_time_ms ?? 0;
    return this.chats.filter((chat) => this.isMine(chat)).sort((a, b) => last(b) - last(a));
  }

  isMine(chat) {
    return chat.members.includes(this.me) || !this.people.some((person) => chat.members.includes(person.id));
  }

  /** Messages of a chat that the speaking person sees, in the order they were sent. */
  messagesOf(chatId) {
    const mine = [...this.messages.values()].filter((message) => message.chat_id === chatId && this.isSeen(message));
    return mine.sort((a, b) => a.create_time_ms - b.create_time_ms);
  }

  isSeen(message) {
    return this.platform.isSeen?.(message, this.me) ?? true;
  }

  /** The bots of a chat; all of them where the members do not say. */
  botsOf(chat) {
    const named = [...chat.members, ...(chat.bots ?? [])];
    const inside = this.bots.filter((bot) => named.includes(bot.id) || named.includes(bot.app_id));
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
    if (mine.some((chat) => chat.id === this.chatId)) return;
    this.chatId = (mine.find((chat) => chat.opensFirst) ?? mine[0])?.id ?? "";
    this.read(this.chatId);
  }

  remembered() {
    try {
      return window.localStorage.getItem(this.platform.remember);
    } catch {
      return null; // storage is blocked: the first person speaks
    }
  }

  rememberMe() {
    try {
      window.localStorage.setItem(this.platform.remember, this.me);
    } catch {
      // storage is blocked: the choice lasts until the page is closed
    }
  }
}
