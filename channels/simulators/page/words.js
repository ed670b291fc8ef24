/** Words and times in the reader's language. `own_words.js` is each platform's own; its words come before these. */

import * as own from "./own_words.js";

const EN = {
  chats: "Chats",
  openChats: "Open chat list",
  closeChats: "Close chat list",
  speakAs: "Speak as",
  log: "Messages",
  message: "Message",
  send: "Send",
  sendHint: "Enter to send, Shift + Enter for a new line",
  placeholder: "Message {chat} as {name}",
  attach: "Send a picture or a file",
  placeholderGroup: "Message {chat} as {name}; @ the bot to ask it",
  mentions: "People to mention",
  reply: "Reply",
  replyingTo: "Replying to {name}",
  cancel: "Cancel",
  recall: "Recall",
  recalled: "{name} recalled a message",
  edited: "edited",
  bot: "Bot",
  connected: "Connected",
  disconnected: "Not connected",
  members: "Members: {n}",
  today: "Today",
  yesterday: "Yesterday",
  latest: "Latest messages",
  offline: "Connection lost. Trying again…",
  confirm: "Confirm",
  copy: "Copy",
  copied: "Copied",
  page: "{n} / {of}",
  previous: "Previous page",
  next: "Next page",
  image: "Image",
  failed: "That did not work (code {code})",
  notSent: "Not sent. Is the simulator still running?",
  emptyTitle: "Say hello to {bot}",
  unread: "{n} new",
  all: "everyone",
  actions: "Message actions",
  quiet: "No messages yet",
};

const ZH = {
  chats: "会话",
  openChats: "打开会话列表",
  closeChats: "关闭会话列表",
  speakAs: "发言身份",
  log: "消息",
  message: "消息",
  send: "发送",
  sendHint: "Enter 发送，Shift + Enter 换行",
  placeholder: "以 {name} 的身份发送给 {chat}",
  attach: "发送图片或文件",
  placeholderGroup: "以 {name} 的身份发送给 {chat}；@机器人才会得到回答",
  mentions: "可提及的人",
  reply: "回复",
  replyingTo: "回复 {name}",
  cancel: "取消",
  recall: "撤回",
  recalled: "{name} 撤回了一条消息",
  edited: "已编辑",
  bot: "机器人",
  connected: "已连接",
  disconnected: "未连接",
  members: "{n} 位成员",
  today: "今天",
  yesterday: "昨天",
  latest: "最新消息",
  offline: "连接已断开，正在重试…",
  confirm: "确认",
  copy: "复制",
  copied: "已复制",
  page: "{n} / {of}",
  previous: "上一页",
  next: "下一页",
  image: "图片",
  failed: "操作失败（错误码 {code}）",
  notSent: "发送失败，模拟器还在运行吗？",
  emptyTitle: "和 {bot} 打个招呼",
  unread: "{n} 条新消息",
  all: "所有人",
  actions: "消息操作",
  quiet: "还没有消息",
};

export const locale = navigator.language || "en";
const isChinese = locale.toLowerCase().startsWith("zh");
const words = isChinese ? { ...ZH, ...own.ZH } : { ...EN, ...own.EN };
document.documentElement.lang = isChinese ? "zh-CN" : "en";

/** A word by its key, with `{name}` places filled in. */
export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Hour and minute of a message. */
export function clock(ms) {
  return new Date(ms).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** The day of a message as a heading, relative to `nowMs`. */
export function day(ms, nowMs) {
  const date = new Date(ms);
  if (sameDay(date, new Date(nowMs))) return say("today");
  if (sameDay(date, new Date(nowMs - 86_400_000))) return say("yesterday");
  return date.toLocaleDateString(locale, { month: "short", day: "numeric", weekday: "short" });
}

/** Short time for the chat list: the hour today, else the date. */
export function shortTime(ms, nowMs) {
  const date = new Date(ms);
  if (sameDay(date, new Date(nowMs))) return clock(ms);
  return date.toLocaleDateString(locale, { month: "numeric", day: "numeric" });
}

/** Date and time written out, for `<local_datetime>` and date cells. */
export function moment(ms) {
  return new Date(ms).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}

function sameDay(a, b) {
  return a.toDateString() === b.toDateString();
}
