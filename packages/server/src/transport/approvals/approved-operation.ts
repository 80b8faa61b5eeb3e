import { AppError } from "@steward/kernel/errors.js";
import { OperationApprovalRequired } from "../../governance/index.js";
import type { Action } from "../../identity/index.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import type { Services, ShownOperation } from "../services.js";

/** A context in which persons may still have to approve the operation. */
export interface RequestContext extends QueryRuntimeContext {
  /** What the policies have demanded before the request was read; its operation has not begun. */
  readonly needed?: OperationApprovalRequired;
}

/** An operation about to run. */
export interface OperationToRun {
  readonly actions: readonly Action[];
  readonly context: RequestContext;
  /** Called only when an approval is needed, because most operations need none. */
  readonly shown: () => ShownOperation;
}

/**
 * Runs an operation, under an approval where policies demand one of its actions. A demand for the resource that
 * the request names comes from the operation itself, before it has any effect; it then runs again, approved.
 */
export async function underApproval<T>(
  services: Pick<Services, "authorize" | "useApproval" | "countRefusal">,
  operation: OperationToRun,
  work: (context: QueryRuntimeContext) => Promise<T>,
): Promise<T> {
  try {
    return await runApproved(services, operation, work, []);
  } catch (error) {
    const [action] = operation.actions;
    if (action !== undefined) services.countRefusal(operation.context, action, error);
    throw error;
  }
}

async function runApproved<T>(
  { authorize, useApproval }: Pick<Services, "authorize" | "useApproval">,
  operation: OperationToRun,
  work: (context: QueryRuntimeContext) => Promise<T>,
  earlier: readonly OperationApprovalRequired[],
): Promise<T> {
  const { actions, shown, context } = operation;
  try {
    if (context.needed !== undefined) throw context.needed;
    // A policy may forbid even what was approved, and the other actions may need approvals too.
    if (earlier.length > 0) for (const action of actions) await authorize(context, action);
    return await work(context);
  } catch (error) {
    if (!(error instanceof OperationApprovalRequired)) throw error;
    if (!actions.some((action) => action === error.action)) throw notApprovable(error);
    const { needed: _demanded, ...caller } = context;
    const { lifts, resolved, giveBack } = await useApproval(caller, shown(), [error, ...earlier]);
    const approved = { ...operation, context: { ...caller, approvedUnder: lifts, resolved } };
    try {
      return await runApproved({ authorize, useApproval }, approved, work, [error, ...earlier]);
    } catch (refusal) {
      if (REFUSALS.has(AppError.from(refusal).code)) await giveBack();
      throw refusal;
    }
  }
}

/** Refusals of an operation, which come before any effect. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...["POLICY_DENIED", "APPROVAL_REQUIRED", "APPROVAL_DENIED"],
]);

/** The refusal of what policies put under approval but nobody can approve. */
export function notApprovable({ message, details }: OperationApprovalRequired): AppError {
  return new AppError(
    "APPROVAL_REQUIRED",
    `${message}, which cannot be given: uploads, streams, decisions about approvals and parts of other operations are not approved by themselves. An admin has to forbid it without @approval, or permit it`,
    { details },
  );
}
