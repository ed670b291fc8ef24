/** Plain text of people: the names it mentions and its addresses stand out. */

import { h } from "./dom.js";

/** Split a text at the names it mentions. */
export function withMentions(text, store) {
  const names = [...store.bots, ...store.people]
    .map((one) => one.name)
    .filter(Boolean)
    .sort((a, b) => b.length - a.length);
  if (!names.length) return [text];
  const pattern = new RegExp(
    `(@(?:${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")}))`,
    "gi",
  );
  const pieces = text.split(pattern);
  return pieces.map((piece, i) => (i % 2 ? h("span", { class: "at" }, piece) : links(piece)));
}

function links(text) {
  return text
    .split(/(https?:\/\/[^\s<>"'，。；！？、（）]+)/)
    .map((piece, i) =>
      i % 2 ? h("a", { class: "link", href: piece, target: "_blank", rel: "noopener noreferrer" }, piece) : piece,
    );
}
