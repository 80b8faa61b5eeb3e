import type { TreeNode, TreeValue } from "./postgres-grammar.js";

/** The texts in a list of String nodes. */
export function namesIn(list: TreeValue | undefined): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const text = (item as { readonly String?: { readonly sval?: string } }).String?.sval;
    return text ?? [];
  });
}

/** Database, schema and name of a table; parts that the statement omits are absent. */
export function nameOf(table: TreeNode): readonly string[] {
  return [table["catalogname"], table["schemaname"], table["relname"]].filter(
    (part): part is string => typeof part === "string",
  );
}
