/** What lies above the page: toasts and the question before a dangerous press. */

import { h, patch } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

const SHOWN_MS = 3500;
const SAME_MS = 1500;
const ICONS = { success: "check", error: "close", warning: "warning", info: "info" };
const toasts = [];
let nextKey = 0;

/** Show a toast; the same one arriving by two ways is shown once. */
export function toast(tone, text) {
  const now = performance.now();
  const kind = tone in ICONS ? tone : "info";
  if (!text || toasts.some((one) => one.text === text && one.kind === kind && now - one.at < SAME_MS)) return;
  const entry = { key: (nextKey += 1), kind, text, at: now };
  toasts.push(entry);
  drawToasts();
  setTimeout(() => {
    toasts.splice(toasts.indexOf(entry), 1);
    drawToasts();
  }, SHOWN_MS);
}

function drawToasts() {
  patch(
    document.getElementById("toasts"),
    toasts.map((one) =>
      h(
        "div",
        { key: one.key, class: `toast toast-${one.kind}` },
        h("span", { class: "toast-icon" }, icon(ICONS[one.kind])),
        h("span", null, one.text),
      ),
    ),
  );
}

/** Ask before a press; resolves to whether the reader agreed. `yes` and `no` are the buttons' words. */
export function ask(title, text, { yes = say("confirm"), no = say("cancel") } = {}) {
  const holder = document.createElement("dialog");
  holder.className = "ask";
  holder.setAttribute("aria-label", title || text);
  document.body.append(holder);
  const answer = (value) => () => holder.close(value);
  patch(holder, [
    title && h("h2", null, title),
    text && h("p", null, text),
    h(
      "div",
      { class: "ask-buttons" },
      h("button", { type: "button", class: "button button-default button-medium", on: { click: answer("no") } }, no),
      h(
        "button",
        { type: "button", class: "button button-primary_filled button-medium", on: { click: answer("yes") } },
        yes,
      ),
    ),
  ]);
  holder.showModal();
  return new Promise((resolve) => {
    holder.addEventListener(
      "close",
      () => {
        holder.remove();
        resolve(holder.returnValue === "yes");
      },
      { once: true },
    );
  });
}
