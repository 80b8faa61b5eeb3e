import { assert } from "@steward/kernel/assert.js";
import type { Action } from "../identity/index.js";
import type { Share } from "./organization-quotas.js";

/**
 * The action of each operation, by the operation's id in REST and the method's name in gRPC. A
 * route or method without an entry here cannot be served.
 */
const ACTIONS_BY_OPERATION: Readonly<Record<string, Action>> = {
  ...operationsOf(
    "plans:submit",
    "submitPlan",
    "checkPlan",
    "appendSteps",
    "reviseStep",
    "forkPlan",
  ),
  // getStep needs the right to execute, because its answer contains the step's output too.
  ...operationsOf("plans:execute", "executeStep", "getStep"),
  ...operationsOf("plans:cancel", "cancelPlan"),
  ...operationsOf("plans:retry", "retryPlan"),
  ...operationsOf("plans:read", "listPlans", "getPlan", "getPlanStatus", "streamPlanEvents"),
  ...operationsOf("memory:read", "searchMemory", "listMemoryEntries", "getMemoryEntry"),
  ...operationsOf("memory:read", "getMemoryStats", "getMemoryRetention"),
  ...operationsOf("memory:write", "addMemoryEntry"),
  ...operationsOf("memory:purge", "deleteMemoryEntry", "deleteMemorySession"),
  ...operationsOf("memory:retention", "setMemoryRetention"),
  ...operationsOf(
    "catalog:read",
    "listCatalog",
    "listTables",
    "checkDataSources",
    "searchCatalog",
    "describeTable",
  ),
  ...operationsOf("state:read", "listStateRefs", "getStateLog", "getStateDiff", "getStateAt"),
  ...operationsOf("state:read", "queryState", "proveState", "exportState"),
  ...operationsOf("state:write", "importState", "importStateDocument", "mergeState", "revertState"),
  ...operationsOf("state:refs", "moveStateRef"),
  ...operationsOf("state:maintain", "checkState", "collectState"),
  ...operationsOf("migrations:read", "listMigrations", "getMigration", "compareSchemas"),
  ...operationsOf("migrations:read", "dumpSchema", "getSchemaDrift"),
  ...operationsOf("migrations:propose", "proposeMigration", "verifyMigration"),
  ...operationsOf("migrations:apply", "applyMigration", "resumeMigration", "acceptSchemaDrift"),
  ...operationsOf("migrations:revert", "revertMigration", "undoMigration"),
  ...operationsOf("usage:read", "getUsage", "getUsageHeatMap", "getStorageUsage"),
  ...operationsOf("usage:read_all", "getOrganizationUsage"),
  ...operationsOf("usage:report", "reportUsage"),
  ...operationsOf("usage:repair", "verifyUsage"),
  ...operationsOf("prices:read", "listPrices"),
  ...operationsOf("prices:write", "setPrice", "repriceUsage"),
  ...operationsOf("budgets:read", "listBudgets"),
  ...operationsOf("budgets:write", "setBudget", "removeBudget"),
  ...operationsOf("payments:read", "listPaymentMethods", "getPaymentForm"),
  ...operationsOf("payments:write", "createSetupIntent", "detachPaymentMethod"),
  ...operationsOf("payments:write", "createPaymentCustomer", "createSetupPage"),
  ...operationsOf("payments:rebind", "rebindPaymentCustomer"),
  ...operationsOf("policies:read", "getPolicies", "checkPolicies", "explainPolicies"),
  ...operationsOf("policies:read", "testPolicies"),
  ...operationsOf("policies:write", "putPolicies"),
  ...operationsOf("retention:read", "getRetention", "listHolds", "listErasures", "getErasure"),
  ...operationsOf("retention:write", "setRetention"),
  ...operationsOf("erasure:run", "estimateErasure", "beginErasure"),
  ...operationsOf("holds:write", "placeHold", "liftHold"),
  ...operationsOf("approvals:read", "listApprovals", "getApproval"),
  ...operationsOf("approvals:decide", "grantApproval", "denyApproval", "revokeApproval"),
  ...operationsOf("webhooks:read", "listWebhookDeliveries"),
  ...operationsOf("webhooks:write", "retryWebhookDeliveries", "testWebhook"),
  ...operationsOf("metrics:read", "getMetrics"),
  ...operationsOf("system:read", "getSystemStatus"),
  ...operationsOf("audit:read", "listAuditRecords", "getAuditRecord", "proveAuditConsistency"),
  ...operationsOf("audit:read", "getAuditCheckpoint", "getAuditTile", "listAuditWitnesses"),
  ...operationsOf("audit:export", "getAuditEntries"),
  ...operationsOf("keys:read", "listApiKeys"),
  ...operationsOf("keys:write", "createApiKey", "rotateApiKey", "revokeApiKey"),
};

/**
 * The action of an operation, looked up when routes and methods are registered; a missing one
 * prevents the start.
 */
export function actionOf(operation: string): Action {
  const action = ACTIONS_BY_OPERATION[operation];
  assert(action !== undefined, `transport/operations.ts says no action for ${operation}`);
  return action;
}

/** The quota that a request counts against while it runs; `undefined` for most operations. */
export function shareOf(operation: string): Share | undefined {
  return SHARES_BY_OPERATION[operation];
}

const SHARES_BY_OPERATION: Readonly<Record<string, Share>> = {
  executeStep: "step",
  streamPlanEvents: "stream",
};

function operationsOf(action: Action, ...operations: readonly string[]): Record<string, Action> {
  return Object.fromEntries(operations.map((operation) => [operation, action]));
}
