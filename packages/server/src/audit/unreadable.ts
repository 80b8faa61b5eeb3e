import { systemClock } from "@steward/kernel/clock.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { AUDIT_REQUEST_BYTES_MAX } from "./limits.js";

/** The kind of a record that stands in the place of one that could not be made. */
export const UNREADABLE_KIND = "record.unreadable";

/** Where a fact could not be read, for its record. */
export interface UnreadablePlace {
  readonly orgId: string;
  /** The plan; empty for a fact of the outbox. */
  readonly subject: string;
  readonly source: "plan" | "outbox";
  /** The place in the plan's log. */
  readonly sequence?: number;
  /** The row as text, a personal value of the record. */
  readonly row: string;
}

/**
 * The fact that something was recorded which cannot be read, because its row is damaged or of a
 * later version of the program. The order of the log is its meaning and nothing may be passed over,
 * so the log says so in this place and goes on.
 */
export function unreadableFact({ orgId, subject, row, ...place }: UnreadablePlace): AuditFact {
  return {
    ...{ orgId, subject, atMs: systemClock.nowMs(), kind: UNREADABLE_KIND, origin: undefined },
    detail: { ...place },
    personal: { row: row.slice(0, AUDIT_REQUEST_BYTES_MAX) },
  };
}
