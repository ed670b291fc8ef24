/** `rich_text`: what people's messages are made of, and what task cards hold. */

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { linkProps } from "./markdown.js";
import { at, missing } from "./mrkdwn.js";
import { moment } from "./words.js";

const STYLES = [
  ["code", "code"],
  ["bold", "strong"],
  ["italic", "em"],
  ["strike", "del"],
  ["underline", "u"],
];

const PARTS = {
  rich_text_section: (part, view) => h("div", { class: "mrkdwn" }, leaves(part, view)),
  rich_text_preformatted: (part, view) => h("pre", { class: "preformatted", tabindex: "0" }, leaves(part, view)),
  rich_text_quote: (part, view) => h("blockquote", null, h("div", { class: "mrkdwn" }, leaves(part, view))),
  rich_text_list: drawList,
};

const LEAVES = {
  text: (leaf) => leaf.text,
  link: (leaf) => h("a", linkProps(leaf.url), leaf.text || leaf.url),
  emoji: (leaf) => emoji(leaf.name),
  user: (leaf, view) => at(`@${view.nameOf(leaf.user_id) || leaf.user_id}`),
  channel: (leaf, view) => at(`#${view.channelOf(leaf.channel_id) || leaf.channel_id}`),
  usergroup: (leaf) => at(`@${leaf.usergroup_id}`),
  broadcast: (leaf) => at(`@${leaf.range}`),
  date: (leaf) => h("time", null, moment(Number(leaf.timestamp) * 1000)),
  color: (leaf) => h("code", null, leaf.value),
};

/** Draw a `rich_text` block. */
export function richText(block, view) {
  return (block.elements ?? []).map((part) =>
    Object.hasOwn(PARTS, part.type) ? PARTS[part.type](part, view) : missing(part.type),
  );
}

function drawList(part, view) {
  const items = (part.elements ?? []).map((item) => h("li", null, leaves(item, view)));
  const props = {
    class: `rich-list rich-indent-${Math.min(part.indent ?? 0, 8)}`,
    start: part.offset ? part.offset + 1 : null,
  };
  return h(part.style === "ordered" ? "ol" : "ul", props, items);
}

function leaves(part, view) {
  return (part.elements ?? []).map((leaf) => {
    const drawn = Object.hasOwn(LEAVES, leaf.type) ? LEAVES[leaf.type](leaf, view) : `[${leaf.type}]`;
    return STYLES.reduce((inside, [style, tag]) => (leaf.style?.[style] ? h(tag, null, inside) : inside), drawn);
  });
}
