import type { Kind } from "../kinds.js";
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

/**
 * Guards for what a script drops that a run has made: it may, as long as nobody has filled it. What the run
 * has filled itself, such as a materialized view or the counter of a new identity column, needs none.
 */
export function lossGuards(from: Schema, to: Schema): LossGuards {
  const guards: RowGuard[] = [];
  const guarded = new Set<string>();
  for (const operation of diffSchemas(from, to)) {
    const { action, id, path } = operation;
    const object = from.find(id);
    if (object === undefined) continue;
    const isIdentityEnded =
      action === "alter" && operation.changes.some(({ property }) => property === "identity");
    if (isIdentityEnded) guarded.add(path);
    if (action !== "drop") continue;
    const guard = guardOf(from, object, path);
    if (guard !== undefined) guards.push(guard);
    if (guard !== undefined || FILLED.includes(object.kind)) guarded.add(path);
  }
  return { guards, guarded };
}

/** What is filled by whoever makes it. */
const FILLED: readonly Kind[] = ["MaterializedView", "Sequence"];

function guardOf(schema: Schema, object: SchemaObject, path: string): RowGuard | undefined {
  if (object.kind === "Table") {
    const table = qualified(schema, object);
    return {
      table,
      query: `SELECT FROM ${table} LIMIT 1`,
      finding: `the new table ${path} has rows`,
    };
  }
  const isCounter = object.kind === "Sequence" && object.values.ownedBy === undefined;
  if (isCounter) {
    const sequence = qualified(schema, object);
    const query = `SELECT FROM ${sequence} WHERE is_called`;
    return { query, finding: `the new sequence ${path} has given out numbers` };
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
