import { assert } from "@steward/kernel/assert.js";
import type { AskedOperation, OperationRecord, RecordTime } from "../audit/index.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { actionOf } from "./operations.js";

/**
 * How each operation that changes something, or gives data away as a whole, is recorded in the audit
 * log.
 */
const RECORDS: Readonly<Record<string, OperationRecord>> = {
  ...recorded("withEffect", {
    createApiKey: "key.create",
    rotateApiKey: "key.rotate",
    revokeApiKey: "key.revoke",
    putPolicies: "policies.put",
    setRetention: "retention.set",
    setMemoryRetention: "retention.set",
    revokeApproval: "approval.revoke",
    placeHold: "hold.place",
    liftHold: "hold.lift",
    beginErasure: "erasure.begin",
    setPrice: "price.set",
    setBudget: "budget.set",
    removeBudget: "budget.remove",
    reportUsage: "usage.report",
    addMemoryEntry: "memory.add",
    deleteMemoryEntry: "memory.delete",
    deleteMemorySession: "memory.delete",
    retryWebhookDeliveries: "webhook.retry",
  }),
  ...recorded("around", {
    testWebhook: "webhook.test",
    repriceUsage: "usage.reprice",
    verifyUsage: "usage.verify",
    importState: "state.import",
    importStateDocument: "state.import",
    mergeState: "state.merge",
    revertState: "state.revert",
    moveStateRef: "state.move_ref",
    collectState: "state.collect",
    proposeMigration: "migration.propose",
    verifyMigration: "migration.verify",
    applyMigration: "migration.apply",
    resumeMigration: "migration.resume",
    revertMigration: "migration.revert",
    undoMigration: "migration.undo",
    acceptSchemaDrift: "migration.accept_drift",
    createSetupIntent: "payment.create_setup_intent",
    createSetupPage: "payment.create_setup_page",
    detachPaymentMethod: "payment.detach_method",
    createPaymentCustomer: "payment.create_customer",
    rebindPaymentCustomer: "payment.rebind_customer",
  }),
  ...recorded("before", { exportState: "state.export", getSystemStatus: "system.read" }),
  ...recorded("counted", { getAuditEntries: "audit.export" }),
};

/** Parameters whose values are ids that the service made, and that belong to no person. */
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
  ...["retryPlan", "grantApproval", "denyApproval"],
]);

/** Operations that change nothing although their actions do not say so. */
const CHANGE_NOTHING: ReadonlySet<string> = new Set([
  ...["checkPlan", "getStep", "estimateErasure", "checkState", "getOrganizationUsage"],
]);

/**
 * How an operation is recorded, looked up when routes and methods are registered; `undefined`: the
 * operation changes nothing, or the logs of plans record it. An operation that is in none of the
 * lists prevents the start.
 */
export function recordOf(operation: string): OperationRecord | undefined {
  const record = RECORDS[operation];
  if (record !== undefined) return record;
  const isKnown =
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
  const subject = SUBJECTS.map((name) => request[name]).find((value) => typeof value === "string");
  return { ...record, operation, subject: subject ?? "", request };
}

function recorded(
  time: RecordTime,
  kinds: Readonly<Record<string, string>>,
): Record<string, OperationRecord> {
  return Object.fromEntries(
    Object.entries(kinds).map(([operation, kind]) => [operation, { kind, time }]),
  );
}
