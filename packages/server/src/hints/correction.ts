import type { Relation } from "@steward/schema";
import type { Fault } from "./fault.js";
import type { NamedConstraint } from "./named-constraint.js";
import type { KnownTables } from "./schema/known-tables.js";
import type { Scope } from "./statement/scope.js";

/** A part of the schema that a correction names; only callers who may read it are told. */
export interface NamedPart {
  readonly table: Relation;
  /** At least one. */
  readonly columns: readonly string[];
}

/** One sentence that says what to write instead. */
export interface Correction {
  readonly sentence: string;
  /** Empty when the sentence names nothing but what the statement names. */
  readonly names: readonly NamedPart[];
}

/** A parsed statement that hints are made for. */
export interface ReadStatement {
  readonly sql: string;
  readonly tables: KnownTables;
  readonly scopes: readonly Scope[];
}

/** A statement that the engine refused. */
export interface FailedStatement extends ReadStatement {
  /** Absent: what the engine refuses is not in the statement, or not known. */
  readonly fault: Fault | undefined;
  /** The constraint that refuses a row. */
  readonly constraint: NamedConstraint | undefined;
}

/** Corrections of one class of failures, the most probable first; empty for other failures. */
export type FailureRule = (failed: FailedStatement) => readonly Correction[];

/** The sentence that advises to write one fragment of SQL in place of another one. */
export function useInstead(
  fragment: string,
  written: string,
  names: readonly NamedPart[] = [],
): Correction {
  return { sentence: `Use \`${fragment}\` instead of \`${written}\`.`, names };
}
