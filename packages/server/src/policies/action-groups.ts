import { type Action, groupOf } from "../identity/index.js";

/**
 * Actions that concern more than one organization: only the operator may use them (Decision §15).
 */
const OPERATION: readonly Action[] = [
  "usage:read_all",
  "prices:write",
  "payments:rebind",
  "audit:export",
  "system:read",
];

/**
 * The groups of an action in the policies' schema: the part before the colon and, for a read,
 * `read`.
 */
export function actionGroupsOf(action: Action): readonly string[] {
  if (OPERATION.includes(action)) return ["operation"];
  // Whoever may do everything with plans may do it with their own.
  if (action === "plans:read_all") return ["read"];
  return action.endsWith(":read") ? [groupOf(action), "read"] : [groupOf(action)];
}
