import type { Dialect } from "../governance/index.js";
import type { SqlValue } from "./ports.js";

/** One step into a step's output: a row or element, every element, or a member. */
export type PathSegment =
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" }
  | { readonly kind: "member"; readonly name: string };

/** One parameter of a compiled statement, and where its value comes from. */
export interface Bind {
  readonly stepId: string;
  /** From the output's root; empty: the whole output. */
  readonly path: readonly PathSegment[];
  /** `value`: a scalar, or JSON text of anything else; `list`: JSON text of an array; `text`: inside a literal. */
  readonly form: "value" | "list" | "text";
}

/**
 * A template after compilation (Decision §5): constant text whose every placeholder has become a
 * parameter. What the guard checks is exactly what runs.
 */
export interface CompiledStatement {
  /** Parameters are `?1`, `?2`… (SQLite) or `$1`, `$2`… (PostgreSQL), in the order of `binds`. */
  readonly sql: string;
  readonly binds: readonly Bind[];
}

/** @throws AppError `BAD_PLACEHOLDER`, without a field: the caller knows which step it is. */
export declare function compileTemplate(template: string, dialect: Dialect): CompiledStatement;

/** @throws AppError `STEP_FAILED` naming the placeholder whose path does not exist. */
export declare function bindOutputs(
  statement: CompiledStatement,
  outputs: ReadonlyMap<string, string>,
): readonly SqlValue[];
