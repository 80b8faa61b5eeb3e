import { assert } from "@steward/kernel/assert.js";
import { isUuid } from "@steward/kernel/ids.js";

/** 32-bit words of an entry's id. */
export const ID_WORDS: number = 4;

/**
 * Writes the words of a UUID from `start`, so that their order is the order of the lower-case
 * texts. Half a million UUIDs are parsed at startup, so it works on single characters and creates
 * no garbage.
 */
export function writeId(entryId: string, words: Uint32Array, start: number): void {
  assert(isUuid(entryId), "an entry's id is a UUID");
  let digits = 0;
  for (let at = 0; at < entryId.length; at += 1) {
    const character = entryId.charCodeAt(at);
    if (character === HYPHEN) continue;
    const word = start + (digits >>> 3);
    words[word] = ((words[word] ?? 0) << 4) | hexDigit(character);
    digits += 1;
  }
}

const HYPHEN = "-".charCodeAt(0);

/**
 * The value of a hexadecimal digit. The lowest four bits of `0`–`9` are the value; the lowest four
 * bits of a letter of either case are the value minus 9.
 */
function hexDigit(character: number): number {
  return character <= DIGIT_9 ? character & 15 : (character & 15) + 9;
}

const DIGIT_9 = "9".charCodeAt(0);

/** The UUID whose words begin at `start`, in lower case. */
export function idText(words: Uint32Array, start: number): string {
  const hex = (word: number): string => (words[start + word] ?? 0).toString(16).padStart(8, "0");
  const inner = hex(1) + hex(2);
  const parts = [inner.slice(0, 4), inner.slice(4, 8), inner.slice(8, 12)];
  return `${hex(0)}-${parts.join("-")}-${inner.slice(12)}${hex(3)}`;
}

/**
 * A hash of the id whose words begin at `start`, with MurmurHash3's mixing, so that similar ids get
 * very different hashes.
 */
export function idHash(words: Uint32Array, start: number): number {
  let hash = 0;
  for (let word = start; word < start + ID_WORDS; word += 1) {
    hash = Math.imul(hash ^ Math.imul(words[word] ?? 0, 0xcc9e2d51), 0x85ebca6b);
    hash ^= hash >>> 13;
  }
  return hash >>> 0;
}
