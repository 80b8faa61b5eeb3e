import type { MessagePort } from "node:worker_threads";
import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import type { SqliteValue } from "./connection.js";

/**
 * A unit changed another number of rows than expected, because another writer was faster. The unit
 * was rolled back.
 */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}

/** The error of a unit that could not be written. @param reason the cause, for an operator. */
export function unavailable(cause: Error, reason?: string): AppError {
  const message = `The store cannot be written to now${reason === undefined ? "" : `: ${reason}`}`;
  return new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 });
}

/** One statement of a unit. */
export interface Write {
  readonly sql: string;
  readonly params: readonly SqliteValue[];
  /** Number of rows that it must change; another number rolls back the unit. Absent: any. */
  readonly expect?: number;
}

/** Statements that take effect together or not at all. */
export type WriteUnit = readonly Write[];

/**
 * Units to be committed together, with one transaction and one fsync. A message to the other thread
 * is copied value by value. So a statement text that the thread already has is sent as a number,
 * and a unit as one flat list: number of the text, expected rows (-1: any), count of parameters,
 * the parameters; again for each statement.
 */
export interface CommitRequest {
  /** Texts sent for the first time; they get the next numbers. */
  readonly newTexts: readonly string[];
  readonly units: readonly PackedUnit[];
}

/** What the owner tells the thread beside units to be committed. */
export type WriterOrder =
  | "truncate"
  | "close"
  /** Units that arrive at the port, one in each request, are committed with those of the owner. */
  | { readonly connected: MessagePort };

/** The flat form of a unit. */
export type PackedUnit = readonly SqliteValue[];

/** Packs units for the other thread; tracks the texts that the thread has. */
export class UnitPacker {
  readonly #numbers = new Map<string, number>();

  pack(units: readonly WriteUnit[]): CommitRequest {
    const newTexts: string[] = [];
    return { newTexts, units: units.map((unit) => this.#packUnit(unit, newTexts)) };
  }

  #packUnit(unit: WriteUnit, newTexts: string[]): PackedUnit {
    const packed: SqliteValue[] = [];
    for (const { sql, params, expect = ANY_ROWS } of unit) {
      packed.push(this.#numberOf(sql, newTexts), expect, params.length);
      for (const param of params) packed.push(param);
    }
    return packed;
  }

  #numberOf(sql: string, newTexts: string[]): number {
    const known = this.#numbers.get(sql);
    if (known !== undefined) return known;
    newTexts.push(sql);
    this.#numbers.set(sql, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** Unpacks the units of {@link UnitPacker}. */
export class UnitUnpacker {
  readonly #texts: string[] = [];

  /** Stores the new texts of a request; to be called once for each request, in order. */
  learn(newTexts: readonly string[]): void {
    this.#texts.push(...newTexts);
  }

  /** The statements of a unit, one by one. */
  *unpack(packed: PackedUnit): Generator<Write> {
    for (let at = 0; at < packed.length;) {
      // The packer has written these three numbers.
      const [text, expect, count] = packed.slice(at, at + 3) as [number, number, number];
      const sql = this.#texts[text];
      assert(sql !== undefined, "a text is sent before its number");
      const params = packed.slice(at + 3, at + 3 + count);
      yield expect === ANY_ROWS ? { sql, params } : { sql, params, expect };
      at += 3 + count;
    }
  }
}

const ANY_ROWS = -1;

/** The result of each unit, in the order of the request. */
export interface CommitReply {
  readonly results: readonly UnitResult[];
}

/** Tells the owner of a commit that had units of other threads only. */
export const JOINED_COMMIT = "joined commit";

/**
 * `conflict`: the number of changed rows was not the expected one, and the unit was rolled back.
 * `failed`: the engine's message, and the reason if an operator can remove it.
 */
export type UnitResult =
  | { readonly kind: "committed" }
  | { readonly kind: "conflict" }
  | { readonly kind: "failed"; readonly message: string; readonly reason: string | undefined };
