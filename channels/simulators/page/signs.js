/** Status signs in text, drawn by us: they look the same on a machine without an emoji font. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const SIGNS = {
  "✅": ["good", "check"],
  "❌": ["bad", "close"],
  "⏳": ["wait", "time"],
  "⌛": ["wait", "time"],
  "⬜": ["empty", null],
  "⚠": ["warn", "warning"],
  ℹ: ["note", "info"],
  "⏸": ["plain", "pause"],
  "⏹": ["plain", "stop"],
  "✋": ["wait", "pause"],
  "💭": ["plain", "thought"],
  "🤔": ["plain", "thought"],
  "📖": ["plain", "file"],
  "✏": ["plain", "pencil"],
  "➕": ["plain", "plus"],
  "🗑": ["plain", "trash"],
  "💻": ["plain", "code"],
  "🔍": ["plain", "search"],
  "📦": ["plain", "folder"],
  "🟢": ["round sign-green", null],
  "🔵": ["round sign-blue", null],
  "🟡": ["round sign-yellow", null],
  "🟠": ["round sign-orange", null],
  "🔴": ["round sign-red", null],
  "⚪": ["round sign-grey", null],
};
const PATTERN = /((?:✅|❌|⏳|⌛|⬜|⚠|ℹ|⏸|⏹|✋|💭|🤔|📖|✏|➕|🗑|💻|🔍|📦|🟢|🔵|🟡|🟠|🔴|⚪)\ufe0f?)/u;

/** Split a text into plain pieces and drawn signs; the sign's character stays in the text for copying and reading aloud. */
export function withSigns(text) {
  if (!PATTERN.test(text)) return text;
  return text.split(PATTERN).map((piece, place) => (place % 2 ? sign(piece) : piece));
}

function sign(character) {
  const [tone, drawing] = SIGNS[character.replace("\ufe0f", "")];
  return h(
    "span",
    { class: `sign sign-${tone}` },
    drawing && icon(drawing),
    h("span", { class: "sign-character" }, character),
  );
}
