import { createHash } from "node:crypto";
import { canonicalJson } from "../kernel/canonical-json.js";
import type { RowCheck, Script } from "./ports.js";

/** The smallest part of a script that takes effect by itself: a transaction, or one statement. */
export interface Unit {
  readonly statements: readonly string[];
  /** False for a statement that the engine runs outside of transactions only. */
  readonly isTransactional: boolean;
  /** Questions to the rows, which are asked in the transaction. */
  readonly checks?: readonly RowCheck[];
}

/** The units of a script, in their order. */
export function unitsOf(script: Script): readonly Unit[] {
  return script.flatMap(({ isAtomic, statements, checks = [] }): readonly Unit[] => {
    if (isAtomic) return [{ statements, isTransactional: true, checks }];
    return statements.map((sql) => ({
      statements: [sql],
      isTransactional: concurrentIndex(sql) === undefined,
    }));
  });
}

/** The script that consists of some units. */
export function scriptOfUnits(units: readonly Unit[]): Script {
  return units.map(({ statements, isTransactional }) => ({
    isAtomic: isTransactional,
    statements,
  }));
}

/** What a script is known by in the journal: SHA-256 of its canonical JSON, in hexadecimal. */
export function digestOf(script: Script): string {
  const said = script.map(({ isAtomic, statements }) => ({
    isAtomic,
    statements: [...statements],
  }));
  return createHash("sha256").update(canonicalJson(said)).digest("hex");
}

/**
 * The index that a planned statement makes while others write, qualified and quoted; undefined for any
 * other statement.
 */
export function concurrentIndex(sql: string): string | undefined {
  const name = '"(?:[^"]|"")+"';
  const pattern = `^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (${name}) ON (?:ONLY )?(${name})\\.${name} `;
  const [, index, schema] = new RegExp(pattern).exec(sql) ?? [];
  return index === undefined || schema === undefined ? undefined : `${schema}.${index}`;
}
