import { AppError } from "@steward/kernel/errors.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";

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
