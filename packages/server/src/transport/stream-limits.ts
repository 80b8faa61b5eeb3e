import { AppError } from "@steward/kernel/errors.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";

/**
 * Counts a stream that is about to open. @returns what counts it off once it is closed.
 * @throws AppError `QUOTA_EXCEEDED` when as many are open as may be.
 */
export type AdmitStream = (peerAddress: string) => () => void;

/** Limits the streams that are open at once from one address. */
export function streamsPerPeer(max: number): AdmitStream {
  const open = new Tally(max);
  return (peerAddress) => {
    const leave = open.enter(peerAddress);
    if (leave !== undefined) return leave;
    const message = `Your address has ${String(max)} streams of this kind open: close one first`;
    throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs: 1000 });
  };
}
