import type { MessagePort } from "node:worker_threads";
import type { AuditFact, PreparedBatch } from "../../../audit/ports.js";
import type { IndexEntry } from "../../../memory/index.js";
import type { DecidedCalls, NumberedCalls } from "../memory/pending-memory.js";
import type { RecordedUsage } from "../usage/pending-usage.js";

/** What the thread is started with. */
export interface DerivationData {
  /** The store's file. */
  readonly path: string;
  /** Its way to the thread that writes. */
  readonly writer: MessagePort;
}

/** The calls of the thread that derives rows from committed changes. */
export interface DerivationCalls {
  readonly prepareRecords: {
    readonly input: { readonly first: readonly AuditFact[]; readonly limit: number };
    readonly output: PreparedBatch;
  };
  readonly appendRecords: {
    readonly input: { readonly number: number; readonly checkpoint: string };
    readonly output: boolean;
  };
  readonly recordUsage: {
    readonly input: { readonly limit: number; readonly waiting: readonly string[] };
    readonly output: RecordedUsage;
  };
  readonly takeCalls: {
    readonly input: { readonly limit: number; readonly waiting: readonly string[] };
    readonly output: NumberedCalls;
  };
  readonly rememberCalls: {
    readonly input: DecidedCalls;
    readonly output: readonly IndexEntry[];
  };
}
