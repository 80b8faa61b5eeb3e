import { assert } from "@steward/kernel/assert.js";
import type { SqliteValue } from "./connection.js";

/** A column that holds text. */
export function text(value: SqliteValue | undefined): string {
  assert(typeof value === "string", "the column holds text");
  return value;
}

/** A column that holds a number. */
export function number(value: SqliteValue | undefined): number {
  assert(typeof value === "number", "the column holds a number");
  return value;
}

/** A column that may hold text. */
export function optionalText(value: SqliteValue | undefined): string | undefined {
  return value === null ? undefined : text(value);
}

/** A column that may hold a number. */
export function optionalNumber(value: SqliteValue | undefined): number | undefined {
  return value === null ? undefined : number(value);
}
