import { invalidField } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import type { EntryPosition } from "./ports.js";

/** An entry's place in a listing as text, for callers to hand back. */
export function cursorOf({ createdAtMs, entryId }: EntryPosition): string {
  return `${String(createdAtMs)}_${entryId}`;
}

/** The place that a cursor names. @throws AppError `INVALID_ARGUMENT`. */
export function positionOf(cursor: string): EntryPosition {
  const [, createdAtMs, entryId] = /^(\d{1,15})_(.{36})$/.exec(cursor) ?? [];
  if (createdAtMs === undefined || entryId === undefined || !isUuid(entryId)) {
    throw invalidField("cursor", "must be the next_cursor of a page");
  }
  return { createdAtMs: Number(createdAtMs), entryId };
}
