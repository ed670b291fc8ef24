/** Line drawings of our own, 20 units wide, in the colour of the text around them. */

import { s } from "./dom.js";

const PATHS = {
  chat: "M4 5.500h12v8H9.500L6 16.500v-3H4z",
  menu: "M3.5 6h13M3.5 10h13M3.5 14h13",
  close: "M5.5 5.500l9 9M14.5 5.500l-9 9",
  send: "M3.5 10L16.5 4l-4.3 12.5-2.7-5zM9.5 11.500l7-7.5",
  attach:
    "M14.500 8.500l-5.800 5.800a2.600 2.600 0 0 1-3.700-3.700l6.600-6.600a1.700 1.700 0 0 1 2.500 2.500l-6.300 6.300",
  reply: "M8 5L3.5 9.5 8 14M4 9.500h7c3.5 0 5.5 2 5.5 5.5",
  topic: "M4 4.500h12v8H9L5.5 15.500v-3H4zM7 7.500h6M7 9.800h4",
  undo: "M5 8h7.500a3.5 3.5 0 0 1 0 7H7M7.5 5L4.5 8l3 3",
  chevron: "M7.5 5l5 5-5 5",
  down: "M5 7.500l5 5 5-5",
  left: "M12.5 5l-5 5 5 5",
  check: "M4.5 10.500l3.5 3.5 7.5-8",
  copy: "M7.5 7.500h8v8h-8zM12.5 7.500v-3h-8v8h3",
  image: "M3.5 4.500h13v11h-13zM3.5 13l3.5-3.5 3 3 2.5-2.5 4 4M12.5 8h.01",
  code: "M7 6l-4 4 4 4M13 6l4 4-4 4M11 5l-2 10",
  search: "M9 14.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l3.5 3.5",
  file: "M5.5 3.500h6l3.5 3.500v9.500h-9.500zM11.5 3.500V7H15",
  folder: "M3 5.500h5l1.5 2H17v8H3z",
  time: "M10 16.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM10 6.500V10l2.5 1.5",
  tool: "M12.5 3.800a3.8 3.8 0 0 0-3.4 5.300L3.8 14.400l1.8 1.8 5.3-5.300a3.8 3.8 0 0 0 5-4.700l-2.3 2.2-2-2z",
  list: "M8 5.500h8.500M8 10h8.500M8 14.500h8.500M4 5.500h.01M4 10h.01M4 14.500h.01",
  thought: "M7.5 13.500C5 13 3.5 11.3 3.5 9c0-3 2.8-5 6.5-5s6.5 2 6.5 5-2.8 5-6.5 5h-.8L6.5 16.500z",
  warning: "M10 3.500l7 12.500H3zM10 8v3.500M10 13.800h.01",
  info: "M10 16.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM10 9.300v4M10 6.800h.01",
  robot: "M5 7.500h10v7.500H5zM10 4v3.500M8 10.500h.01M12 10.500h.01M8.5 13h3M3 10v2.500M17 10v2.5",
  person: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.500c.5-3 2.8-4.5 6-4.500s5.5 1.5 6 4.5",
  thumb:
    "M6.5 9l3-5.500c1.4 0 2 1 1.7 2.300L10.7 8h4.300c1 0 1.6.9 1.3 1.800l-1.6 5c-.2.8-.8 1.2-1.6 1.200H6.500zM6.5 9v7H3.800V9z",
  heart: "M10 16.500S3.5 12.5 3.5 8a3.3 3.3 0 0 1 6.5-1 3.3 3.3 0 0 1 6.5 1c0 4.5-6.5 8.5-6.5 8.500z",
  thumb_down:
    "M6.5 11l3 5.500c1.4 0 2-1 1.700-2.300L10.700 12h4.300c1 0 1.600-.9 1.300-1.800l-1.600-5c-.2-.8-.8-1.200-1.600-1.200H6.500zM6.500 11V4H3.800v7z",
  eye: "M2.500 10c2-3.500 4.500-5 7.500-5s5.500 1.500 7.500 5c-2 3.500-4.500 5-7.500 5s-5.500-1.500-7.500-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  stop: "M6 6h8v8H6z",
  pencil: "M4.500 15.500l.8-3.300 7.700-7.700 2.500 2.500-7.700 7.700zM11.500 6l2.500 2.500",
  pause: "M7.5 5v10M12.5 5v10",
  spark:
    "M10 3.500c.6 3.800 2.700 5.900 6.500 6.500-3.800.6-5.900 2.700-6.500 6.500-.6-3.800-2.700-5.900-6.500-6.500 3.800-.6 5.900-2.700 6.500-6.500z",
  voice: "M5 8.500v3M8 6v8M11 4.500v11M14 7v6M16.500 9v2",
  video: "M3.500 5.500h9v9h-9zM12.500 9l4-2.500v7l-4-2.500",
  hash: "M7.500 3.500l-1.500 13M14 3.500l-1.500 13M3.500 7.500h13M3 12.500h13",
  lock: "M5.500 9h9v7.500h-9zM7.500 9V6.500a2.500 2.500 0 0 1 5 0V9",
  more: "M10 5h.01M10 10h.01M10 15h.01",
  plus: "M10 4.500v11M4.500 10h11",
  trash: "M4 6h12M8 6V4h4v2M5.500 6l.7 10.500h7.600L14.500 6",
  circle: "M10 15.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11z",
  command: "M4.500 4.500h11v11h-11zM8.500 13l3-6",
  dot: "M10 10h.01",
  loading: "M10 3.500a6.5 6.5 0 1 0 6.5 6.5",
};

/** Words in a platform icon token, tried in this order, and what we draw for them. */
const TOKENS = [
  ["down", "chevron"],
  ["right", "chevron"],
  ["loading", "loading"],
  ["yes", "check"],
  ["check", "check"],
  ["done", "check"],
  ["succeed", "check"],
  ["close", "close"],
  ["error", "close"],
  ["warning", "warning"],
  ["info", "info"],
  ["robot", "robot"],
  ["bot", "robot"],
  ["search", "search"],
  ["code", "code"],
  ["command", "code"],
  ["folder", "folder"],
  ["file", "file"],
  ["doc", "file"],
  ["time", "time"],
  ["clock", "time"],
  ["setting", "tool"],
  ["tool", "tool"],
  ["todo", "list"],
  ["list", "list"],
  ["think", "thought"],
  ["idea", "thought"],
  ["chat", "chat"],
  ["member", "person"],
  ["person", "person"],
];

/** One of our drawings by name. */
export function icon(name, props = {}) {
  const spin = name === "loading" ? " icon-spin" : "";
  return s(
    "svg",
    { ...props, class: `icon${spin} ${props.class ?? ""}`.trim(), viewBox: "0 0 20 20", "aria-hidden": "true" },
    s("path", { d: PATHS[name] ?? PATHS.dot }),
  );
}

/** Our drawing for a card's `standard_icon` token. */
export function tokenIcon(token, props = {}) {
  const found = TOKENS.find(([word]) => String(token).includes(word));
  return icon(found ? found[1] : "dot", props);
}
