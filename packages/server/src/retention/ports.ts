import type {
  ErasedCounts,
  Erasure,
  ErasureEstimate,
  ErasureSubject,
  PlansInScope,
} from "./erasure.js";
import type { RetentionPeriods } from "./retention-period.js";
import type { RecordedOperation } from "../kernel/recorded-operation.js";

/** One version of an organization's own retention periods. */
export interface RetentionVersion {
  readonly orgId: string;
  /** From 1. */
  readonly version: number;
  readonly periods: RetentionPeriods;
  /** User, agent or API key; empty when unknown. */
  readonly changedBy: string;
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number;
}

/** A legal hold: until it is lifted, nothing that it covers is deleted. */
export interface LegalHold {
  readonly orgId: string;
  /** UUID. */
  readonly holdId: string;
  /** The session that it covers; absent: the whole organization. */
  readonly sessionId?: string;
  readonly reason: string;
  /** User, agent or API key; empty when unknown. */
  readonly placedBy: string;
  /** Milliseconds since the epoch. */
  readonly placedAtMs: number;
}

/**
 * Stores organizations' own retention periods and legal holds. Each change is durable, and visible
 * to every node, when its promise resolves. Errors: AppError `STORE_UNAVAILABLE`, with nothing
 * changed.
 */
export interface RetentionStore {
  /** The version in force; `undefined` when the organization has set nothing. */
  latest(orgId: string): Promise<RetentionVersion | undefined>;

  /** @returns false, with nothing changed, unless its version follows the latest. */
  put(version: RetentionVersion, operation?: RecordedOperation): Promise<boolean>;

  /** The holds of an organization, oldest first. */
  holds(orgId: string): Promise<readonly LegalHold[]>;

  /**
   * Places a hold. When the promise resolves, every deletion that the hold forbids has either
   * ended or will not begin.
   */
  placeHold(hold: LegalHold, operation?: RecordedOperation): Promise<void>;

  /** @returns false when the organization has no such hold. */
  liftHold(orgId: string, holdId: string, operation?: RecordedOperation): Promise<boolean>;
}

/** A page of an organization's rows, in the order of their creation. */
export interface ExpiredPage {
  /** Rows are expired when their time is before this one, in ms since the epoch. */
  readonly beforeMs: number;
  /** The last plan of the previous page; absent: from the oldest on. */
  readonly after?: string;
  readonly limit: number;
}

/** The rows of a page that were deleted. */
export interface PageDeleted {
  readonly deleted: number;
  /** The last plan of this page; absent when no later plan can be expired. */
  readonly through?: string;
}

/**
 * Deletes expired rows in small transactions. Each method is one transaction and deletes nothing
 * that a legal hold covers. Where several nodes share the store, a method that finds another node
 * deleting the same organization's rows deletes nothing. Errors: `STORE_UNAVAILABLE`; whatever was
 * deleted before stays deleted.
 */
export interface ExpiredRows {
  /** The organization with rows whose id follows this one; `undefined`: there is none. */
  nextOrganization(after: string | undefined): Promise<string | undefined>;

  /**
   * Makes plans that ended before the page's time unknown, and releases their idempotency keys. A
   * plan stays while a consumer has not read all of its tool calls, or while a fork refers to its
   * results. Their logs are deleted afterwards, by {@link deleteLogs}.
   */
  deletePlans(orgId: string, page: ExpiredPage): Promise<PageDeleted>;

  /** Deletes rows of the logs of deleted plans, at most `limit`. @returns whether more may be left. */
  deleteLogs(orgId: string, limit: number): Promise<boolean>;

  /** Deletes idempotency keys that were first used before the page's time, except those of plans that run. */
  deleteIdempotencyKeys(orgId: string, page: ExpiredPage): Promise<PageDeleted>;

  /**
   * Deletes usage rows that occurred before a time, at most `limit`; totals stay.
   * @param beforeMs the start of a UTC day, in ms since the epoch.
   * @returns the number of deleted rows; fewer than `limit` when no more are left.
   */
  deleteUsageDetail(orgId: string, beforeMs: number, limit: number): Promise<number>;

  /**
   * Purges a part of the full-text index of the words of all memory entries that were deleted before
   * the first call. An engine whose index never has them does nothing.
   * @returns whether parts are left, which the next call purges.
   */
  purgeWords(): Promise<boolean>;
}

/** Deletes memory entries, in the store and in the search index. */
export interface ExpiredEntries {
  /**
   * Deletes entries that were created before a time, of one session or of all, at most `limit`,
   * except those that a legal hold covers.
   * @returns their number; fewer than `limit` when no more are left.
   */
  deleteEntries(
    orgId: string,
    which: { readonly beforeMs: number; readonly sessionId?: string },
    limit: number,
  ): Promise<number>;

  /** Deletes the entries with these ids that exist. @returns their number. */
  deleteThese(orgId: string, entryIds: readonly string[]): Promise<number>;
}

/** The audit log's part of an erasure. Errors: `STORE_UNAVAILABLE`. */
export interface ErasedAuditValues {
  /** Resolves when what happened before the call has its records. */
  flush(): Promise<void>;

  /**
   * Erases personal values of an organization's records up to a time: of records about these
   * plans, of records that contain this text, or of all.
   * @returns how many records lost their values; fewer than `limit` when no more are left.
   */
  erase(
    orgId: string,
    which: {
      readonly untilMs: number;
      readonly subjects?: readonly string[];
      readonly text?: string;
    },
    limit: number,
  ): Promise<number>;
}

/** The state's part of an erasure of an organization. */
export interface ErasedState {
  /**
   * Deletes the organization's branches, tags and history.
   * @returns whether there were any. @throws AppError `STORE_UNAVAILABLE`.
   */
  erase(orgId: string): Promise<boolean>;
}

/**
 * Stores requests to erase, and their receipts. Errors: `STORE_UNAVAILABLE`; nothing has changed
 * then.
 */
export interface ErasureStore {
  /** Stores a request; it is carried out even if the process ends. */
  begin(erasure: Erasure, operation?: RecordedOperation): Promise<void>;

  /** The erasures of an organization, newest first, at most `limit`. */
  list(orgId: string, limit: number): Promise<readonly Erasure[]>;

  /** All erasures that have not ended. */
  unfinished(): Promise<readonly Erasure[]>;

  /** Adds to the counts of an erasure. */
  count(erasure: Erasure, deleted: ErasedCounts): Promise<void>;

  /** Makes the request a receipt. */
  finish(erasure: Erasure, finishedAtMs: number, operation?: RecordedOperation): Promise<void>;
}

/**
 * Deletes the rows of a subject in small transactions, and nothing that a legal hold covers.
 * Errors: `STORE_UNAVAILABLE`; whatever was deleted before stays deleted.
 */
export interface ErasedRows {
  /** The rows that an erasure would delete now. */
  estimate(subject: ErasureSubject): Promise<ErasureEstimate>;

  /** Plans of the subject that were created by `untilMs`, with the forks that refer to them. */
  plansInScope(
    subject: ErasureSubject,
    page: { readonly untilMs: number; readonly after?: string; readonly limit: number },
  ): Promise<PlansInScope>;

  /** The ids of the memory entries that record the tool calls of plans. */
  entriesOfPlans(orgId: string, planIds: readonly string[]): Promise<readonly string[]>;

  /**
   * Makes plans unknown that have ended and that nothing needs, deletes the webhooks about them that
   * were not delivered, takes the names of their steps out of the usage, and counts the plans in the erasure, in one transaction. Their logs are deleted afterwards, by {@link ExpiredRows.deleteLogs}.
   */
  erasePlans(erasure: Erasure, planIds: readonly string[]): Promise<void>;

  /**
   * Deletes the subject's name from rows that stay: a user's where it says who changed something, a
   * session's in usage, which becomes that of an unknown session. Ends the sessions of the browsers
   * of an organization or a user. Deletes the subject from the request itself.
   */
  eraseNames(erasure: Erasure): Promise<void>;

  /** Overwrites deleted rows in the store's files, as far as the engine supports it. */
  overwrite(): Promise<void>;
}

/** The names of users in plans that are not theirs. Errors: `STORE_UNAVAILABLE`. */
export interface ErasedPlanNames {
  /**
   * Deletes the user of an erasure from a page of ended plans, in one transaction: where a log, an
   * approval or a webhook says who asked for, wrote or decided something. A plan that runs keeps the
   * name, because four eyes need it.
   */
  erase(
    erasure: Erasure,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<PageOfNames>;
}

/** A page of plans without a user's name. */
export interface PageOfNames {
  /** The last plan of this page; absent when there is no later one. */
  readonly through?: string;
  /** Whether a plan that runs names the user. */
  readonly isNamed: boolean;
}

/** The results that writes of plans have left in data sources. */
export interface ErasedMarkers {
  /** Deletes them where the data source can be reached; it logs where not. Never throws. */
  erase(orgId: string, planIds: readonly string[]): Promise<void>;
}
