import { requireBillingAdmin } from "../governance/index.js";
import { type Action, groupOf, requireScope } from "../identity/index.js";
import type { Caller } from "../kernel/caller.js";

/** Groups of actions that only billing admins may ask for (Contract §5). */
const BILLING: readonly string[] = ["usage", "prices", "budgets", "payments"];

/**
 * Says whether a caller may ask for an action, on every wire, as soon as it is known who they are: before the
 * request is decoded. What depends on the request's content is decided by the room that does it.
 * @throws AppError `POLICY_DENIED`, naming what is missing.
 */
export function authorize(caller: Caller, action: Action): void {
  if (BILLING.includes(groupOf(action))) requireBillingAdmin(caller);
  requireScope(caller, action);
}
