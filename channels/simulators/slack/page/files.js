/** Files of a message: pictures of this machine are shown, everything else is a tile with its name and size. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./words.js";

/** Draw a message's files. */
export function drawFiles(files) {
  if (!files.length) return null;
  return h(
    "div",
    { class: "files" },
    files.map((file) => h("div", { key: file.id ?? file.name, class: "file" }, drawFile(file))),
  );
}

function drawFile(file) {
  const name = file.title || file.name;
  if (file.mimetype?.startsWith("image/")) return h("img", { class: "kit-picture", src: addressOf(file), alt: name });
  return h(
    "div",
    { class: "file-tile", role: "img", "aria-label": say("fileOf", { name, size: sizeOf(file.size) }) },
    h("span", { class: "file-sign" }, icon("file")),
    h(
      "span",
      { class: "file-words" },
      h("span", { class: "file-name" }, name),
      h("span", { class: "file-size" }, sizeOf(file.size)),
    ),
  );
}

/** Where the simulator shows its page what the platform shows only to those who have a token. */
function addressOf(file) {
  return `/_sim/files?id=${encodeURIComponent(file.id)}`;
}

function sizeOf(bytes) {
  if (!Number.isFinite(bytes)) return "";
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
