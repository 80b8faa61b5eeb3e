import type { SqliteValue } from "./connection.js";

/** One statement of a unit. */
export interface Write {
  readonly sql: string;
  readonly params: readonly SqliteValue[];
  /** How many rows it must change; another number undoes the unit. Absent: any. */
  readonly expect?: number;
}

/** Statements that take effect together or not at all. */
export type WriteUnit = readonly Write[];

/** Units to be committed together: one transaction, one fsync. */
export interface CommitRequest {
  readonly units: readonly WriteUnit[];
}

/** How each unit ended, in the order of the request. */
export interface CommitReply {
  readonly results: readonly UnitResult[];
}

/** `conflict`: an expected number of rows was not met; nothing of the unit was kept. */
export type UnitResult =
  | { readonly kind: "committed" }
  | { readonly kind: "conflict" }
  | { readonly kind: "failed"; readonly message: string };
