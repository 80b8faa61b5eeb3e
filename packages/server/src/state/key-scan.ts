import type { TreeCursor } from "./tree-cursor.js";
import type { Edit } from "./tree-update.js";

/** Goes through the keys with a prefix in ascending order: a tree's, and what differs from it, merged. */
export class KeyScan {
  /** The current key's bytes are the first `length` of these, until the next step. */
  key: Buffer;
  length = 0;
  /** How many bytes the current key has in common with the one before it, at least. */
  shared = 0;
  readonly #cursor: TreeCursor;
  readonly #prefix: Buffer;
  readonly #edits: readonly Edit[];
  #edit = 0;
  #isAtKey: boolean;
  /** Whether the tree's current key was the last one told. */
  #isTold = false;

  /** @param edits all with this prefix, in ascending order: one whose key the tree has deletes it. */
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
    // What the key takes over from the one before it need not be compared again.
    const isWithin = entry.shared >= this.#prefix.length || entry.startsWith(this.#prefix);
    this.#isAtKey = hasNext && isWithin;
  }
}
