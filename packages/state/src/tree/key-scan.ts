import type { TreeCursor } from "./tree-cursor.js";
import type { Edit } from "./tree-update.js";

/** Iterates over the keys with a prefix in ascending order, merging a tree with pending edits. */
export class KeyScan {
  /**
   * A buffer that begins with the current key, which has `length` bytes. It is valid until the next
   * step.
   */
  key: Buffer;
  length = 0;
  /**
   * A lower bound of the number of leading bytes that the current key shares with the previous one.
   */
  shared = 0;
  readonly #cursor: TreeCursor;
  readonly #prefix: Buffer;
  readonly #edits: readonly Edit[];
  #edit = 0;
  #isAtKey: boolean;
  /** Whether the tree's current key was returned already. */
  #isTold = false;

  /**
   * @param edits edits with this prefix, in ascending order. An edit whose key is in the tree
   * deletes it.
   */
  constructor(cursor: TreeCursor, prefix: Buffer, edits: readonly Edit[]) {
    this.#cursor = cursor;
    this.#prefix = prefix;
    this.#edits = edits;
    this.key = prefix;
    this.#isAtKey = cursor.seek(prefix) && cursor.entry.startsWith(prefix);
  }

  /** Steps to the next key. @returns false at the end. */
  next(): boolean {
    const { entry } = this.#cursor;
    let isNext = this.#isTold;
    if (isNext) this.#step();
    this.#isTold = false;
    for (; this.#isAtKey; isNext = false) {
      const edit = this.#edits[this.#edit];
      const order = edit === undefined ? -1 : entry.compare(edit.key);
      if (order > 0) break;
      if (order < 0) {
        this.#isTold = true;
        return this.#tell(entry.key, entry.keyLength, isNext ? entry.shared : 0);
      }
      this.#edit += 1;
      this.#step();
    }
    const edit = this.#edits[this.#edit];
    if (edit === undefined) return false;
    this.#edit += 1;
    return this.#tell(edit.key, edit.key.length, 0);
  }

  #tell(key: Buffer, length: number, shared: number): true {
    this.key = key;
    this.length = length;
    this.shared = shared;
    return true;
  }

  #step(): void {
    const { entry } = this.#cursor;
    const hasNext = this.#cursor.next();
    // The prefix shared with the previous key need not be compared again.
    const isWithin = entry.shared >= this.#prefix.length || entry.startsWith(this.#prefix);
    this.#isAtKey = hasNext && isWithin;
  }
}
