/** Feishu's names for what every platform has, read into the page's own shape. */

/** What the store asks of a platform. */
export const feishu = { remember: "niuma.feishu.person", read, readMessage, lineOf };

function read(state) {
  return {
    now_ms: state.now_ms,
    people: state.people.map((person) => ({ ...person, id: person.open_id })),
    bots: state.bots.map((bot) => ({ ...bot, id: bot.open_id })),
    chats: state.chats.map(readChat),
    messages: state.messages.map(readMessage),
  };
}

function readChat(chat) {
  return { ...chat, id: chat.chat_id, direct: chat.type === "p2p", opensFirst: chat.type === "group" };
}

function readMessage(message) {
  return { ...message, id: message.message_id, live: Boolean(message.card_state?.streaming) };
}

function lineOf(message) {
  if (message.card_state?.summary) return message.card_state.summary;
  const title = message.card?.header?.title?.content;
  return title ?? (message.text || `[${message.msg_type}]`);
}
