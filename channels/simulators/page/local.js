/** What belongs to one reader's view of a message: folds, table pages, presses under way, and drawings kept between updates. */

/** One message's local state; `revision` grows with each change. */
export class Local {
  constructor() {
    this.revision = 0;
    this.folds = new Map();
    this.pages = new Map();
    this.pending = new Set();
    this.caches = new Map();
  }

  /** A cache for the markdown of one element. */
  cacheOf(key) {
    if (!this.caches.has(key)) this.caches.set(key, new Map());
    return this.caches.get(key);
  }
}
