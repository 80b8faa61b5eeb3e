/** What an event of API Activity (6003) does; the numbers are OCSF's `activity_id`. */
export const API_ACTIVITIES = {
  Create: 1,
  Read: 2,
  Update: 3,
  Delete: 4,
  Other: 99,
} as const;

/** The activities of the class Authentication (3002). */
export const AUTHENTICATION_ACTIVITIES = { Logon: 1, Logoff: 2 } as const;

/** How records of a kind become events. */
export type EventKind =
  | { readonly className: "api"; readonly activity: keyof typeof API_ACTIVITIES }
  | {
      readonly className: "authentication";
      readonly activity: keyof typeof AUTHENTICATION_ACTIVITIES;
    };

/**
 * The kinds of records, and what their events say. A record with a tool call on a data source is
 * Datastore Activity (6005), whatever its kind.
 */
export const EVENT_KINDS: Readonly<Record<string, EventKind>> = {
  ...api("Create", ["key.create", "hold.place", "memory.add", "migration.propose"]),
  ...api("Create", ["payment.create_setup_intent", "payment.create_setup_page"]),
  ...api("Create", ["payment.create_customer", "usage.report"]),
  ...api("Read", [
    ...["audit.export", "state.export", "system.read", "usage.verify", "migration.verify"],
  ]),
  ...api("Update", ["plan.changed", "key.rotate", "policies.put", "retention.set", "price.set"]),
  ...api("Update", ["budget.set", "usage.reprice", "state.import", "state.merge", "state.revert"]),
  ...api("Update", ["state.move_ref", "migration.apply", "migration.resume", "migration.revert"]),
  ...api("Update", ["migration.undo", "migration.accept_drift", "payment.rebind_customer"]),
  ...api("Delete", [
    "key.revoke",
    "approval.revoke",
    "hold.lift",
    "erasure.begin",
    "erasure.finish",
  ]),
  ...api("Delete", ["budget.remove", "memory.delete", "state.collect", "payment.detach_method"]),
  ...api("Update", ["webhook.retry", "approval.decide", "approval.use"]),
  ...api("Update", ["approval.give_back"]),
  ...api("Create", ["approval.request"]),
  ...api("Other", ["audit.key_used", "operation.refused", "webhook.test"]),
  "session.begin": { className: "authentication", activity: "Logon" },
  "session.end": { className: "authentication", activity: "Logoff" },
  "authentication.failed": { className: "authentication", activity: "Logon" },
};

/** A kind that this version does not know is an operation of some sort. */
const UNKNOWN_KIND: EventKind = { className: "api", activity: "Other" };

/** How records of this kind become events. */
export function eventKindOf(kind: string): EventKind {
  return EVENT_KINDS[kind] ?? UNKNOWN_KIND;
}

function api(
  activity: keyof typeof API_ACTIVITIES,
  kinds: readonly string[],
): Record<string, EventKind> {
  return Object.fromEntries(kinds.map((kind) => [kind, { className: "api", activity }]));
}
