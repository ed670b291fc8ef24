/**
 * Describes DOM as plain objects and brings real nodes in line with them, in place.
 *
 * Nothing here parses HTML: whatever a model wrote can only become the text of a node.
 * A node is reused when its tag and key match, so focus, scroll and animations survive an update.
 */

const SVG = "http://www.w3.org/2000/svg";
const mounted = new WeakMap();
const handlers = new WeakMap();

/**
 * Describe an element. `props` may hold `key`, `on` (event handlers), `style` (an object), `svg` (true inside drawings),
 * `mount` (called once with the new node); everything else is an attribute.
 */
export function h(tag, props, ...children) {
  const { key = null, on = {}, style = {}, svg = false, mount = null, ...attrs } = props ?? {};
  return { tag, key, on, style, svg, mount, attrs, kids: tidy(children) };
}

/** Describe an SVG element. */
export function s(tag, props, ...children) {
  return h(tag, { ...props, svg: true }, ...children);
}

/** Make `parent`'s children match the descriptions. */
export function patch(parent, children) {
  const pool = poolOf(mounted.get(parent) ?? []);
  const next = tidy([children]).map((wanted) => {
    const found = pool.get(idOf(wanted))?.shift();
    return found ? refresh(found, wanted) : create(wanted);
  });
  for (const left of pool.values()) for (const { node } of left) node.remove();
  place(parent, next);
  mounted.set(parent, next);
}

function tidy(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (typeof child === "number" ? String(child) : child));
}

function idOf(wanted) {
  if (typeof wanted === "string") return "#text";
  return wanted.key === null ? wanted.tag : `${wanted.tag}#${wanted.key}`;
}

function poolOf(old) {
  const pool = new Map();
  for (const entry of old) {
    const id = idOf(entry.wanted);
    if (!pool.has(id)) pool.set(id, []);
    pool.get(id).push(entry);
  }
  return pool;
}

function place(parent, entries) {
  let cursor = parent.firstChild;
  for (const { node } of entries) {
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
  }
}

function create(wanted) {
  if (typeof wanted === "string") return { wanted, node: document.createTextNode(wanted) };
  const node = wanted.svg ? document.createElementNS(SVG, wanted.tag) : document.createElement(wanted.tag);
  dress(node, { attrs: {}, style: {} }, wanted);
  patch(node, wanted.kids);
  wanted.mount?.(node);
  return { wanted, node };
}

function refresh(entry, wanted) {
  if (entry.wanted === wanted) return entry;
  if (typeof wanted === "string") {
    if (entry.wanted !== wanted) entry.node.data = wanted;
  } else {
    dress(entry.node, entry.wanted, wanted);
    patch(entry.node, wanted.kids);
  }
  return { wanted, node: entry.node };
}

function dress(node, old, wanted) {
  for (const name of new Set([...Object.keys(old.attrs), ...Object.keys(wanted.attrs)])) {
    if (old.attrs[name] !== wanted.attrs[name]) setAttribute(node, name, wanted.attrs[name]);
  }
  for (const name of new Set([...Object.keys(old.style), ...Object.keys(wanted.style)])) {
    if (old.style[name] !== wanted.style[name]) node.style.setProperty(name, wanted.style[name] ?? "");
  }
  listen(node, wanted.on);
}

function setAttribute(node, name, value) {
  if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}

function listen(node, on) {
  const known = handlers.get(node) ?? {};
  for (const type of Object.keys(on)) {
    if (!(type in known)) node.addEventListener(type, (event) => handlers.get(node)[type]?.(event));
  }
  const silenced = Object.fromEntries(Object.keys(known).map((type) => [type, undefined]));
  handlers.set(node, { ...silenced, ...on });
}
