import type { ChangedObject, StatementAnalysis } from "../../governance/index.js";
import type { TreeNode } from "./postgres-grammar.js";
import { nameOf, namesIn } from "./postgres-names.js";
import type { TreeContents } from "./postgres-tree.js";

type SchemaChange = Pick<
  Extract<StatementAnalysis, { readonly kind: "statement" }>,
  "deletes" | "changedObjects" | "calls"
>;

/** Statements whose query tree PostgreSQL reports with all that they do. */
const REPORTED: ReadonlySet<string> = new Set([
  ...["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "ExplainStmt"],
]);
/** Parts of a table, which DROP names behind it. */
const PARTS: ReadonlySet<unknown> = new Set(["OBJECT_POLICY", "OBJECT_RULE", "OBJECT_TRIGGER"]);
/** Names that begin with the access method. */
const OF_METHOD: ReadonlySet<unknown> = new Set(["OBJECT_OPCLASS", "OBJECT_OPFAMILY"]);
/** What `relation` names, if it is neither a table nor a part of one. */
const NO_TABLES: ReadonlySet<unknown> = new Set([
  ...["OBJECT_ATTRIBUTE", "OBJECT_INDEX", "OBJECT_TYPE"],
]);

/** What the outermost statement does that PostgreSQL reports no query tree of. */
export function schemaChangeOf({
  statements: [outer],
  functions,
  operators,
  selections,
}: TreeContents): SchemaChange {
  if (outer === undefined || REPORTED.has(outer.type)) return {};
  const { type, node } = outer;
  const changedObjects = objectsOf(type, node);
  const calls = [...functions, ...operators, ...selections.map(({ name }) => [name])];
  const isCascade = node["behavior"] === "DROP_CASCADE";
  return {
    ...(type === "DropStmt" && { deletes: isCascade ? "dependent" : "dropped" }),
    ...(type === "TruncateStmt" && isCascade && { deletes: "referring" }),
    ...(changedObjects.length > 0 && { changedObjects }),
    ...(calls.length > 0 && { calls }),
  };
}

/** The objects by whose names the statement reaches tables. */
function objectsOf(type: string, node: TreeNode): readonly ChangedObject[] {
  const kind = node["removeType"] ?? node["renameType"] ?? node["objectType"] ?? node["objtype"];
  const isSchema = kind === "OBJECT_SCHEMA" || node["targtype"] === "ACL_TARGET_ALL_IN_SCHEMA";
  const toObject = (name: readonly string[]): ChangedObject => ({ name: name.slice(-2), isSchema });
  const relation = node["relation"] as TreeNode | undefined;
  switch (type) {
    case "DropStmt": {
      const names = itemsIn(node["objects"]);
      if (PARTS.has(kind)) return names.map((name) => toObject(name.slice(0, -1)));
      return names.map((name) => toObject(OF_METHOD.has(kind) ? name.slice(1) : name));
    }
    case "GrantStmt":
      return isSchema ? itemsIn(node["objects"]).map(toObject) : [];
    case "AlterDomainStmt":
    case "AlterEnumStmt":
      return [toObject(namesIn(node["typeName"]))];
    case "AlterTableStmt":
      if (relation === undefined || !(NO_TABLES.has(kind) || isCascading(node))) return [];
      return [toObject(nameOf(relation))];
    case "AlterObjectSchemaStmt":
    case "AlterOwnerStmt":
    case "RenameStmt":
      if (type === "RenameStmt" && isSchema) return [toObject([node["subname"] as string])];
      if (relation === undefined) return itemsIn([node["object"] ?? []].flat()).map(toObject);
      return NO_TABLES.has(kind) ? [toObject(nameOf(relation))] : [];
    default:
      return [];
  }
}

/** Whether ALTER TABLE drops a part of the table with all that depends on it. */
function isCascading(node: TreeNode): boolean {
  const commands = (node["cmds"] ?? []) as readonly { readonly AlterTableCmd?: TreeNode }[];
  return commands.some(({ AlterTableCmd }) => AlterTableCmd?.["behavior"] === "DROP_CASCADE");
}

function itemsIn(list: TreeNode[string] | undefined): readonly (readonly string[])[] {
  return ((list ?? []) as readonly Readonly<Record<string, TreeNode>>[]).map((item) => {
    const { String: text, List: parts, TypeName: typeName, ObjectWithArgs: called } = item;
    if (text !== undefined) return namesIn([item]);
    return namesIn(parts?.["items"] ?? typeName?.["names"] ?? called?.["objname"]);
  });
}
