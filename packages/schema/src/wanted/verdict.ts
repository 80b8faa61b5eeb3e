/** The decision about one statement of a wanted schema. */
export type Verdict =
  /** The statement is run in a scratch database, as this text. */
  | { readonly is: "definition"; readonly sql: string }
  /**
   * The statement does not affect the schema: a session setting, a transaction, SQLite's own
   * tables.
   */
  | { readonly is: "skipped" }
  /**
   * The statement defines an unmanaged object. It is never run, and the object must exist already.
   */
  | { readonly is: "unmanaged"; readonly sort: string; readonly name: string }
  /**
   * The statement is not allowed. @property reason a sentence that says why, and what to do.
   */
  | { readonly is: "refused"; readonly reason: string };

export const SKIPPED: Verdict = { is: "skipped" };

/** @param reason a complete sentence for the author of the statement. */
export function refusedFor(reason: string): Verdict {
  return { is: "refused", reason };
}
