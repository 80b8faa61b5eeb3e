/** One step into a step's output: a row or element, every element, or a member. */
export type PathSegment =
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" }
  | { readonly kind: "member"; readonly name: string };

/** Which value of which step's output is meant. */
export interface OutputRef {
  readonly stepId: string;
  /** From the output's root; empty: the whole output. At most one segment is `each`. */
  readonly path: readonly PathSegment[];
  /** Written `output_cut`: the output may be one that was cut (Decision §5). */
  readonly mayBeCut?: true;
}

/** One parameter of a compiled statement, and where its value comes from. */
export interface Bind extends OutputRef {
  /**
   * `value`: a scalar, or JSON text of rows; `list`: JSON text of an array; `members`: JSON text of
   * what `IN` compares with on SQLite; `array`: text of a PostgreSQL array; `text`: what stood inside
   * a string literal.
   */
  readonly form: "value" | "list" | "members" | "array" | "text";
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
