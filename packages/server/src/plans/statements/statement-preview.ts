import type { StatementRequest } from "../ports.js";

/** A write to preview: it runs, and is always rolled back. */
export interface StatementToPreview extends Pick<
  StatementRequest,
  | "sql"
  | "binds"
  | "intent"
  | "caller"
  | "rowsChangedMax"
  | "mayChangeUncounted"
  | "waitMs"
  | "timeoutMs"
> {
  /** The tables whose changes are shown, with the columns whose values may be shown. */
  readonly tables: readonly PreviewedTable[];
}

/** A table that a write changes. Names are those of `TouchedTable`. */
export interface PreviewedTable {
  readonly name: string;
  /** Values of other columns never leave the database. */
  readonly columns: readonly string[];
}

/** The changes that a write would make if it ran now. */
export interface StatementPreview {
  /** Rows that change, with those of foreign keys and triggers, counted as in a run. */
  readonly rowsChanged: number;
  /** The first changed rows, in the order of the changes. */
  readonly changes: readonly RowChange[];
  /** Whether rows changed that `changes` does not show. */
  readonly isCut: boolean;
  /** Sentences about changes that `changes` cannot show. */
  readonly notes: readonly string[];
}

/** The change of one row. An inserted row has no `before`, a deleted one no `after`. */
export interface RowChange {
  readonly table: string;
  /** A JSON object with the columns that may be shown (Decision §5); long values are cut. */
  readonly before?: string;
  readonly after?: string;
}
