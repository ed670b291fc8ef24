/** What stands inside a bubble, by the type of a message. */

import { drawAiCard } from "./ai_card.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { dingLink } from "./links.js";
import { markdown } from "./markdown.js";
import { withMentions } from "./mentions.js";
import { say } from "./words.js";

/** What the client shows as it was written: it draws no strike-through, no rules, and code only poorly. */
const WITHOUT = new Set(["del", "rule", "code"]);
const WHOLE_TABLE_ROWS = 100;

const CONTENTS = {
  text: (message, desk) => bubble(h("div", { class: "bubble-text" }, withMentions(message.text, desk.store))),
  markdown: (message, desk) => bubble(robotMarkdown(message, desk), "bubble-markdown"),
  actionCard: drawActionCard,
  feedCard: (message, desk) =>
    h(
      "div",
      { class: "action-card" },
      message.buttons.map((one) => h("a", { ...dingLink(one.url, desk.follow), class: "feed-line" }, one.title)),
    ),
  link: (message, desk) =>
    h(
      "a",
      { ...dingLink(message.url, desk.follow), class: "link-card" },
      h("strong", null, message.title),
      h("span", null, message.text),
    ),
  picture: (message) => pictures(message),
  image: (message) => pictures(message),
  richText: drawRichText,
  audio: (message) =>
    bubble([
      h("span", { class: "voice" }, icon("voice"), say("seconds", { n: seconds(message.duration) })),
      message.recognition && h("div", { class: "recognition" }, message.recognition),
    ]),
  video: (message) => bubble([icon("video"), " ", say("video", { seconds: message.duration ?? "" })]),
  file: (message) => (message.files ?? []).map(fileTile),
  card: (message, desk) => (message.card ? drawAiCard(message, desk) : bubble(say("cardLine"))),
};

/** Draw a message's content. */
export function drawContent(message, desk) {
  return Object.hasOwn(CONTENTS, message.msg_type)
    ? CONTENTS[message.msg_type](message, desk)
    : bubble(say("unknown"), "bubble-unknown");
}

/** Where the simulator keeps a file. */
export function fileAddress(id) {
  return `/_sim/files?id=${encodeURIComponent(id)}`;
}

function bubble(inside, look = "") {
  return h("div", { class: `bubble ${look}`.trim() }, inside);
}

function robotMarkdown(message, desk) {
  const view = {
    open: false,
    caret: false,
    cache: desk.localOf(message.id).cacheOf("text"),
    pageOf: () => 0,
    turn: () => {},
    rowsPerPage: WHOLE_TABLE_ROWS,
    without: WITHOUT,
    ...desk.views,
  };
  return h("div", { class: "markdown-body" }, markdown(message.markdown ?? message.text ?? "", view));
}

function drawActionCard(message, desk) {
  const buttons = message.buttons ?? [];
  return h(
    "div",
    { class: "action-card" },
    h("div", { class: "action-card-body" }, robotMarkdown(message, desk)),
    h(
      "div",
      { class: `action-card-buttons ${buttons.length === 2 ? "action-card-pair" : ""}`.trim() },
      buttons.map((one) => h("a", { ...dingLink(one.url, desk.follow), class: "action-button" }, one.title)),
    ),
  );
}

function drawRichText(message, desk) {
  const files = [...(message.files ?? [])];
  return bubble(
    (message.parts ?? []).map((part) =>
      part.text !== undefined
        ? h("div", { class: "bubble-text" }, withMentions(part.text, desk.store))
        : picture(files.find((one) => one.id === part.file_id) ?? files[0]),
    ),
  );
}

function pictures(message) {
  return (message.files ?? []).length ? message.files.map(picture) : bubble(say("picture"));
}

function picture(file) {
  if (!file) return h("span", { class: "inline-image" }, icon("image"), say("image"));
  return h("img", { class: "picture", src: fileAddress(file.id), alt: file.name || say("image") });
}

function fileTile(file) {
  return h(
    "a",
    {
      class: "file-tile",
      href: fileAddress(file.id),
      download: file.name,
      "aria-label": say("fileOf", { name: file.name, size: size(file.bytes) }),
    },
    h(
      "span",
      { class: "file-words" },
      h("span", { class: "file-name" }, file.name),
      h("span", { class: "file-size" }, size(file.bytes)),
    ),
    h("span", { class: `file-sign file-${(file.name ?? "").split(".").at(-1).toLowerCase()}` }, icon("file")),
  );
}

/** Voices count in milliseconds where people send them, in seconds elsewhere. */
function seconds(duration) {
  const number = Number(duration) || 0;
  return Math.max(1, Math.round(number >= 1000 ? number / 1000 : number));
}

function size(bytes) {
  if (!Number.isFinite(bytes)) return "";
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
