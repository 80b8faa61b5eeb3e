/** What is done with one statement of a wanted schema. */
export type Verdict =
  /** It is run in an empty database, as this text. */
  | { readonly is: "definition"; readonly sql: string }
  /** It says nothing about the schema: a setting of the session, a transaction, SQLite's own tables. */
  | { readonly is: "skipped" }
  /** It defines an object that no migration makes. It is never run, and must be in the database already. */
  | { readonly is: "unmanaged"; readonly sort: string; readonly name: string }
  /** It is not run. @property reason A sentence that says why, and what to do. */
  | { readonly is: "refused"; readonly reason: string };

/** Nothing is done with it. */
export const SKIPPED: Verdict = { is: "skipped" };

/** @param reason A whole sentence, for whoever wrote the statement. */
export function refusedFor(reason: string): Verdict {
  return { is: "refused", reason };
}
