import { assert } from "@steward/kernel/assert.js";
import type { SqliteValue } from "./connection.js";

/** One statement of a unit. */
export interface Write {
  readonly sql: string;
  readonly params: readonly SqliteValue[];
  /** How many rows it must change; another number undoes the unit. Absent: any. */
  readonly expect?: number;
}

/** Statements that take effect together or not at all. */
export type WriteUnit = readonly Write[];

/**
 * Units to be committed together: one transaction, one fsync. What crosses to the other thread is
 * copied value by value, so a text that it has seen before travels as its number, and a unit as one
 * flat list: number of the text, expected rows (-1: any), count of parameters, the parameters; again
 * for each statement.
 */
export interface CommitRequest {
  /** Texts sent for the first time; their numbers go on from those before. */
  readonly newTexts: readonly string[];
  readonly units: readonly PackedUnit[];
}

/** A unit as it travels. */
export type PackedUnit = readonly SqliteValue[];

/** Packs units for the other thread; knows which texts it has seen. */
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

/** Takes apart what {@link UnitPacker} has packed. */
export class UnitUnpacker {
  readonly #texts: string[] = [];

  /** Takes the texts of a request over; to be called once for each, in order. */
  learn(newTexts: readonly string[]): void {
    this.#texts.push(...newTexts);
  }

  /** The statements of a unit, one by one. */
  *unpack(packed: PackedUnit): Generator<Write> {
    for (let at = 0; at < packed.length;) {
      // The three numbers were put there by the packer.
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

/** How each unit ended, in the order of the request. */
export interface CommitReply {
  readonly results: readonly UnitResult[];
}

/**
 * `conflict`: an expected number of rows was not met; nothing of the unit was kept. `failed`: the
 * engine's words, and the reason where an operator can do something about it.
 */
export type UnitResult =
  | { readonly kind: "committed" }
  | { readonly kind: "conflict" }
  | { readonly kind: "failed"; readonly message: string; readonly reason: string | undefined };
