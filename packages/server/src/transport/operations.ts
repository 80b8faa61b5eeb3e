import { assert } from "@steward/kernel/assert.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { isUuid } from "@steward/kernel/ids.js";
import type { Audit, ResolvedParameters } from "@steward/operations";
import type { AskedOperation, OperationRecord } from "../audit/index.js";
import type { Action } from "../identity/index.js";
import { DESCRIBED } from "./gen/described.js";
import type { Share } from "./organization-quotas.js";

/** What is needed of an operation to serve it. */
export interface Described {
  readonly action: Action;
  readonly audit?: Audit;
  readonly resolves?: ResolvedParameters;
}

/**
 * The action of an operation, looked up when routes and methods are registered; a missing one
 * prevents the start.
 */
export function actionOf(operation: string): Action {
  return describedOf(operation).action;
}

/**
 * How an operation is recorded, looked up in the same way; `undefined`: the operation changes nothing, or the log of
 * its plan is the record.
 */
export function recordOf(operation: string): OperationRecord | undefined {
  const { audit } = describedOf(operation);
  return typeof audit === "object" ? audit : undefined;
}

/** The parameters of an operation that name what may be something else later; `undefined`: none does. */
export function resolvesOf(operation: string): ResolvedParameters | undefined {
  return describedOf(operation).resolves;
}

/** The operations that have records of their own. */
export const RECORDED_OPERATIONS: readonly string[] = Object.keys(DESCRIBED).filter(
  (operation) => recordOf(operation) !== undefined,
);

/** The quota that a request counts against while it runs; `undefined` for most operations. */
export function shareOf(operation: string): Share | undefined {
  return SHARES_BY_OPERATION[operation];
}

const SHARES_BY_OPERATION: Readonly<Record<string, Share>> = {
  executeStep: "step",
  streamPlanEvents: "stream",
};

function describedOf(operation: string): Described {
  const described = DESCRIBED[operation];
  assert(described !== undefined, `nothing says the action of ${operation}`);
  return described;
}

/** Parameters that name what an operation is about, by ids that the service made and that belong to no person. */
const SUBJECTS = [
  "key_id",
  "hold_id",
  "budget_id",
  "entry_id",
  "migration_id",
  "approval_id",
] as const;

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
