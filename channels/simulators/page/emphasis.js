/** Pairs the marks `*`, `_` and `~~` as CommonMark does, but Chinese needs no blanks around them. */

const KINDS = { "*": ["em", "strong"], _: ["em", "strong"], "~": [null, "del"] };

/** Turn marks into emphasis around what they enclose. */
export function pair(items, open) {
  for (let at = 0; at < items.length; at += 1) {
    while (items[at]?.t === "mark" && items[at].closes && items[at].n > 0) {
      const opener = openerOf(items, at);
      if (opener < 0) break;
      const half = open && items[at].last && items[opener].n > items[at].n;
      if (half) {
        items[at].n = 0;
        break;
      }
      at = enclose(items, opener, at);
    }
  }
  if (open) closeAtEnd(items);
  return items
    .filter((item) => item.t !== "mark" || item.n > 0)
    .map((item) => (item.t === "mark" ? { t: "text", v: item.mark.repeat(item.n) } : item));
}

function openerOf(items, closer) {
  const { mark, n, opens } = items[closer];
  for (let at = closer - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item.t !== "mark" || item.mark !== mark || !item.opens || item.n === 0) continue;
    if (mark === "~" && (item.n < 2 || n < 2)) continue;
    if ((item.closes || opens) && (item.n + n) % 3 === 0 && (item.n % 3 !== 0 || n % 3 !== 0)) continue;
    return at;
  }
  return -1;
}

/** Replace what stands between two marks by one node; gives the closer's new place. */
function enclose(items, opener, closer) {
  const size = items[opener].n >= 2 && items[closer].n >= 2 ? 2 : 1;
  const node = wrap(items, opener, closer, size);
  items[closer].n -= size;
  items.splice(opener + 1, closer - opener - 1, node);
  return opener + 2;
}

function wrap(items, opener, end, size) {
  const { mark } = items[opener];
  items[opener].n -= size;
  const kids = items
    .slice(opener + 1, end)
    .filter((item) => item.t !== "mark" || item.n > 0)
    .map((item) => (item.t === "mark" ? { t: "text", v: item.mark.repeat(item.n) } : item));
  return { t: KINDS[mark][size - 1], kids: join(kids) };
}

function closeAtEnd(items) {
  const tail = items.at(-1);
  if (tail?.t === "mark" && tail.last) tail.n = 0;
  for (let at = items.length - 1; at >= 0; at -= 1) {
    while (
      items[at].t === "mark" &&
      items[at].opens &&
      !items[at].inside &&
      items[at].n > (items[at].mark === "~" ? 1 : 0)
    ) {
      const node = wrap(items, at, items.length, items[at].n >= 2 ? 2 : 1);
      items.splice(at + 1, items.length - at - 1, ...(node.kids.length ? [node] : []));
    }
  }
}

/** Make neighbouring texts one. */
export function join(items) {
  const out = [];
  for (const item of items) {
    const last = out.at(-1);
    if (item.t === "text" && last?.t === "text") out[out.length - 1] = { t: "text", v: last.v + item.v };
    else out.push(item);
  }
  return out;
}
