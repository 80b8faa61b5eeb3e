import { isForeign } from "../postgres/names.js";
import { needsOf } from "../postgres/dependency-order.js";
import { EXTENSION_ROWS } from "../postgres/extension-rows.js";
import { remakingBetween } from "../postgres/remaking.js";
import { restart } from "../postgres/alter-column.js";
import { idIn, isSet, partsIn, type Schema, type SchemaObject, textOf } from "../schema.js";
import { diffSchemas } from "../schema-diff.js";
import { type Finding, reportOn } from "./finding.js";

/** What a migration loses of rows, of values and of counters, in every case. */
export function lossFindings(base: Schema, target: Schema): readonly Finding[] {
  const dropped = diffSchemas(base, target).flatMap(({ action, id }) =>
    action === "drop" ? droppedWith(base, target, base.get(id)) : [],
  );
  return [
    ...dropped,
    ...(base.dialect === "postgres" ? postgresLosses(base, target) : sqliteLosses(base, target)),
  ];
}

/** What goes with an object that is dropped. */
function droppedWith(base: Schema, target: Schema, object: SchemaObject): readonly Finding[] {
  const lost = (what: string): readonly Finding[] => loss(base.pathOf(object), what);
  switch (object.kind) {
    case "Table":
      return isForeign(object) ? [] : lost("its rows are");
    case "VirtualTable":
      return lost("its rows are");
    case "MaterializedView":
      return lost("its rows, as they were last refreshed, are");
    case "Column":
      return isOwnValue(base, object) ? lost("its values are") : [];
    case "Sequence":
      return goesWithColumn(target, object) ? [] : lost("its counter is");
    case "Extension":
      return [extensionFinding(base, object)];
    case "PrimaryKey":
      return isCounting(object) && !goesOnCounting(target, object) ? lost("its counter is") : [];
    default:
      return [];
  }
}

/** A generated column has no value of its own, and the values of a foreign table are on another server. */
function isOwnValue(schema: Schema, { values, parent = "" }: SchemaObject): boolean {
  return values.generated === undefined && !isForeign(schema.get(parent));
}

function extensionFinding(base: Schema, extension: SchemaObject): Finding {
  const message = `${EXTENSION_ROWS}: if there are any, the migration stops unless data loss is accepted`;
  return reportOn(base.pathOf(extension))("data-dependent", message);
}

/** Nobody counts the rows of a column that is gone itself. */
function goesWithColumn(target: Schema, { values }: SchemaObject): boolean {
  const owner = idIn(values, "ownedBy");
  return owner !== undefined && target.find(owner) === undefined;
}

/** Whether a key of SQLite is AUTOINCREMENT. */
function isCounting({ values }: SchemaObject): boolean {
  return isSet(values, "isAutoincrement");
}

function goesOnCounting(target: Schema, { parent = "" }: SchemaObject): boolean {
  return target.partsOf(parent, "PrimaryKey").some(isCounting);
}

function loss(object: string, what: string): readonly Finding[] {
  const report = reportOn(object);
  return [
    report("destructive", `${what} lost`),
    report("irreversible-down", `${what} not brought back`),
  ];
}

function postgresLosses(base: Schema, target: Schema): readonly Finding[] {
  const remaking = remakingBetween(base, target);
  const remade = [...remaking.remade].flatMap((id) => base.find(id) ?? []);
  const anew = [...remaking.anew].flatMap((id) => base.find(id) ?? []);
  return [
    ...remade.flatMap((object) => madeAnew(base, object)),
    ...anew
      .filter(({ parent = "" }) => !remaking.remade.has(parent))
      .flatMap((column) => computedAnew(base, target, column)),
    ...remaking.kept
      .filter(({ now }) => !remaking.isFresh(now))
      .flatMap(({ old, now }) => [
        ...lostCounter(base, old, now),
        ...lostAttributes(base, target, old, now),
      ]),
  ];
}

/** A table that cannot be changed as it stands is dropped and made again, without its rows. */
function madeAnew(base: Schema, object: SchemaObject): readonly Finding[] {
  const report = reportOn(base.pathOf(object));
  if (object.kind === "Extension") return [extensionFinding(base, object)];
  if (object.kind === "MaterializedView") {
    return [report("destructive", "it is filled anew: its rows, as last refreshed, are lost")];
  }
  if (object.kind !== "Table" || isForeign(object)) return [];
  return [
    report("destructive", "it is made anew, without its rows"),
    report("irreversible-down", "its rows are not brought back"),
  ];
}

/** A column that comes to be computed, or is computed otherwise, keeps no value. */
function computedAnew(base: Schema, target: Schema, old: SchemaObject): readonly Finding[] {
  const now = target.get(old.id);
  if (old.values.generated === now.values.generated) return [];
  const what =
    now.values.generated === undefined
      ? "its values are"
      : "its values are computed anew, and those of before are";
  return loss(base.pathOf(old), what);
}

function lostCounter(base: Schema, old: SchemaObject, now: SchemaObject): readonly Finding[] {
  const isEnded = old.values.identity !== undefined && now.values.identity === undefined;
  const isBegunAnew =
    old.values.sequenceOptions !== undefined &&
    now.values.sequenceOptions !== undefined &&
    restart(old, textOf(now.values, "sequenceOptions")) !== "";
  if (isEnded) return loss(base.pathOf(old), "its counter is");
  if (!isBegunAnew) return [];
  return [
    reportOn(base.pathOf(old))("destructive", "its counter begins anew, within its new bounds"),
  ];
}

function lostAttributes(
  base: Schema,
  target: Schema,
  old: SchemaObject,
  now: SchemaObject,
): readonly Finding[] {
  if (old.kind !== "CompositeType" || !isHeld(base, target, old.id)) return [];
  const kept = new Set(partsIn(now.values, "attributes").map((part) => part.label));
  const lost = partsIn(old.values, "attributes").filter(({ label }) => !kept.has(label));
  return lost.flatMap((part) =>
    loss(
      `${base.pathOf(old)}.${textOf(part, "label") ?? ""}`,
      "its values in columns of the type are",
    ),
  );
}

/** Whether a column that stays has values of a type, if only inside of those of another type. */
function isHeld(base: Schema, target: Schema, type: string): boolean {
  const types = new Set([type]);
  for (const id of types) {
    for (const object of base.objects) {
      if (!needsOf(object).includes(id)) continue;
      if (object.kind === "Column" && target.find(object.id) !== undefined) return true;
      if (["CompositeType", "Domain", "RangeType"].includes(object.kind)) types.add(object.id);
    }
  }
  return false;
}

function sqliteLosses(base: Schema, target: Schema): readonly Finding[] {
  return target.objects.flatMap((now) => {
    const old = base.find(now.id);
    if (old === undefined) return [];
    const path = base.pathOf(old);
    if (now.kind === "VirtualTable" && old.values.definition !== now.values.definition) {
      return madeAnew(base, { ...old, kind: "Table" });
    }
    if (now.kind === "Column" && now.values.generated !== undefined) {
      const isComputed = old.values.generated !== now.values.generated;
      return isComputed ? computedAnew(base, target, old) : [];
    }
    const isCounterGone = now.kind === "PrimaryKey" && isCounting(old) && !isCounting(now);
    return isCounterGone ? loss(path, "its counter is") : [];
  });
}
