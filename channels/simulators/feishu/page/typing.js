/**
 * Types growing text out between two updates, as the Feishu client does.
 *
 * Growth is animated only where the old text is a prefix of the new one; anything else replaces the text at once. Pace and
 * strategy come from the card's `streaming_config`; the platform's defaults are 70 ms, one character, `fast` (what is not
 * typed yet when the next update arrives is shown at once).
 */

const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Reads `streaming_config` of a card. */
export function paceOf(card) {
  const config = card?.config?.streaming_config ?? {};
  const pick = (value, fallback) =>
    Number(value?.pc ?? value?.default ?? (typeof value === "number" ? value : fallback)) || fallback;
  return {
    everyMs: Math.max(16, pick(config.print_frequency_ms, 70)),
    step: Math.max(1, pick(config.print_step, 1)),
    delay: config.print_strategy === "delay",
  };
}

/** The texts of all live elements; `onTick(key)` runs whenever more of one became visible. */
export class Typist {
  constructor(onTick) {
    this.onTick = onTick;
    this.texts = new Map();
    this.growths = 0;
  }

  /** Tell the text an element now has; gives the part of it to show. */
  show(key, text, { streaming, pace }) {
    const known = this.texts.get(key);
    if (!known) this.texts.set(key, { full: text, shown: text.length, cuts: [], timer: null, grownAt: 0 });
    else if (known.full !== text) this.change(key, known, text, { streaming, pace });
    else if (!streaming) this.settle(known);
    const entry = this.texts.get(key);
    return entry.full.slice(0, entry.shown);
  }

  /** Which of these elements grew last while streaming; null when none did. */
  liveOf(keys) {
    const grown = keys.filter((key) => this.texts.get(key)?.grownAt);
    return grown.sort((a, b) => this.texts.get(b).grownAt - this.texts.get(a).grownAt)[0] ?? null;
  }

  /** Forget every element; they appear whole when seen again. */
  clear() {
    for (const entry of this.texts.values()) clearInterval(entry.timer);
    this.texts.clear();
  }

  change(key, entry, text, { streaming, pace }) {
    const grows = text.startsWith(entry.full) && text.length > entry.full.length;
    const from = entry.full.length;
    entry.full = text;
    if (grows && streaming) entry.grownAt = this.growths += 1;
    if (!grows || !streaming || still.matches || document.hidden) {
      this.settle(entry);
      return;
    }
    if (!pace.delay) {
      entry.shown = from;
      entry.cuts = [];
    }
    for (const { index, segment } of graphemes.segment(text.slice(from)))
      entry.cuts.push(from + index + segment.length);
    this.start(key, entry, pace);
  }

  start(key, entry, pace) {
    clearInterval(entry.timer);
    const tick = () => {
      const taken = entry.cuts.splice(0, pace.step);
      entry.shown = taken.at(-1) ?? entry.full.length;
      if (!entry.cuts.length) this.settle(entry);
      this.onTick(key);
    };
    entry.timer = setInterval(tick, pace.everyMs);
  }

  settle(entry) {
    clearInterval(entry.timer);
    entry.timer = null;
    entry.cuts = [];
    entry.shown = entry.full.length;
  }
}
