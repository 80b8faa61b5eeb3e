import { type Action, groupOf } from "../identity/index.js";

/** Actions that go beyond what is an organization's: the operator's alone (Decision §15). */
const OPERATION: readonly Action[] = ["usage:read_all", "prices:write", "payments:rebind"];

/** The groups that the policies' schema has an action in: its part before the colon and, of a read, `read`. */
export function actionGroupsOf(action: Action): readonly string[] {
  if (OPERATION.includes(action)) return ["operation"];
  return action.endsWith(":read") ? [groupOf(action), "read"] : [groupOf(action)];
}
