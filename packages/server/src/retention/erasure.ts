/** The extent of an erasure: all data of an organization, of a session, or of a user. */
export const ERASURE_SCOPES = ["organization", "session", "user"] as const;

export type ErasureScope = (typeof ERASURE_SCOPES)[number];

/** The owner of the data that an erasure deletes. */
export interface ErasureSubject {
  readonly orgId: string;
  readonly scope: ErasureScope;
  /** The session's or the user's id; empty for an organization, and once the erasure has ended. */
  readonly subject: string;
}

/** The number of deleted rows by class. */
export interface ErasedCounts {
  /** Plans with their outputs, events, tool calls and idempotency keys. */
  readonly plans: number;
  /** Memory entries with their vectors. */
  readonly entries: number;
  /** Usage rows; only an organization's are erased, because they hold no content and no person. */
  readonly usage: number;
}

/**
 * A durable request to erase, and afterwards its receipt. The subject is deleted before the
 * erasure ends, so that the receipt does not contain it.
 */
export interface Erasure extends ErasureSubject {
  /** UUID. */
  readonly erasureId: string;
  /** User, agent or API key; empty when unknown, or when it is the erased user. */
  readonly requestedBy: string;
  /** Milliseconds since the epoch. What is created later is not erased. */
  readonly requestedAtMs: number;
  /** Absent while it runs. */
  readonly finishedAtMs?: number;
  readonly counts: ErasedCounts;
  /**
   * SHA-256 in hexadecimal of the salt that the requester got, followed by the subject. With the
   * salt the requester can prove whose erasure this was, and nobody else can find it out.
   */
  readonly subjectDigest: string;
}

/** A plan in the scope of an erasure, or a fork that refers to the results of one. */
export interface PlanInScope {
  readonly planId: string;
  /** Whether the plan has ended. */
  readonly isOver: boolean;
  /** Whether the plan has ended and every consumer has read all of its tool calls. */
  readonly isSettled: boolean;
}

/** A page of plans in scope. */
export interface PlansInScope {
  readonly plans: readonly PlanInScope[];
  /** Where the next page begins; absent on the last one. */
  readonly through?: string;
}

/** The rows that an erasure would delete now. */
export interface ErasureEstimate {
  readonly counts: ErasedCounts;
  /** Bytes of the definitions and logs of plans, and of the contents of entries. */
  readonly bytes: { readonly plans: number; readonly entries: number };
}
