import type { RowGuard } from "../ports.js";
import { type Schema, type SchemaObject, textOf } from "../schema.js";
import { diffSchemas } from "../schema-diff.js";
import { onOf } from "./statements.js";
import { qualified, quoteName } from "./names.js";

/** What stops the undoing of a run where others have filled what the run had made. */
export interface LossGuards {
  readonly guards: readonly RowGuard[];
  /** Paths of the objects that a guard is for. */
  readonly guarded: ReadonlySet<string>;
}

/** Guards for the tables and columns that a script drops: it may, as long as they are empty. */
export function lossGuards(from: Schema, to: Schema): LossGuards {
  const guards: RowGuard[] = [];
  const guarded = new Set<string>();
  for (const { action, id, path } of diffSchemas(from, to)) {
    const object = from.find(id);
    if (action !== "drop" || object === undefined) continue;
    const guard = guardOf(from, object, path);
    if (guard === undefined) continue;
    guards.push(guard);
    guarded.add(path);
  }
  return { guards, guarded };
}

function guardOf(schema: Schema, object: SchemaObject, path: string): RowGuard | undefined {
  if (object.kind === "Table") {
    const table = qualified(schema, object);
    return {
      table,
      query: `SELECT FROM ${table} LIMIT 1`,
      finding: `the new table ${path} has rows`,
    };
  }
  if (object.kind !== "Column" || object.values.generated !== undefined) return undefined;
  const table = onOf(schema, object);
  const column = quoteName(object.name ?? "");
  const preset = textOf(object.values, "default");
  const isOwn = preset !== undefined && CONSTANT.test(preset);
  const differs = isOwn ? ` AND ${column} IS DISTINCT FROM (${preset})` : "";
  return {
    table,
    query: `SELECT FROM ${table} WHERE ${column} IS NOT NULL${differs} LIMIT 1`,
    finding: `the new column ${path} has values`,
  };
}

/** A default that is the same for every row: a number, a truth value or a text, perhaps with a cast. */
const CONSTANT = /^\(?(?:-?[\d.]+|true|false|'(?:[^'\\]|'')*')\)?(?:::[\w ".()]+)?$/;
