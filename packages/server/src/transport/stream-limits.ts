import { BoundedTurns } from "@steward/kernel/concurrency/bounded-turns.js";
import { LARGE_BODY_BYTES, TURN_MS } from "./limits.js";
import { AppError } from "@steward/kernel/errors.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";

/** Large bodies, which are handled one after the other. */
const LARGE_BODIES = new BoundedTurns({ startsMax: 1, turnMs: TURN_MS });

/**
 * Resolves when a body of this size may be parsed: at once, or in a turn of the event loop in which
 * no other large body is parsed or handled.
 */
export function turnOfBody(bytes: number): Promise<void> | undefined {
  if (bytes < LARGE_BODY_BYTES) return undefined;
  return new Promise((resolve) => {
    LARGE_BODIES.enter(() => "", resolve);
  });
}

/**
 * Counts a stream that is about to open. @returns a function to call when it has closed.
 * @throws AppError `QUOTA_EXCEEDED` when the limit is reached.
 */
export type AdmitStream = (peerAddress: string) => () => void;

/** Limits the number of open streams from one address. */
export function streamsPerPeer(max: number): AdmitStream {
  const open = new Tally(max);
  return (peerAddress) => {
    const leave = open.enter(peerAddress);
    if (leave !== undefined) return leave;
    const message = `Your address has ${String(max)} streams of this kind open: close one first`;
    throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs: 1000 });
  };
}
