import { isForeign } from "../postgres/objects/names.js";
import { EXTENSION_ROWS } from "../postgres/objects/extension-rows.js";
import { rebuildPlanBetween } from "../postgres/rebuild-plan.js";
import { StoredTypes } from "../postgres/types/stored-types.js";
import { ownerOf } from "../postgres/parents/inheritance.js";
import { restart } from "../postgres/alter-column.js";
import {
  isPostgres,
  type PostgresObject,
  type PostgresSchema,
  type Schema,
  type SchemaObject,
} from "../model/schema.js";
import { diffSchemas } from "../model/schema-diff.js";
import { type Finding, reportOn } from "./finding.js";

/** The rows, values and sequence counters that a migration loses in every case. */
export function lossFindings(base: Schema, target: Schema): readonly Finding[] {
  const dropped = diffSchemas(base, target).flatMap(({ action, id }) =>
    action === "drop" ? droppedWith(base, target, base.get(id)) : [],
  );
  return [
    ...dropped,
    ...(isPostgres(base) && isPostgres(target)
      ? postgresLosses(base, target)
      : sqliteLosses(base, target)),
  ];
}

/** Objects that are dropped together with an object. */
function droppedWith(base: Schema, target: Schema, object: SchemaObject): readonly Finding[] {
  const lost = (what: string): readonly Finding[] => loss(base.pathOf(object), what);
  switch (object.kind) {
    case "Table":
      return isForeign(object) ? [] : lost("its rows are");
    case "VirtualTable":
      return lost("its rows are");
    case "MaterializedView":
      return lost("its rows, as of the last refresh, are");
    case "Column":
      return isOwnValue(base, object) ? lost("its values are") : [];
    case "Sequence":
      return goesWithColumn(base, target, object) ? [] : lost("its counter is");
    case "Extension":
      return [extensionFinding(base, object)];
    case "PrimaryKey":
      return isCounting(object) && !goesOnCounting(target, object) ? lost("its counter is") : [];
    default:
      return [];
  }
}

/**
 * Whether a column stores values here. A generated column has no values of its own, and a foreign
 * table's values are on another server.
 */
function isOwnValue(schema: Schema, column: SchemaObject<"Column">): boolean {
  return column.values.generated === undefined && !isForeign(schema.above(column));
}

function extensionFinding(base: Schema, extension: SchemaObject): Finding {
  const message = `${EXTENSION_ROWS}: if there are any, the migration stops unless data loss is accepted`;
  return reportOn(base.pathOf(extension))("data-dependent", message);
}

/**
 * Whether a sequence belongs to a column that is dropped as well; its counter is no separate loss.
 */
function goesWithColumn(base: Schema, target: Schema, sequence: SchemaObject): boolean {
  const owner =
    isPostgres(base) && sequence.kind === "Sequence" ? ownerOf(base, sequence) : undefined;
  return (
    owner !== undefined && [owner.id, owner.parent].some((id) => target.find(id) === undefined)
  );
}

/** Whether a primary key of SQLite is AUTOINCREMENT. */
function isCounting({ values }: SchemaObject): boolean {
  return values.isAutoincrement === true;
}

function goesOnCounting(target: Schema, { parent }: SchemaObject<"PrimaryKey">): boolean {
  return target.partsOf(parent, "PrimaryKey").some(isCounting);
}

function loss(object: string, what: string): readonly Finding[] {
  const report = reportOn(object);
  return [
    report("destructive", `${what} lost`),
    report("irreversible-down", `${what} not restored`),
  ];
}

function postgresLosses(base: PostgresSchema, target: PostgresSchema): readonly Finding[] {
  const rebuild = rebuildPlanBetween(base, target);
  const recreated = [...rebuild.recreated].flatMap((id) => base.find(id) ?? []);
  const anew = [...rebuild.anew].flatMap((id) => base.find(id) ?? []);
  return [
    ...recreated.flatMap((object) => madeAnew(base, object)),
    ...anew
      .filter(({ parent }) => parent === undefined || !rebuild.recreated.has(parent))
      .flatMap((column) => computedAnew(base, target, column)),
    ...rebuild.matched
      .filter(({ now }) => !rebuild.isFresh(now))
      .flatMap(({ old, now }) => lostCounter(base, old, now)),
    ...rebuild.matched.flatMap(({ old, now }) => lostAttributes(base, target, old, now)),
  ];
}

/** A table that cannot be altered in place is dropped and recreated, which loses its rows. */
function madeAnew(base: Schema, object: SchemaObject): readonly Finding[] {
  const report = reportOn(base.pathOf(object));
  if (object.kind === "Extension") return [extensionFinding(base, object)];
  if (object.kind === "MaterializedView") {
    return [report("destructive", "it is refreshed: its present rows are lost")];
  }
  return object.kind !== "Table" || isForeign(object) ? [] : droppedRows(base, object);
}

function droppedRows(base: Schema, object: SchemaObject): readonly Finding[] {
  const report = reportOn(base.pathOf(object));
  return [
    report("destructive", "it is dropped and created again, without its rows"),
    report("irreversible-down", "its rows are not restored"),
  ];
}

/**
 * A column that becomes generated, or whose generation expression changes, loses its stored values.
 */
function computedAnew(base: Schema, target: Schema, old: SchemaObject): readonly Finding[] {
  const now = target.get(old.id);
  if (old.values.generated === now.values.generated) return [];
  const what =
    now.values.generated === undefined
      ? "its values are"
      : "its values are computed again, and the previous ones are";
  return loss(base.pathOf(old), what);
}

function lostCounter(
  base: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
): readonly Finding[] {
  const isEnded = old.values.identity !== undefined && now.values.identity === undefined;
  const options = now.values.sequenceOptions;
  const isBegunAnew =
    old.values.sequenceOptions !== undefined &&
    options !== undefined &&
    restart(old, options) !== "";
  if (isEnded) return loss(base.pathOf(old), "its counter is");
  if (!isBegunAnew) return [];
  return [reportOn(base.pathOf(old))("destructive", "its counter restarts within its new bounds")];
}

function lostAttributes(
  base: PostgresSchema,
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
): readonly Finding[] {
  if (old.kind !== "CompositeType") return [];
  const columns = new StoredTypes(base).columnsOf(old.id);
  if (!columns.some(({ id }) => target.find(id) !== undefined)) return [];
  const kept = new Set((now.values.attributes ?? []).map((part) => part.label));
  const lost = (old.values.attributes ?? []).filter(({ label }) => !kept.has(label));
  return lost.flatMap((part) =>
    loss(`${base.pathOf(old)}.${part.label}`, "its values in columns of the type are"),
  );
}

function sqliteLosses(base: Schema, target: Schema): readonly Finding[] {
  return target.objects.flatMap((now) => {
    const old = base.find(now.id);
    if (old === undefined) return [];
    const path = base.pathOf(old);
    if (now.kind === "VirtualTable" && old.values.definition !== now.values.definition) {
      return droppedRows(base, old);
    }
    if (now.kind === "Column" && now.values.generated !== undefined) {
      const isComputed = old.values.generated !== now.values.generated;
      return isComputed ? computedAnew(base, target, old) : [];
    }
    const isCounterGone = now.kind === "PrimaryKey" && isCounting(old) && !isCounting(now);
    return isCounterGone ? loss(path, "its counter is") : [];
  });
}
