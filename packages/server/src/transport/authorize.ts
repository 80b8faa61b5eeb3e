import { requireBillingAdmin, requireOperator } from "../governance/index.js";
import { type Action, groupOf, requireScope } from "../identity/index.js";
import type { Caller } from "../kernel/caller.js";

/** Groups of actions that only billing admins may ask for (Contract §5). */
const BILLING: readonly string[] = ["usage", "prices", "budgets", "payments"];
/** Actions of these groups that go beyond one organization: the operator's alone (Decision §15). */
const OPERATORS: readonly Action[] = ["usage:read_all"];

/**
 * Says whether a caller may ask for an action, on every wire, as soon as it is known who they are: before the
 * request is decoded. What depends on the request's content is decided by the room that does it.
 * @throws AppError `POLICY_DENIED`, naming what is missing.
 */
export function authorize(caller: Caller, action: Action): void {
  if (OPERATORS.includes(action)) requireOperator(caller);
  else if (BILLING.includes(groupOf(action))) requireBillingAdmin(caller);
  requireScope(caller, action);
}
