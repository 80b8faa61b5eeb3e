import { assert } from "@steward/kernel/assert.js";
import type { Audit } from "@steward/operations";
import type { Action } from "../identity/index.js";
import { DESCRIBED } from "./gen/described.js";
import type { Share } from "./organization-quotas.js";

/** What is needed of an operation to serve it. */
export interface Described {
  readonly action: Action;
  readonly audit?: Audit;
}

/**
 * The action of each other operation, by the operation's id in REST and the method's name in gRPC. A
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
    "finishPlan",
  ),
  // getStep needs the right to execute, because its answer contains the step's output too.
  ...operationsOf("plans:execute", "executeStep", "getStep"),
  ...operationsOf("plans:cancel", "cancelPlan"),
  ...operationsOf("plans:retry", "retryPlan"),
  ...operationsOf("plans:read", "listPlans", "getPlan", "getPlanStatus", "streamPlanEvents"),
  ...operationsOf("state:read", "exportState"),
  ...operationsOf("state:write", "importState", "importStateDocument"),
  ...operationsOf("migrations:propose", "proposeMigration"),
  ...operationsOf("usage:report", "reportUsage"),
  ...operationsOf("payments:write", "createSetupIntent", "createSetupPage"),
  ...operationsOf("metrics:read", "getMetrics"),
  ...operationsOf("system:read", "getSystemStatus"),
  ...operationsOf("audit:read", "getAuditCheckpoint", "getAuditTile"),
  ...operationsOf("audit:export", "getAuditEntries"),
};

/**
 * The action of an operation, looked up when routes and methods are registered; a missing one
 * prevents the start.
 */
export function actionOf(operation: string): Action {
  const action = DESCRIBED[operation]?.action ?? ACTIONS_BY_OPERATION[operation];
  assert(action !== undefined, `nothing says the action of ${operation}`);
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
