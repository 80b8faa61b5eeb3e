import { assert } from "@steward/kernel/assert.js";
import type { SqliteValue } from "./connection.js";

export function text(value: SqliteValue | undefined): string {
  assert(typeof value === "string", "the column holds text");
  return value;
}

export function number(value: SqliteValue | undefined): number {
  assert(typeof value === "number", "the column holds a number");
  return value;
}

export function optionalText(value: SqliteValue | undefined): string | undefined {
  return value === null ? undefined : text(value);
}

export function optionalNumber(value: SqliteValue | undefined): number | undefined {
  return value === null ? undefined : number(value);
}

/** The memory that the values of a row take, about. */
export function rowBytesOf(values: readonly SqliteValue[]): number {
  let bytes = 0;
  for (const value of values) {
    bytes += typeof value === "string" || value instanceof Uint8Array ? value.length + 8 : 8;
  }
  return bytes;
}
