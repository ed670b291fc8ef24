/**
 * Block structure of a Feishu card's markdown: text to a list of blocks, each with its own source.
 *
 * Feishu's dialect: no HTML blocks, no underlined headings (`---` is always a rule), nested lists from two blanks on.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])(?:( {1,4})(?=\S)| +|$)/;
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const HALF_LINE = /^(?:[-*+=_>|`~#: ]*|\d{1,2}[.)]?|!\[?|[-*+] \[[ xX]?\]?|(?:`{3,}|~{3,})[^`]*)$/;
const MAX_DEPTH = 12;

/** Parse whole markdown. With `open`, a last line that is only a beginning (`- `, `##`, `|--`, "```py") waits for its rest. */
export function parseBlocks(text, open = false) {
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n");
  if (open && HALF_LINE.test(lines.at(-1).trim())) lines.pop();
  return parseLines(lines, open, 0);
}

function parseLines(lines, open, depth) {
  const reader = { lines, at: 0, open, depth };
  const blocks = [];
  while (reader.at < lines.length) {
    if (blank(lines[reader.at])) {
      reader.at += 1;
      continue;
    }
    const from = reader.at;
    const block = nextBlock(reader);
    block.source = lines.slice(from, reader.at).join("\n");
    block.open = open && reader.at >= lines.length;
    blocks.push(block);
  }
  return blocks;
}

function nextBlock(reader) {
  for (const read of [fence, heading, rule, quote, list, table, indented]) {
    const block = read(reader);
    if (block) return block;
  }
  return paragraph(reader);
}

function blank(line) {
  return line.trim() === "";
}

function indent(line) {
  return line.length - line.trimStart().length;
}

function fence(reader) {
  const found = FENCE.exec(reader.lines[reader.at]);
  if (!found) return null;
  const pad = indent(reader.lines[reader.at]);
  const close = new RegExp(`^ {0,3}\\${found[1][0]}{${found[1].length},}\\s*$`);
  const body = [];
  reader.at += 1;
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at++];
    if (close.test(line)) break;
    body.push(line.slice(Math.min(pad, indent(line))));
  }
  return { t: "code", language: found[2], text: body.join("\n") };
}

function heading(reader) {
  const found = HEADING.exec(reader.lines[reader.at].trimEnd());
  if (!found) return null;
  reader.at += 1;
  return { t: "heading", level: found[1].length, text: found[2] ?? "" };
}

function rule(reader) {
  if (!RULE.test(reader.lines[reader.at])) return null;
  reader.at += 1;
  return { t: "rule" };
}

function quote(reader) {
  if (!QUOTE.test(reader.lines[reader.at]) || reader.depth >= MAX_DEPTH) return null;
  const inside = [];
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at];
    const lazy = inside.length > 0 && !blank(inside.at(-1)) && !blank(line) && !interrupts(reader);
    if (!QUOTE.test(line) && !lazy) break;
    inside.push(line.replace(QUOTE, ""));
    reader.at += 1;
  }
  return { t: "quote", blocks: parseLines(inside, reader.open && reader.at >= reader.lines.length, reader.depth + 1) };
}

function list(reader) {
  const first = ITEM.exec(reader.lines[reader.at]);
  if (!first || reader.depth >= MAX_DEPTH) return null;
  const kind = first[2].at(-1);
  const block = {
    t: "list",
    ordered: /\d/.test(first[2]),
    start: parseInt(first[2], 10) || 1,
    loose: false,
    items: [],
  };
  while (reader.at < reader.lines.length) {
    const found = ITEM.exec(reader.lines[reader.at]);
    if (!found || found[2].at(-1) !== kind || RULE.test(reader.lines[reader.at])) break;
    block.items.push(item(reader, found, block));
  }
  return block;
}

function item(reader, found, block) {
  const width = found[0].length;
  const inside = [reader.lines[reader.at].slice(width)];
  reader.at += 1;
  while (reader.at < reader.lines.length && belongs(reader, inside, width)) {
    const line = reader.lines[reader.at++];
    inside.push(line.slice(Math.min(width, indent(line))));
  }
  while (inside.length > 1 && blank(inside.at(-1))) inside.pop();
  if (inside.some(blank) && inside.length > 1) block.loose = true;
  const task = /^\[([ xX])\] +/.exec(inside[0]);
  if (task) inside[0] = inside[0].slice(task[0].length);
  const open = reader.open && reader.at >= reader.lines.length;
  return { task: task ? task[1] !== " " : null, blocks: parseLines(inside, open, reader.depth + 1) };
}

/** Does the next line continue the list item? Blank lines do when what follows them is indented or a further item. */
function belongs(reader, inside, width) {
  const line = reader.lines[reader.at];
  if (blank(line)) {
    const next = reader.lines.slice(reader.at).find((other) => !blank(other));
    return next !== undefined && (indent(next) >= Math.min(2, width) || ITEM.test(next));
  }
  if (indent(line) >= Math.min(2, width)) return true;
  return !blank(inside.at(-1)) && !ITEM.test(line) && !interrupts(reader);
}

function table(reader) {
  const line = reader.lines[reader.at];
  if (!startsTable(reader)) return null;
  const next = reader.lines[reader.at + 1];
  const head = cells(line);
  const aligns = next === undefined ? [] : cells(next).map(alignment);
  reader.at += 2;
  const rows = [];
  while (reader.at < reader.lines.length && !blank(reader.lines[reader.at]) && !startsOther(reader)) {
    const row = cells(reader.lines[reader.at++]);
    rows.push(head.map((_, i) => row[i] ?? ""));
  }
  return { t: "table", head, aligns, rows };
}

function startsTable(reader) {
  const [line, next] = [reader.lines[reader.at], reader.lines[reader.at + 1]];
  if (next !== undefined)
    return (
      line.includes("|") &&
      next.includes("-") &&
      DELIMITER.test(next.trim()) &&
      (next.includes("|") || line.trim().startsWith("|"))
    );
  return reader.open && /^ {0,3}\|./.test(line);
}

function cells(line) {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignment(mark) {
  if (/^:-*:$/.test(mark)) return "center";
  return mark.endsWith(":") ? "right" : "left";
}

function indented(reader) {
  if (indent(reader.lines[reader.at]) < 4) return null;
  const body = [];
  while (reader.at < reader.lines.length && (indent(reader.lines[reader.at]) >= 4 || blank(reader.lines[reader.at]))) {
    body.push(reader.lines[reader.at++].slice(4));
  }
  while (blank(body.at(-1))) body.pop();
  return { t: "code", language: "", text: body.join("\n") };
}

function paragraph(reader) {
  const text = [reader.lines[reader.at].trimStart()];
  reader.at += 1;
  while (reader.at < reader.lines.length && !blank(reader.lines[reader.at]) && !interrupts(reader)) {
    text.push(reader.lines[reader.at++].trimStart());
  }
  return { t: "paragraph", text: text.join("\n").trimEnd() };
}

/** Does the next line end a paragraph? */
function interrupts(reader) {
  return startsOther(reader) || startsTable(reader);
}

function startsOther(reader) {
  const line = reader.lines[reader.at];
  const found = ITEM.exec(line);
  const starts =
    found !== null && found[0].length < line.length && (!/\d/.test(found[2]) || parseInt(found[2], 10) === 1);
  return starts || FENCE.test(line) || /^ {0,3}#{1,6}\s/.test(line) || RULE.test(line) || QUOTE.test(line);
}
