import { assert } from "@steward/kernel/assert.js";
import type { AskedOperation, OperationRecord, RecordTime } from "../audit/index.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { isUuid } from "@steward/kernel/ids.js";
import { DESCRIBED } from "./gen/described.js";
import { actionOf } from "./operations.js";

/**
 * How each operation that changes something, or gives data away as a whole, is recorded in the audit
 * log.
 */
const RECORDS: Readonly<Record<string, OperationRecord>> = {
  ...Object.fromEntries(
    Object.entries(DESCRIBED).flatMap(([name, { audit }]) =>
      typeof audit === "object" ? [[name, audit] as const] : [],
    ),
  ),
  ...recorded("withEffect", {
    reportUsage: "usage.report",
  }),
  ...recorded("around", {
    importState: "state.import",
    importStateDocument: "state.import",
    proposeMigration: "migration.propose",
    createSetupIntent: "payment.create_setup_intent",
    createSetupPage: "payment.create_setup_page",
  }),
  ...recorded("before", { exportState: "state.export", getSystemStatus: "system.read" }),
  ...recorded("counted", { getAuditEntries: "audit.export" }),
};

/** Parameters that name what an operation is about, by ids that the service made and that belong to no person. */
const SUBJECTS = [
  "key_id",
  "hold_id",
  "budget_id",
  "entry_id",
  "migration_id",
  "approval_id",
] as const;

/**
 * Operations whose records come from the logs of plans, where each change of a plan is a row that
 * names its requester.
 */
const IN_PLAN_LOG: ReadonlySet<string> = new Set([
  ...["submitPlan", "appendSteps", "reviseStep", "forkPlan", "executeStep", "cancelPlan"],
  ...["finishPlan", "retryPlan"],
]);

/** Operations that change nothing although their actions do not say so. */
const CHANGE_NOTHING: ReadonlySet<string> = new Set(["checkPlan", "getStep"]);

/**
 * How an operation is recorded, looked up when routes and methods are registered; `undefined`: the
 * operation changes nothing, or the logs of plans record it. An operation that is in none of the
 * lists prevents the start.
 */
export function recordOf(operation: string): OperationRecord | undefined {
  const record = RECORDS[operation];
  if (record !== undefined) return record;
  const isKnown =
    Object.hasOwn(DESCRIBED, operation) ||
    IN_PLAN_LOG.has(operation) ||
    CHANGE_NOTHING.has(operation) ||
    actionOf(operation).endsWith(":read");
  assert(isKnown, `transport/operation-records.ts does not say how ${operation} is recorded`);
  return undefined;
}

/** The operations that have records of their own. */
export const RECORDED_OPERATIONS: readonly string[] = Object.keys(RECORDS);

/** An operation with its parameters, by their names in REST. */
export function askedOperation(
  operation: string,
  record: OperationRecord,
  request: Readonly<Record<string, JsonValue>>,
): AskedOperation {
  const given = SUBJECTS.map((name) => request[name]).find((value) => typeof value === "string");
  // The caller may have written anything there. Then only the digest of the parameters tells it.
  const subject = given !== undefined && isServiceId(given) ? given.toLowerCase() : "";
  return { ...record, operation, subject, request };
}

/** Whether a text has the form of an id that the service makes: a UUID, or the id of an API key. */
function isServiceId(text: string): boolean {
  return isUuid(text) || KEY_ID.test(text);
}

const KEY_ID = /^[\da-f]{24}$/;

function recorded(
  time: RecordTime,
  kinds: Readonly<Record<string, string>>,
): Record<string, OperationRecord> {
  return Object.fromEntries(
    Object.entries(kinds).map(([operation, kind]) => [operation, { kind, time }]),
  );
}
