/** Emoji by their Slack names: drawn by us where a sign carries meaning, else the character, else `:name:`. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const DRAWN = {
  white_check_mark: ["check", "good"],
  heavy_check_mark: ["check", "good"],
  x: ["close", "bad"],
  warning: ["warning", "warn"],
  hourglass_flowing_sand: ["time", "wait"],
  hourglass: ["time", "wait"],
  eyes: ["eye", "plain"],
  "+1": ["thumb", "warn"],
  thumbsup: ["thumb", "warn"],
  "-1": ["thumb_down", "warn"],
  thumbsdown: ["thumb_down", "warn"],
  thinking_face: ["thought", "warn"],
  speech_balloon: ["chat", "plain"],
  robot_face: ["robot", "plain"],
  heart: ["heart", "bad"],
  gear: ["tool", "plain"],
  hammer_and_wrench: ["tool", "plain"],
  mag: ["search", "plain"],
  information_source: ["info", "note"],
};

const CHARACTERS = {
  smile: "😄",
  tada: "🎉",
  rocket: "🚀",
  wave: "👋",
  fire: "🔥",
  pray: "🙏",
  clap: "👏",
  bulb: "💡",
  memo: "📝",
  point_right: "👉",
  octagonal_sign: "🛑",
  raised_hands: "🙌",
};

/** Draw an emoji by its name. */
export function emoji(name) {
  const drawn = DRAWN[name];
  const words = `:${name}:`;
  if (drawn)
    return h(
      "span",
      { class: `emoji emoji-${drawn[1]}`, role: "img", "aria-label": words, title: words },
      icon(drawn[0]),
    );
  return h("span", { class: "emoji-word", title: words }, CHARACTERS[name] ?? words);
}
