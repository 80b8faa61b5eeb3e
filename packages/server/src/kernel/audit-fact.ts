import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Origin } from "./origin.js";

/** An event that becomes a record. */
export interface AuditFact {
  readonly orgId: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** As in `plan.changed` and `key.created`. */
  readonly kind: string;
  /** The id of the changed object, such as a plan's; empty: none. */
  readonly subject: string;
  /** The caller whose request caused it; absent: the service itself. */
  readonly origin?: Origin | undefined;
  /** What the record tells to everybody who may read it. */
  readonly detail: AuditDetail;
  /**
   * Values that may belong to a person, by the place in `detail` where they belong, such as
   * `events.0.reason`. The record has one salted digest of all of them.
   */
  readonly personal?: Readonly<Record<string, string>> | undefined;
}

/** The members of a record that depend on its kind. */
export type AuditDetail = Readonly<Record<string, JsonValue>>;
