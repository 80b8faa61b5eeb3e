import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "./clock.js";

/** Source of identifiers and random numbers. It is injected, so that a test can control it. */
export interface Ids {
  /** A random UUID (version 4, RFC 9562 §5.4). */
  uuid(): string;
  /** A UUID that sorts by creation time (version 7, RFC 9562 §5.7), for use as a key. */
  orderedUuid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export function systemIds(clock: Clock): Ids {
  return {
    uuid: () => randomUUID(),
    orderedUuid: () => uuidV7(clock.nowMs(), randomBytes(10)),
    random: () => Math.random(),
  };
}

/** Builds a version 7 UUID from a time in ms since the epoch and 10 random bytes. */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.set(random, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the shape of a UUID of any version, including the nil UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
