import { networkOf } from "../identity/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { Tally } from "@steward/kernel/concurrency/tally.js";

/**
 * Counts a stream that is about to open. @returns a function to call when it has closed.
 * @throws AppError `QUOTA_EXCEEDED` when the limit is reached.
 */
export type AdmitStream = (clientAddress: string) => () => void;

/**
 * Limits what clients of one network have open at once: of an IPv4 address, or of 64 bits of an IPv6 address,
 * since a client has all the addresses that begin with them.
 * @returns a function that takes a place, and returns how to give it back; `undefined` when none is free.
 */
export function openPerNetwork(max: number): (address: string) => (() => void) | undefined {
  const open = new Tally(max);
  return (address) => open.enter(networkOf(address));
}

/** Limits the number of open streams of one client's network. */
export function streamsPerNetwork(max: number): AdmitStream {
  const open = openPerNetwork(max);
  return (clientAddress) => {
    const leave = open(clientAddress);
    if (leave !== undefined) return leave;
    const message = `Your address has ${String(max)} streams of this kind open: close one first`;
    throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs: 1000 });
  };
}
