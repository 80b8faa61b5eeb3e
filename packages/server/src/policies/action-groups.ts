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
 * What no approval can permit, with its groups: decisions about approvals would need approvals themselves,
 * and the others are rights that an operation or a recording needs beside its own.
 */
const NOT_APPROVABLE: readonly (readonly string[])[] = [
  ...(["approvals:read", "approvals:decide", "plans:read_all", "migrations:code"] as const).map(
    (action) => [action, ...actionGroupsOf(action)],
  ),
  ["memory:record", "memory"],
];

/**
 * The actions that no approval can permit.
 * @param names of actions and groups; absent: every action.
 */
export function neverApproved(names?: readonly string[]): readonly string[] {
  return NOT_APPROVABLE.flatMap(([action = "", ...groups]) =>
    names === undefined || [action, ...groups].some((name) => names.includes(name)) ? [action] : [],
  );
}

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
