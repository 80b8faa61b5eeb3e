import { BoundedTurns } from "@steward/kernel/concurrency/bounded-turns.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { jsonSize } from "@steward/kernel/json-size.js";
import { LARGE_ANSWER_BYTES, LARGE_BODY_BYTES, TURN_MS } from "../limits.js";

/** Pieces of large bodies and answers, which are handled one after the other. */
const LARGE_PIECES = new BoundedTurns({ startsMax: 1, turnMs: TURN_MS });

/** By organization, because answers whose pieces alternate would all be in memory until the last one is encoded. */
const ANSWERS = new KeyedMutex();

/** Encodes a large answer when those of the same organization that came before it are encoded. */
export function oneAfterTheOther<Encoded>(
  orgId: string,
  encode: () => Promise<Encoded>,
): Promise<Encoded> {
  return ANSWERS.runExclusive(orgId, encode);
}

/**
 * Resolves in a turn of the event loop in which no other piece of a large body or answer is handled.
 * Organizations have their turns round-robin.
 */
export function turnOfPiece(orgId: string): Promise<void> {
  return new Promise((resolve) => {
    LARGE_PIECES.enter(() => orgId, resolve);
  });
}

/** {@link turnOfPiece} for a body of this size; `undefined` when it is small and may be parsed at once. */
export function turnOfBody(bytes: number, orgId: string): Promise<void> | undefined {
  return bytes < LARGE_BODY_BYTES ? undefined : turnOfPiece(orgId);
}

/** Whether a value is encoded in turns. Smaller ones are encoded at once, and pay only for this look at them. */
export function isLarge(answer: unknown): boolean {
  return jsonSize(answer, LARGE_ANSWER_BYTES) >= LARGE_ANSWER_BYTES;
}
