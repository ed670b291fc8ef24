/** One message row: square picture, name, words or blocks, and below it reactions and the thread it began. */

import { avatar } from "./avatar.js";
import { drawBlocks, drawMarkdown } from "./block_kit.js";
import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { drawFiles } from "./files.js";
import { icon } from "./icons.js";
import { mrkdwn } from "./mrkdwn.js";
import { isReply } from "./platform.js";
import { drawTask, drawPlan } from "./tasks.js";
import { clock, say, shortTime } from "./words.js";

/** Draw a message. `joined` leaves out picture and name; `desk.inPane` tells whether it stands in the thread pane. */
export function drawMessage(message, desk, joined, inPane) {
  const { store } = desk;
  const { sender } = message;
  const name = sender.name || store.nameOf(sender.id);
  return h(
    "article",
    {
      key: message.id,
      class: `message ${joined ? "message-joined" : ""} ${message.ephemeral_to ? "message-ephemeral" : ""}`
        .replace(/\s+/g, " ")
        .trim(),
      "data-ts": message.ts,
      "aria-label": `${name}, ${clock(message.create_time_ms)}`,
      "aria-busy": message.live ? "true" : null,
    },
    message.ephemeral_to && h("div", { class: "only-you" }, icon("eye"), say("onlyYou")),
    joined
      ? h("time", { class: "avatar-space" }, clock(message.create_time_ms))
      : avatar(name, { bot: sender.type === "bot" }),
    h(
      "div",
      { class: "message-body" },
      !joined && drawMeta(message, name),
      drawContent(message, desk),
      drawFiles(message.files ?? []),
      drawReactions(message, desk),
      !inPane && drawThreadLine(message, desk),
    ),
    !message.ephemeral_to && drawHover(message, desk, inPane),
  );
}

function drawMeta(message, name) {
  return h(
    "div",
    { class: "message-meta" },
    h("span", { class: "message-name" }, name),
    message.sender.type === "bot" && h("span", { class: "bot-mark" }, say("app")),
    h("time", null, clock(message.create_time_ms)),
  );
}

function drawContent(message, desk) {
  const context = contextOf(message, desk);
  const shown = message.blocks?.length ? message.blocks : null;
  const edited = message.edited && h("span", { class: "edited" }, say("edited"));
  if (!shown && !message.chunks)
    return h("div", { class: "message-content" }, mrkdwn(message.text, context.view, edited));
  const body = shown ? drawBlocks(shown, "", context) : drawStream(seenBy(desk.store.me, message.chunks), context);
  return h("div", { class: "message-content kit" }, body, edited, message.live && drawLive());
}

/** In a channel only the recipient sees a stream grow; everybody else keeps its first words until the stop. */
function seenBy(person, chunks) {
  const isWithheld = chunks.withheld && chunks.recipient !== person;
  return isWithheld ? { parts: [{ type: "markdown_text", text: chunks.first_text }] } : chunks;
}

/** A stream: its parts in their order, then the blocks sent with the stop. Only its last text still grows. */
function drawStream(chunks, context) {
  const { parts, tasks = [] } = chunks;
  const quiet = { ...context, live: false };
  const byId = new Map(tasks.map((task) => [task.id, { ...task, task_id: task.id }]));
  const isPlan = chunks.display_mode === "plan" && tasks.length > 0;
  const shown = isPlan ? parts.filter((part) => part.type !== "task") : parts;
  const ends = shown.at(-1)?.type === "markdown_text";
  return [
    isPlan && drawPlan({ title: chunks.plan_title, tasks: [...byId.values()] }, "plan", quiet),
    shown.map((part, i) => drawPart(part, i, byId, i === shown.length - 1 ? context : quiet)),
    context.live && !ends && drawPart({ type: "markdown_text", text: "" }, shown.length, byId, context),
    drawBlocks(chunks.final_blocks ?? [], "final-", quiet),
  ];
}

function drawPart(part, place, tasks, context) {
  if (part.type === "blocks") return drawBlocks(part.blocks, `part-${place}-`, context);
  if (part.type === "task")
    return h(
      "div",
      { class: "block", key: `task-${part.id}` },
      drawTask(tasks.get(part.id), `task-${part.id}`, context),
    );
  return h("div", { class: "block", key: `text-${place}` }, drawMarkdown(part.text, `text-${place}`, context));
}

function contextOf(message, desk) {
  return {
    id: message.id,
    live: message.live,
    local: desk.localOf(message.id),
    view: desk.names,
    touch: (change) => {
      change(desk.localOf(message.id));
      desk.touch(message.id);
    },
    press: (order) => desk.press({ message, ...order }),
  };
}

function drawLive() {
  return h(
    "div",
    { class: "live", role: "status" },
    h("span", { class: "typing-sign", "aria-hidden": "true" }, h("i", null), h("i", null), h("i", null)),
    say("writing"),
  );
}

function drawReactions(message, desk) {
  const { store } = desk;
  const groups = new Map();
  for (const one of message.reactions ?? []) groups.set(one.name, [...(groups.get(one.name) ?? []), one]);
  if (!groups.size) return null;
  return h(
    "div",
    { class: "reactions" },
    [...groups].map(([name, all]) => {
      const people = all.flatMap((one) => one.users).map((id) => store.nameOf(id) || id);
      const words = `:${name}: ${people.join(", ")}`;
      const isMine = all.some((one) => one.users.includes(store.me));
      return h(
        "button",
        {
          type: "button",
          key: name,
          class: `reaction ${isMine ? "reaction-mine" : ""}`.trim(),
          title: words,
          "aria-label": words,
          "aria-pressed": String(isMine),
          on: { click: () => desk.react(message, name, isMine) },
        },
        emoji(name),
        h("span", null, people.length),
      );
    }),
  );
}

function drawThreadLine(message, desk) {
  const replies = desk.repliesTo(message);
  const status = desk.statusOf(message.chat_id, message.ts);
  if (!replies.length && !status) return null;
  const last = replies.at(-1);
  const isLive = replies.some((reply) => reply.live);
  const faces = [...new Map(replies.map((reply) => [reply.sender.id, reply.sender])).values()].slice(0, 3);
  const words = replies.length === 1 ? say("oneReply") : say("replies", { n: replies.length });
  return h(
    "button",
    { type: "button", class: "thread-line", on: { click: () => desk.openThread(message) } },
    faces.map((who) => avatar(who.name, { bot: who.type === "bot", size: "avatar-small" })),
    replies.length > 0 && h("span", { class: "thread-count" }, words),
    h(
      "span",
      { class: `thread-last ${isLive || status ? "thread-live" : ""}`.trim() },
      lastWords(last, status, isLive, desk),
    ),
  );
}

function lastWords(last, status, isLive, desk) {
  if (isLive) return say("writing");
  if (status) return desk.statusWords(status);
  return say("lastReply", { time: shortTime(last.create_time_ms, desk.store.nowMs) });
}

function drawHover(message, desk, inPane) {
  const mine = message.sender.id === desk.store.me;
  const act = (label, sign, run) =>
    h(
      "button",
      { type: "button", class: "icon-button small", "aria-label": label, title: label, on: { click: run } },
      icon(sign),
    );
  const acts = [
    !inPane && !isReply(message) && act(say("openThread"), "topic", () => desk.openThread(message)),
    mine && act(say("edit"), "pencil", () => desk.edit(message, inPane)),
    mine && act(say("delete"), "trash", () => desk.remove(message)),
  ].filter(Boolean);
  if (!acts.length) return null;
  return h("div", { class: "message-actions", role: "group", "aria-label": say("actions") }, acts);
}
