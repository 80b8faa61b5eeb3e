import { invalidField } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import type { EntryPosition } from "./ports.js";

/** An entry's position in a listing, as an opaque text for callers. */
export function cursorOf({ createdAtMs, entryId }: EntryPosition): string {
  return `${String(createdAtMs)}_${entryId}`;
}

/** The position in a cursor. @throws AppError `INVALID_ARGUMENT`. */
export function positionOf(cursor: string): EntryPosition {
  const [, createdAtMs, entryId] = /^(\d{1,15})_(.{36})$/.exec(cursor) ?? [];
  if (createdAtMs === undefined || entryId === undefined || !isUuid(entryId)) {
    throw invalidField("cursor", "must be the next_cursor of a page");
  }
  return { createdAtMs: Number(createdAtMs), entryId };
}
