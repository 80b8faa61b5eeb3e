import type { Kind } from "../model/kinds.js";
import type { Schema, SchemaObject } from "../model/schema.js";
import { diffSchemas, type Operation, sameValue } from "../model/schema-diff.js";
import { definitionOf, relationName, relationOf } from "./table-definition.js";

/** How a table or view differs between two schemas (Decision §11). */
export interface TableDelta {
  readonly tableName: string;
  readonly operation: "NEW" | "MODIFIED" | "REMOVED";
  /** JSON text of its definition; the last definition if it was dropped. */
  readonly tableDefJson: string;
}

/** Kinds of objects that statements read from. */
const RELATIONS: readonly Kind[] = ["Table", "View", "MaterializedView", "VirtualTable"];
/** Kinds of objects that are reported with their table. */
const PARTS: readonly Kind[] = [
  ...(["Column", "PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const),
  ...(["ExclusionConstraint", "Index"] as const),
];

/**
 * The changes of tables and views between two schemas, by name. A renamed table is reported as
 * removed and added.
 */
export function tableDeltas(before: Schema, after: Schema): readonly TableDelta[] {
  const touched = new Set([
    ...diffSchemas(before, after).flatMap((operation) => relationsOf(before, after, operation)),
    ...shownAnew(before, after),
  ]);
  const [old, now] = [namesAmong(before, touched), namesAmong(after, touched)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (is !== undefined) {
      return [delta(name, was === undefined ? "NEW" : "MODIFIED", after, is)];
    }
    return was === undefined ? [] : [delta(name, "REMOVED", before, was)];
  });
}

/** The tables and views that an operation affects. */
function relationsOf(before: Schema, after: Schema, { id }: Operation): readonly string[] {
  return [before, after].flatMap((schema) => {
    const object = schema.find(id);
    if (object === undefined) return [];
    if (RELATIONS.includes(object.kind)) return [id];
    const owner = PARTS.includes(object.kind) ? relationOf(object) : undefined;
    return owner === undefined ? [] : [owner];
  });
}

/** Views whose columns change because the relations that they read change. */
function shownAnew(before: Schema, after: Schema): readonly string[] {
  return after.objects
    .filter(({ id, values }) => {
      const old = before.find(id);
      return old !== undefined && !sameValue(old.values.shownColumns, values.shownColumns);
    })
    .map(({ id }) => id);
}

function namesAmong(schema: Schema, ids: ReadonlySet<string>): ReadonlyMap<string, SchemaObject> {
  return new Map(
    [...ids].flatMap((id) => {
      const object = schema.find(id);
      if (object === undefined || !RELATIONS.includes(object.kind)) return [];
      return [[relationName(schema, object), object] as const];
    }),
  );
}

function delta(
  tableName: string,
  operation: TableDelta["operation"],
  schema: Schema,
  relation: SchemaObject,
): TableDelta {
  return { tableName, operation, tableDefJson: JSON.stringify(definitionOf(schema, relation)) };
}
