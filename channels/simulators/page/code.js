/** Code with its language, a copy button and a little colour. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

const WORDS = new Set(
  (
    "and as assert async await break case catch class const continue def default del do done elif else enum esac except export extends false " +
    "False fi finally fn for from func function global if impl import in interface is lambda let match mod mut new nil None nonlocal not " +
    "null or package pass private pub public raise return self static struct switch then this throw true True try type undefined use var " +
    "void where while with yield SELECT FROM WHERE INSERT UPDATE DELETE INTO VALUES JOIN ON GROUP ORDER BY LIMIT AND OR NOT NULL AS CREATE TABLE"
  ).split(" "),
);
const HASH = new Set([
  "python",
  "py",
  "bash",
  "sh",
  "shell",
  "zsh",
  "yaml",
  "yml",
  "toml",
  "ruby",
  "rb",
  "makefile",
  "dockerfile",
  "ini",
  "conf",
  "r",
]);
const PLAIN = new Set(["", "text", "txt", "plain", "plaintext", "console", "output", "log", "markdown", "md"]);
const STRING = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`;
const REST = String.raw`|(?<number>\b\d[\w.]*)|(?<word>[A-Za-z_]\w*)`;
const HASH_CODE = new RegExp(`(?<note>#.*)|(?<string>${STRING})${REST}`, "g");
const SLASH_CODE = new RegExp(
  String.raw`(?<note>\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|--\s.*)|(?<string>${STRING}|${"`"}[^${"`"}]*${"`"}?)${REST}`,
  "g",
);
const MAX_COLOURED_CHARS = 8000;

/** Draw a code block; `tail` (a caret) follows the last character. */
export function codeBlock(language, text, tail) {
  return h(
    "figure",
    { class: "code" },
    h(
      "figcaption",
      null,
      h("span", { class: "code-language" }, language || "text"),
      navigator.clipboard && copyButton(text),
    ),
    h("pre", { tabindex: "0" }, h("code", null, coloured(language.toLowerCase(), text), tail)),
  );
}

function copyButton(text) {
  return h(
    "button",
    {
      type: "button",
      class: "copy",
      "aria-label": say("copy"),
      on: { click: (event) => copy(event.currentTarget, text) },
    },
    icon("copy"),
    h("span", { class: "copy-word" }, say("copy")),
  );
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  const word = button.querySelector(".copy-word");
  word.textContent = say("copied");
  setTimeout(() => {
    word.textContent = say("copy");
  }, 1500);
}

function coloured(language, text) {
  if (language === "diff" || language === "patch") return diff(text);
  if (PLAIN.has(language) || text.length > MAX_COLOURED_CHARS) return [text];
  return tokens(text, HASH.has(language) ? HASH_CODE : SLASH_CODE);
}

function tokens(text, pattern) {
  const out = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    const kind = kindOf(found.groups);
    if (!kind) continue;
    if (found.index > at) out.push(text.slice(at, found.index));
    out.push(h("span", { class: `code-${kind}` }, found[0]));
    at = found.index + found[0].length;
  }
  return [...out, text.slice(at)];
}

function kindOf(groups) {
  if (groups.word !== undefined) return WORDS.has(groups.word) ? "word" : null;
  return ["note", "string", "number"].find((kind) => groups[kind] !== undefined);
}

function diff(text) {
  const lines = text.split("\n");
  return lines.map((line, n) => {
    const kind = line.startsWith("+")
      ? "code-added"
      : line.startsWith("-")
        ? "code-removed"
        : line.startsWith("@@")
          ? "code-note"
          : "code-same";
    return h("span", { class: kind }, n < lines.length - 1 ? `${line}\n` : line);
  });
}
