import type { AuditFact } from "../kernel/audit-fact.js";
import type { NewAuditRecord, PersonalValues } from "./record.js";
import type { ChangedTile, TileName } from "./tree/index.js";

export type { AuditFact, AuditDetail } from "../kernel/audit-fact.js";
export type { NewAuditRecord } from "./record.js";
export { planFactsOf, type LoggedChange } from "./plan-facts.js";
export { unreadableFact } from "./unreadable.js";

/** Facts that wait for their place in the tree, in the order of their commits. */
export interface AuditBatch {
  readonly facts: readonly AuditFact[];
  /** Whether more may be waiting. */
  readonly isCut: boolean;
}

/** The right edge of the tree, from which it continues. */
export interface TreeHead {
  readonly size: number;
  /** The incomplete tile of each level. */
  readonly partials: readonly Uint8Array[];
}

/** What a batch adds to the tree. */
export interface TreeAddition {
  /** The size of the tree before. */
  readonly from: number;
  readonly records: readonly NewAuditRecord[];
  readonly tiles: readonly ChangedTile[];
  /** The signed note of the tree with the records. */
  readonly checkpoint: string;
}

/**
 * The tree of a store, and where its facts come from: plans' logs and the outbox, where each is committed
 * together with the change that it describes. Batches are taken from the source in the engine's own way; the same facts
 * are taken until they are in the tree.
 */
export interface FactSource {
  head(): Promise<TreeHead>;

  /**
   * Appends the records of a batch: the records, the tiles, the checkpoint and the positions of the
   * sources change in one transaction.
   * @returns false, with nothing changed, when another node has appended first.
   */
  append(batch: AuditBatch, addition: TreeAddition): Promise<boolean>;
}

/** Records that are ready to be appended, and the tree with them. */
export interface PreparedBatch {
  /** Tells it from other batches that the same process has prepared. */
  readonly number: number;
  /** The size of the tree before. */
  readonly from: number;
  /** The size of the tree with the records; equal to `from` when nothing is waiting. */
  readonly size: number;
  readonly root: Uint8Array;
  /** Whether more may be waiting. */
  readonly isCut: boolean;
  /** The facts that could not be read, in whose place a record says so. */
  readonly unreadable: readonly { readonly orgId: string; readonly subject: string }[];
}

/** A batch of {@link AuditSequence.prepare}. */
export type AppendableBatch = Pick<PreparedBatch, "number">;

/**
 * Moves facts into the tree, a batch at a time. Errors: `STORE_UNAVAILABLE` when the store cannot be
 * reached.
 */
export interface AuditSequence {
  /** How many changes of plans, and how many facts of the outbox, a batch should have at most. */
  readonly batchMax: number;

  /**
   * Makes the records of the next facts and the tree with them. Nothing changes in the store.
   * @param first facts that stand before those of the store.
   * @param limit maximum number of changes of plans, and of facts of the outbox.
   */
  prepare(first: readonly AuditFact[], limit: number): Promise<PreparedBatch>;

  /**
   * Appends a batch with the signed note of the tree with it, like {@link FactSource.append}.
   * @returns false also when several batches were prepared since.
   */
  append(batch: AppendableBatch, checkpoint: string): Promise<boolean>;

  /** Stores facts that belong to no other transaction, such as refusals. Durable when it resolves. */
  add(facts: readonly AuditFact[]): Promise<void>;
}

/** A record as it is stored. */
export interface AuditRecord {
  /** Its place in the tree, from 0. */
  readonly index: number;
  readonly orgId: string;
  /** Canonical JSON. */
  readonly entry: string;
  /** Absent when the record has none, or when they were erased. */
  readonly personal: PersonalValues | undefined;
}

/** The error of a step, as a record of the end of its attempt tells it. */
export interface RecordedError {
  readonly stepId: string;
  readonly message: string;
  /** The statement that failed; absent: the attempt did not reach its tool. */
  readonly call: { readonly dataSource: string; readonly intent: string } | undefined;
}

/** Whether a reader may have the error of a step, also of a plan that is not stored any more. */
export type ErrorVisibility = (planId: string, error: RecordedError) => Promise<boolean>;

/** Conditions of a listing; all of them must hold. */
export interface AuditFilter {
  readonly orgId: string;
  /** A kind such as `plan.changed`, or its first part such as `plan`. */
  readonly kind?: string | undefined;
  readonly subject?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

/** The bounds of a page. The first record is on it, however large. */
export interface PageSize {
  readonly limit: number;
  /** Bytes of the entries and personal values. */
  readonly bytesMax: number;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Whether the page ended before `limit` records, because of their bytes. */
  readonly isCut: boolean;
}

/** Reads of the log. Errors: `STORE_UNAVAILABLE` when the store cannot be reached. */
export interface AuditArchive {
  /** Newest first, only records before this index; absent: from the newest on. */
  list(filter: AuditFilter, size: PageSize, before?: number): Promise<AuditPage>;

  /** `undefined` when there is none, or when it belongs to another organization. */
  record(orgId: string, index: number): Promise<AuditRecord | undefined>;

  /** The entries from `from` on, at most `count`, in their order. */
  entries(from: number, count: number): Promise<readonly string[]>;

  /** The hashes of tiles; of an incomplete tile, at least as many as the name says. */
  tiles(names: readonly TileName[]): Promise<readonly Buffer[]>;

  /** The newest checkpoint; empty before the first record. */
  checkpoint(): Promise<{ readonly size: number; readonly note: string }>;

  /**
   * Erases personal values with their salts. The records stay and still verify.
   * @returns how many records lost their values, at most `limit`.
   */
  erase(orgId: string, which: ErasedValues, limit: number): Promise<number>;
}

/** The records that lose their personal values: those of an organization for which this holds. */
export interface ErasedValues {
  /** Only records up to this time, in ms since the epoch. */
  readonly untilMs: number;
  /** Only records about these, such as plans; absent: about anything. */
  readonly subjects?: readonly string[];
  /**
   * Only records with a personal value that is this text, or that is JSON and contains it as a
   * string.
   */
  readonly text?: string;
}
