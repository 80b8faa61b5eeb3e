import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { driftBetween } from "../migrations/drift.js";
import { identify } from "../model/identify.js";
import { type Migration, Schema, schemasOf } from "../index.js";
import type { SchemaObject } from "../model/schema.js";
import type { FaultPlace } from "./fault-place.js";
import { lostValues, valuesIn } from "./kept-values.js";
import { isTheirs } from "./second-writer.js";

/** Which of the two schemas a database has, ignoring objects of others. */
export type Side = "base" | "target" | "between";

/** The values of a database before a migration, by column id. */
export type OwnValues = ReadonlyMap<string, readonly string[]>;

/** Determines how far a migration has changed a database. */
export async function sideOf({ database }: FaultPlace, migration: Migration): Promise<Side> {
  const draft = await database.introspect();
  const { base, target } = schemasOf(migration);
  const isAt = (expected: Schema): boolean =>
    withoutPauses(driftBetween(expected, draft)).differences.every(({ path }) => isTheirs(path));
  if (isAt(target)) return "target";
  return isAt(base) ? "base" : "between";
}

/** The current values of a schema's columns. */
export function readValues(place: FaultPlace, schema: Schema): Promise<OwnValues> {
  const own = new Schema(schema.objects.filter((each) => !isTheirs(schema.pathOf(each))));
  return valuesIn(own, (_schema, column) => columnValues(place, schema, column));
}

/** A migration under test, and whether it may lose values. */
export interface Attempt {
  readonly migration: Migration;
  readonly before: OwnValues;
  readonly isLossAccepted: boolean;
  /** Whether an interrupted run was undone; objects that it had dropped are empty then. */
  readonly isUndone?: boolean;
}

/**
 * @param side how far the migration has come.
 * @throws Error naming the values that were lost or changed without acceptance.
 */
export async function refuseLosses(
  place: FaultPlace,
  { migration, before, isLossAccepted, isUndone = false }: Attempt,
  side: Side,
): Promise<void> {
  const { base, target } = schemasOf(migration);
  const draft = await place.database.introspect();
  const possible = { base: [base], target: [target], between: [target, base] }[side];
  const live = possible.map((each) => identify(draft, each));
  const after = new Map<string, readonly string[]>();
  for (const id of before.keys()) {
    const schema = live.find((each) => each.find(id) !== undefined);
    if (schema !== undefined) after.set(id, await columnValues(place, schema, schema.get(id)));
  }
  const mayHaveRun = side !== "base" || isUndone;
  const mayChange = isLossAccepted && mayHaveRun ? shownLosses(migration) : undefined;
  const kept = [...before].filter(([id]) => mayChange?.has(id) !== true);
  const lost = lostValues(new Map(kept), after, place.isSame);
  if (lost.length > 0) throw new Error(`lost at ${side}: ${lost.join("; ")}`);
}

/** Columns of the first schema whose values the migration announced it may lose. */
function shownLosses(migration: Migration): ReadonlySet<string> {
  const { base, target } = schemasOf(migration);
  const shown = new Set([
    ...migration.findings.filter(({ code }) => code === "destructive").map(({ object }) => object),
    ...migration.up.flatMap(({ checks = [] }) => checks.map(({ object }) => object)),
  ]);
  const isShown = (schema: Schema, { id }: SchemaObject): boolean => {
    const object = schema.find(id);
    if (object === undefined) return false;
    const paths = [object, schema.above(object)].map((each) => schema.pathOf(each));
    return paths.some((path) => shown.has(path));
  };
  const lossy = base
    .all("Column")
    .filter((column) => isShown(base, column) || isShown(target, column));
  return new Set(lossy.map(({ id }) => id));
}

/**
 * The values of a column, as text, in key order. Rows added to violate a constraint have ids from
 * 900 on and are left out.
 */
async function columnValues(
  { query, asText }: FaultPlace,
  schema: Schema,
  { name = "", parent = "" }: SchemaObject,
): Promise<readonly string[]> {
  const table = schema.pathOf(schema.get(parent));
  const rows = await query(
    `SELECT ${asText(`"${name}"`)} AS v FROM ${table} WHERE id < 900 ORDER BY id`,
  );
  return rows.map(({ v }) => String(v));
}
