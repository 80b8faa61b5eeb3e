/** A version of a text that an organization has set, such as its policies. The newest is in force. */
export interface TextVersion {
  readonly orgId: string;
  /** 1, 2, … */
  readonly version: number;
  readonly text: string;
  readonly changedBy: string;
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number;
}

/** The table of such versions. */
export interface TextVersionTable {
  readonly table: "policies" | "retention_versions";
  /** The column of the text. */
  readonly column: "text" | "periods";
  /** The number of versions that are kept of an organization; adding one deletes the oldest. */
  readonly versionsMax: number;
}
