import { createHash } from "node:crypto";
import { canonicalJson } from "@steward/kernel/canonical-json.js";
import type { RowCheck, Script } from "../ports.js";

/**
 * The smallest part of a script that takes effect separately: a transaction, or a statement outside
 * of transactions.
 */
export interface Unit {
  readonly statements: readonly string[];
  /** False for a statement that the engine only runs outside of transactions. */
  readonly isTransactional: boolean;
  /** Checks of the existing rows, which run in the unit's transaction. */
  readonly checks?: readonly RowCheck[];
}

export function unitsOf(script: Script): readonly Unit[] {
  return script.flatMap(({ isAtomic, statements, checks = [] }): readonly Unit[] => {
    if (isAtomic) return [{ statements, isTransactional: true, checks }];
    return statements.map((sql) => ({
      statements: [sql],
      isTransactional: concurrentIndex(sql) === undefined,
    }));
  });
}

/** Builds a script from units. */
export function scriptOfUnits(units: readonly Unit[]): Script {
  return units.map(({ statements, isTransactional }) => ({
    isAtomic: isTransactional,
    statements,
  }));
}

/**
 * The digest that identifies a script in the journal: SHA-256 of its canonical JSON, in
 * hexadecimal.
 */
export function digestOf(script: Script): string {
  const said = script.map(({ isAtomic, statements }) => ({
    isAtomic,
    statements: [...statements],
  }));
  return createHash("sha256").update(canonicalJson(said)).digest("hex");
}

/**
 * The index, qualified and quoted, that a planned CREATE INDEX CONCURRENTLY builds; undefined for
 * other statements.
 */
export function concurrentIndex(sql: string): string | undefined {
  const name = '"(?:[^"]|"")+"';
  const pattern = `^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (${name}) ON (?:ONLY )?(${name})\\.${name} `;
  const [, index, schema] = new RegExp(pattern).exec(sql) ?? [];
  return index === undefined || schema === undefined ? undefined : `${schema}.${index}`;
}
