import type { Kind } from "../model/kinds.js";
import type { RowGuard } from "../ports.js";
import {
  isPostgres,
  type PostgresObject,
  type PostgresSchema,
  type Schema,
} from "../model/schema.js";
import { diffSchemas } from "../model/schema-diff.js";
import { changedTies } from "./parents/ties.js";
import { onOf, qualified, quoteName } from "./objects/names.js";

/**
 * Guards that stop the undo of a run when other sessions have written rows to objects that the run
 * created.
 */
export interface LossGuards {
  readonly guards: readonly RowGuard[];
  /** Paths of the objects that a guard is for. */
  readonly guarded: ReadonlySet<string>;
}

/**
 * Creates guards for the objects that an undo drops. An object may be dropped while nobody has
 * written to it. An object that the run itself filled, such as a materialized view or the sequence
 * of a new identity column, needs no guard.
 */
export function lossGuards(from: Schema, to: Schema): LossGuards {
  // SQLite runs a script in one transaction, so no run is ever undone.
  if (!isPostgres(from) || !isPostgres(to)) return { guards: [], guarded: new Set() };
  const ties = changedTies(from, to);
  const guards: RowGuard[] = [];
  const guarded = new Set<string>();
  for (const operation of diffSchemas(ties.base, ties.target)) {
    const { action, id, path } = operation;
    const object = ties.base.find(id);
    if (object === undefined) continue;
    const isIdentityEnded =
      action === "alter" && operation.changes.some(({ property }) => property === "identity");
    if (isIdentityEnded) guarded.add(path);
    if (action !== "drop") continue;
    const guard = guardOf(ties.base, object, path);
    if (guard !== undefined) guards.push(guard);
    if (guard !== undefined || FILLED.includes(object.kind)) guarded.add(path);
  }
  return { guards, guarded };
}

/** Kinds of objects that contain data as soon as they are created. */
const FILLED: readonly Kind[] = ["MaterializedView", "Sequence"];

function guardOf(
  schema: PostgresSchema,
  object: PostgresObject,
  path: string,
): RowGuard | undefined {
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
    return { query, finding: `the new sequence ${path} has issued numbers` };
  }
  if (object.kind !== "Column" || object.values.generated !== undefined) return undefined;
  const table = onOf(schema, object);
  const column = quoteName(object.name);
  const preset = object.values.default;
  const isOwn = preset !== undefined && CONSTANT.test(preset);
  const differs = isOwn ? ` AND ${column} IS DISTINCT FROM (${preset})` : "";
  return {
    table,
    query: `SELECT FROM ${table} WHERE ${column} IS NOT NULL${differs} LIMIT 1`,
    finding: `the new column ${path} has values`,
  };
}

/** A constant default: a number, a boolean or a text, optionally with a cast. */
const CONSTANT = /^\(?(?:-?[\d.]+|true|false|'(?:[^'\\]|'')*')\)?(?:::[\w ".()]+)?$/;
