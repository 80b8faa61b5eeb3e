import type { Kind } from "../model/kinds.js";
import type { Schema, SchemaObject } from "../model/schema.js";
import { diffSchemas } from "../model/schema-diff.js";
import { columnsOf } from "./table-definition.js";

/** A table or view that a migration creates, changes or drops. Names are in lower case. */
export interface ChangedTable {
  /** With its schema on PostgreSQL. */
  readonly name: string;
  /** Its columns before and after the migration. */
  readonly columns: readonly string[];
  /** Whether it is dropped together with its rows. */
  readonly losesRows: boolean;
}

const RELATIONS: ReadonlySet<Kind> = new Set<Kind>([
  ...(["Table", "VirtualTable", "View", "MaterializedView"] as const),
]);
const WITH_ROWS: ReadonlySet<Kind> = new Set<Kind>(["Table", "VirtualTable"]);

/**
 * The tables and views that the migration from one schema to another creates, changes or drops, by
 * themselves or in their parts. A renamed table is listed under both names.
 */
export function changedTables(from: Schema, to: Schema): readonly ChangedTable[] {
  const ids = new Set(
    diffSchemas(from, to).flatMap(({ id }) => relationIn(from, id) ?? relationIn(to, id) ?? []),
  );
  const byName = new Map<string, ChangedTable>();
  for (const id of ids) {
    const versions = [from, to].flatMap((schema) => {
      const object = schema.find(id);
      return object === undefined ? [] : [{ schema, object }];
    });
    const columns = versions.flatMap(({ schema, object }) =>
      columnsOf(schema, object, []).map(({ name }) => name.toLowerCase()),
    );
    const losesRows = to.find(id) === undefined && WITH_ROWS.has(from.get(id).kind);
    for (const { schema, object } of versions) {
      const name = schema.pathOf(object).toLowerCase();
      const other = byName.get(name);
      byName.set(name, {
        name,
        columns: [...new Set([...(other?.columns ?? []), ...columns])],
        losesRows: losesRows || other?.losesRows === true,
      });
    }
  }
  return [...byName.values()];
}

/** The id of the table or view that an object is, or belongs to. */
function relationIn(schema: Schema, id: string | undefined): string | undefined {
  const object: SchemaObject | undefined = schema.find(id);
  if (object === undefined || RELATIONS.has(object.kind)) return object?.id;
  // The parent of an index is the database on SQLite.
  return relationIn(schema, object.values.on?.ref ?? object.parent);
}
