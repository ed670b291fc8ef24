/** Round pictures of people and bots: their initials on a colour of their own. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const TONES = 6;

/** Draw somebody's picture. `online` adds a connection dot (true, false) or none (undefined). */
export function avatar(name, { bot = false, online, group = false, size = "" } = {}) {
  const tone = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % TONES;
  const kind = bot ? "avatar-bot" : `avatar-${tone}`;
  const inside = bot ? icon("robot") : group ? icon("chat") : initials(name);
  return h(
    "span",
    { class: `avatar ${kind} ${size}`.trim(), "aria-hidden": "true" },
    inside,
    online !== undefined && h("span", { class: `dot ${online ? "dot-on" : "dot-off"}` }),
  );
}

function initials(name) {
  if (/[\u3400-\u9fff]/.test(name)) return name.slice(-2);
  return name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();
}
