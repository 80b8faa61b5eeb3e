import type { AuditFact, PreparedBatch } from "../../../audit/ports.js";
import type { IndexEntry } from "../../../memory/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { DecidedCalls, NumberedCalls } from "../memory/pending-memory.js";
import type { PlansWithCalls, RecordedUsage } from "../usage/pending-usage.js";

/** What the thread is started with. */
export interface DerivationData {
  /** `postgres://…`; it may contain a password. */
  readonly url: string;
}

/** A batch of records, and the plans that it has not read to their ends. */
export interface PreparedRecords {
  readonly batch: PreparedBatch;
  readonly left: readonly PlanRef[];
}

/** The calls of the thread that derives rows from committed changes. */
export interface DerivationCalls {
  readonly prepareRecords: {
    readonly input: {
      readonly first: readonly AuditFact[];
      readonly limit: number;
      /** Plans with changes that have no records yet. */
      readonly plans: readonly PlanRef[];
    };
    readonly output: PreparedRecords;
  };
  readonly appendRecords: {
    readonly input: { readonly number: number; readonly checkpoint: string };
    readonly output: boolean;
  };
  readonly recordUsage: {
    readonly input: { readonly plans: PlansWithCalls; readonly limit: number };
    readonly output: RecordedUsage;
  };
  readonly takeCalls: {
    readonly input: {
      /** Plans with calls that have no entries yet. */
      readonly plans: readonly PlanRef[];
      readonly limit: number;
    };
    readonly output: NumberedCalls;
  };
  readonly rememberCalls: {
    readonly input: DecidedCalls;
    readonly output: readonly IndexEntry[];
  };
}
