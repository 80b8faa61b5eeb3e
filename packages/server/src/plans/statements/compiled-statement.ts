import type { StepOutput } from "./step-output.js";

/** One path segment in a step's output: a row or element, every element, or a member. */
export type PathSegment =
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" }
  | { readonly kind: "member"; readonly name: string };

/** In place of a step's id: the value is given with the statement itself. */
export const GIVEN = "";

/** A reference to a value in a step's output. */
export interface OutputRef {
  /** {@link GIVEN}, or the id of a step. */
  readonly stepId: string;
  /** From the output's root; empty: the whole output. At most one segment is `each`. */
  readonly path: readonly PathSegment[];
  /** Set for `output_cut`: the output may have been cut (Decision §5). */
  readonly mayBeCut?: true;
}

/** One parameter of a compiled statement, with the source of its value. */
export interface Bind extends OutputRef {
  /**
   * `value`: a scalar, or JSON text of rows; `list`: JSON text of an array; `members`: JSON text of
   * the list that `IN` compares with on SQLite; `array`: text of a PostgreSQL array; `text`: the
   * content of a string literal.
   */
  readonly form: "value" | "list" | "members" | "array" | "text";
}

/**
 * A compiled template (Decision §5): constant text in which every placeholder has become a
 * parameter. Exactly the statement that the guard checks is run.
 */
export interface CompiledStatement {
  /** Parameters are `?1`, `?2`… (SQLite) or `$1`, `$2`… (PostgreSQL), in the order of `binds`. */
  readonly sql: string;
  readonly binds: readonly Bind[];
  /** One row with the values that the call of a vetted statement gives; absent: it is none. */
  readonly given?: StepOutput;
}

/** The ids of the steps whose outputs a statement binds, each once. */
export function boundSteps({ binds }: CompiledStatement): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { stepId } of binds) if (stepId !== GIVEN) ids.add(stepId);
  return ids;
}
