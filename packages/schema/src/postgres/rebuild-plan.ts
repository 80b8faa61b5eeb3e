import { isOf, nameOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import { perPair } from "../model/per-pair.js";
import type { PropertyName } from "../model/vocabulary.js";
import { typeChangeOf } from "./alter-column.js";
import { mustReplace, REPLACED } from "./alter-type.js";
import { attachedTo, Attachments } from "./objects/attachments.js";
import {
  ATTRIBUTES,
  isMoreChecked,
  isNewColumn,
  isNewTable,
  isTakenAlong,
} from "./objects/changed-properties.js";
import { needsOf } from "./objects/dependency-order.js";
import { inheritedPart, ownerOf } from "./parents/inheritance.js";
import { repartitionedTables } from "./parents/partition-keys.js";
import { CONSTRAINTS, DEFINED, isForeign, isRoutine } from "./objects/names.js";
import { RenamedText } from "./renamed-text.js";
import { isReplaceable } from "./statements.js";
import { parkedColumns, rewrittenTables } from "./types/parked-columns.js";
import { replacedTypes, reshapedColumns } from "./types/replaced-types.js";
import { StoredTypes } from "./types/stored-types.js";

/** Kinds that store no data, so that they can be dropped and recreated. */
export const RECREATABLE: readonly Kind[] = [
  ...(["View", "MaterializedView", "Index", "Trigger", "Policy", "Function", "Procedure"] as const),
  ...DEFINED.filter((kind) => !REPLACED.includes(kind)),
  ...CONSTRAINTS,
];

/** An object that both schemas have, as the base and as the target describes it. */
export interface MatchedObject {
  readonly old: PostgresObject;
  readonly now: PostgresObject;
}

/**
 * Determines which objects cannot be altered in place and must be dropped and recreated, together
 * with their dependents.
 */
export class RebuildPlan {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  /** Objects of both schemas that are dropped and recreated. */
  readonly recreated: Set<string> = new Set();
  /** Types that are recreated under the same name, while the old type is renamed. */
  readonly replaced: Set<string> = new Set();
  /**
   * Columns whose dependents must be recreated, because the column's type changes or the column is
   * recreated.
   */
  readonly touched: Set<string> = new Set();
  /**
   * Columns that are text while the row type of a table that they store is altered. They are
   * touched too.
   */
  readonly parked: Set<string> = new Set();
  /** Columns that store a recreated composite type with other attributes, or in another order. */
  readonly reshaped: ReadonlySet<string>;
  /** Columns that are dropped and added again. */
  readonly anew: Set<string> = new Set();
  /** Columns whose default is dropped early, so that objects it uses can be recreated or go. */
  readonly defaults: Set<string> = new Set();
  readonly matched: readonly MatchedObject[];
  readonly #renamedText: RenamedText;
  /** Indexes and constraints of partitions, in the base and in the target. */
  readonly #parts: Attachments;
  readonly #partsNow: Attachments;
  /** What the columns of the base store. */
  readonly stored: StoredTypes;
  readonly #changes = new Map<string, readonly PropertyName[]>();

  /** @param broken invalid partitioned indexes of the base, which can only be dropped. */
  constructor(base: PostgresSchema, target: PostgresSchema, broken: readonly string[] = []) {
    this.#base = base;
    this.#target = target;
    this.#parts = new Attachments(base);
    this.#partsNow = new Attachments(target);
    this.stored = new StoredTypes(base);
    for (const id of broken) if (target.find(id) !== undefined) this.recreated.add(id);
    this.matched = target.objects.flatMap((now) => {
      const old = base.find(now.id);
      // No statement of a script is about the database as a whole.
      return old === undefined || now.kind === "Database" ? [] : [{ old, now }];
    });
    this.#renamedText = new RenamedText(base, target);
    for (const each of this.matched) this.#compare(each);
    for (let size = -1; size < this.#size();) {
      size = this.#size();
      this.#replaceTypes();
      this.#repartition();
      this.#recreateGenerated();
      this.#recreateDependents();
      this.#recreateAttached();
      this.#park();
    }
    this.#findDefaults();
    this.reshaped = reshapedColumns(target, this);
  }

  /** The properties that change, apart from renames of other objects. */
  changed(old: PostgresObject, now: PostgresObject): readonly PropertyName[] {
    const known = this.#changes.get(now.id);
    if (known !== undefined) return known;
    const changed = this.#renamedText.changedProperties(old, now);
    this.#changes.set(now.id, changed);
    return changed;
  }

  /** The name of a base routine after all renames. */
  routineName(old: PostgresObject): string | undefined {
    return this.#renamedText.nameOf(old);
  }

  /** Whether an object of the base is dropped, even if it is recreated later. */
  isDropped({ id }: PostgresObject): boolean {
    return this.#target.find(id) === undefined || this.recreated.has(id);
  }

  /**
   * Whether a routine goes while another one of its name comes, with other arguments: while both
   * are there, PostgreSQL cannot tell which of them a call means.
   */
  isOvertaken(old: PostgresObject): boolean {
    if (!isRoutine(old) || this.#target.find(old.id) !== undefined) return false;
    const siblings = this.#target.partsOf(old.parent, "Function", "Procedure", "Aggregate");
    return siblings.some((each) => this.isFresh(each) && wordBefore(each) === wordBefore(old));
  }

  /** Whether an object of the target has to be created, because it is new or was dropped. */
  isFresh({ id, parent }: PostgresObject): boolean {
    return (
      this.#base.find(id) === undefined ||
      this.recreated.has(id) ||
      this.replaced.has(id) ||
      this.anew.has(id) ||
      (parent !== undefined && this.recreated.has(parent))
    );
  }

  #compare({ old, now }: MatchedObject): void {
    const changed = this.changed(old, now);
    // Overloaded routines are distinguished by their argument types.
    if (this.routineName(old) !== now.name && isRoutine(now)) this.recreated.add(now.id);
    if (changed.length === 0) return;
    if (REPLACED.includes(now.kind) && mustReplace(old, now, changed, this.stored))
      this.replaced.add(now.id);
    if (now.kind === "Table" && changed.some(isNewTable)) this.recreated.add(now.id);
    if (now.kind === "Table") this.#lookAtTable(old, now);
    if (now.kind === "Column") this.#lookAtColumn(now, changed);
    if (changed.includes("isInvalid") && !this.#isCompleted(old)) this.recreated.add(now.id);
    if (now.kind === "Extension" && this.#isDowngrade(old, now)) this.recreated.add(now.id);
    if (!RECREATABLE.includes(now.kind) || isReplaceable(old, now)) return;
    const isDetail = (property: PropertyName): boolean =>
      ATTRIBUTES.includes(property) ||
      (property === "options" && isIndexed(now) && !this.#isOfPartitioned(now));
    if (isMoreChecked(old, now, changed)) return;
    if (!changed.every(isDetail)) this.recreated.add(now.id);
  }

  /** Whether an index has no storage of its own, whose parameters ALTER INDEX could change. */
  #isOfPartitioned({ parent }: PostgresObject): boolean {
    return this.#target.find(parent)?.values.partitionKey !== undefined;
  }

  /** Whether a partitioned index becomes valid by attaching the missing partition indexes. */
  #isCompleted({ id, values }: PostgresObject): boolean {
    if (values.isInvalid !== true) return false;
    return this.#partsNow.partsOf(id).some((part) => {
      const old = this.#base.find(part.id);
      if (old === undefined || attachedTo(old) !== id) return true;
      return part.values.isInvalid !== true && this.#isCompleted(old);
    });
  }

  #lookAtTable(old: PostgresObject, now: PostgresObject): void {
    const options = (of: PostgresObject): readonly unknown[] =>
      (of.values.columnDetails ?? []).map(({ label, foreignOptions }) => [label, foreignOptions]);
    if (isForeign(now) && !sameJson(options(old), options(now))) this.recreated.add(now.id);
    // PostgreSQL then treats existing rows as checked. Only a recreated constraint has not checked
    // any.
    for (const part of old.values.constraintDetails ?? []) {
      const { label } = part;
      const after = (now.values.constraintDetails ?? []).find((each) => each.label === label);
      if (part.isValidated !== true || after?.isValidated === true) continue;
      const check = inheritedPart(this.#base, old, "CheckConstraint", label);
      if (check !== undefined && this.#isUnchecked(check)) this.recreated.add(check.id);
    }
  }

  #isUnchecked({ id }: PostgresObject): boolean {
    const now = this.#target.find(id);
    return now !== undefined && now.values.definition?.endsWith(" NOT VALID") === true;
  }

  /** A partition index cannot be dropped without the partitioned index, nor the other way round. */
  #recreateAttached(): void {
    for (const part of this.#base.objects) {
      const id = attachedTo(part);
      if (id === undefined) continue;
      const [table, whole] = [this.#base.above(part), this.#base.get(id)];
      const isTableGone = this.isDropped(table);
      if (this.isDropped(whole) && this.#target.find(part.id) !== undefined)
        this.recreated.add(part.id);
      if (isTableGone || this.#target.find(id) === undefined) continue;
      const now = this.#target.find(part.id);
      const isLost = this.isDropped(part) || (now !== undefined && attachedTo(now) !== id);
      if (isLost) this.recreated.add(id);
    }
  }

  /**
   * Whether an extension's version goes back. Extensions have update scripts to later versions
   * only, so one without stored values is recreated.
   */
  #isDowngrade(old: PostgresObject, now: PostgresObject): boolean {
    if (old.kind !== "Extension" || now.kind !== "Extension") return false;
    const [before, after] = [old.values.version, now.values.version];
    const isOlder = before.localeCompare(after, "en", { numeric: true }) > 0;
    return isOlder && !this.#base.all("Column").some((each) => needsOf(each).includes(now.id));
  }

  /** The name of an inherited part after all renames. */
  labelNow(old: PostgresObject, label: string, kind: Kind = "Column"): string {
    const above = inheritedPart(this.#base, old, kind, label);
    const now = above === undefined ? undefined : this.#target.find(above.id);
    return now?.name ?? label;
  }

  /**
   * Whether a typed table is detached from its type while its columns are altered, because a typed
   * table's columns cannot be.
   */
  isRetyped(old: PostgresObject, now: PostgresObject): boolean {
    if (old.values.ofType === undefined && now.values.ofType === undefined) return false;
    const columns = new Set(
      [...this.#base.partsOf(old.id, "Column"), ...this.#target.partsOf(now.id, "Column")].map(
        ({ id }) => id,
      ),
    );
    const isColumnChanged = [...columns].some((id) => {
      const [before, after] = [this.#base.find(id), this.#target.find(id)];
      if (before === undefined || after === undefined || before.name !== after.name) return true;
      return this.touched.has(id) || this.changed(before, after).length > 0;
    });
    return isColumnChanged || !sameJson(old.values.ofType, now.values.ofType);
  }

  /** Whether a generated column is dropped before the functions that its expression calls. */
  isGeneratedAnew({ id, kind, values }: PostgresObject): boolean {
    return kind === "Column" && this.anew.has(id) && values.generated !== undefined;
  }

  #lookAtColumn(now: PostgresObject<"Column">, changed: readonly PropertyName[]): void {
    const { id, parent, values } = now;
    // Recreating a foreign table loses no rows.
    if (changed.includes("foreignOptions")) this.recreated.add(parent);
    // PostgreSQL has no expression for the values of a generated column's new type.
    const isComputed = values.generated !== undefined && changed.includes("type");
    if (isComputed || changed.some(isNewColumn)) this.anew.add(id);
    if (typeChangeOf(changed) || this.anew.has(id)) this.touched.add(id);
  }

  #size(): number {
    return this.recreated.size + this.anew.size + this.replaced.size + this.parked.size;
  }

  #replaceTypes(): void {
    for (const id of replacedTypes(this.#base, this.#target, this)) {
      this.replaced.add(id);
    }
    for (const column of this.#base.all("Column")) {
      if (this.#target.find(column.id) === undefined) continue;
      if (needsOf(column).some((id) => this.replaced.has(id))) this.touched.add(column.id);
    }
  }

  /** Makes room for the tables whose row types are stored. */
  #park(): void {
    for (const { id } of rewrittenTables(this.#target, this)) {
      for (const view of this.stored.viewsOf(id)) {
        if (this.#target.find(view.id) !== undefined) this.recreated.add(view.id);
      }
    }
    for (const id of parkedColumns(this.#base, this.#target, this)) this.touched.add(id);
    this.#repartition();
    for (const id of parkedColumns(this.#base, this.#target, this)) this.parked.add(id);
  }

  #repartition(): void {
    const tables = repartitionedTables(this.#base, (id) => this.isGone(id));
    for (const { id } of tables) if (this.#target.find(id) !== undefined) this.recreated.add(id);
  }

  /**
   * PostgreSQL does not alter the type of a column, nor a function, that a generated column uses.
   */
  #recreateGenerated(): void {
    for (const column of this.#base.all("Column")) {
      const { id, values } = column;
      if (values.generated === undefined || this.#target.find(id) === undefined) continue;
      const isLoose = needsOf(column).some((need) => this.#isLeft(need));
      if (!isLoose && !needsOf(column).some((need) => this.touched.has(need))) continue;
      if (this.recreated.has(column.parent)) continue;
      this.anew.add(id);
      this.touched.add(id);
    }
  }

  /** Whether an object that a column needs goes before the column is altered. */
  #isLeft(id: string): boolean {
    const object = this.#base.find(id);
    if (object === undefined || this.recreated.has(id)) return object !== undefined;
    // PostgreSQL drops a sequence with the column that owns it.
    const owner = ownerOf(this.#base, object);
    if (owner === undefined && object.kind !== "Column" && !isRoutine(object)) return false;
    return [id, owner?.id ?? id].every((each) => this.#target.find(each) === undefined);
  }

  #findDefaults(): void {
    for (const column of this.#base.all("Column")) {
      const { id, values } = column;
      if (values.default === undefined) continue;
      const isKept = this.#target.find(id) !== undefined;
      const left = needsOf(column).filter((need) => this.#isLeft(need));
      const isLoose = left.some((need) => isKept || isRoutine(this.#base.get(need)));
      if (this.touched.has(id) || isLoose) this.defaults.add(id);
    }
  }

  /** Recreates the dependents of everything that is dropped or recreated. */
  #recreateDependents(): void {
    for (let size = -1; size < this.recreated.size;) {
      size = this.recreated.size;
      for (const object of this.#base.objects) {
        if (!RECREATABLE.includes(object.kind) && !isForeign(object) && !isPartition(object))
          continue;
        if (this.recreated.has(object.id) || this.#target.find(object.id) === undefined) continue;
        if (this.#loses(object)) this.recreated.add(object.id);
      }
    }
  }

  #loses(object: PostgresObject): boolean {
    // A partition is dropped with its parent table only, not with other objects.
    if (isPartition(object) && !isForeign(object)) {
      return (object.values.inherits ?? []).some(({ table }) => this.recreated.has(table.ref));
    }
    // PostgreSQL itself rebuilds keys and indexes when a column's type changes. For a partitioned
    // index it would generate new names for the partition indexes, so that case is excluded.
    const isTaken = isIndexed(object) && this.#parts.partsOf(object.id).length === 0;
    const matters = (id: string): boolean =>
      id !== object.parent &&
      this.isGone(id) &&
      !(isTaken && this.#isTypeChanged(id) && isTakenAlong(object));
    const { parent } = object;
    const isPartLost =
      parent !== undefined && (this.recreated.has(parent) || this.replaced.has(parent));
    return isPartLost || needsOf(object).some(matters);
  }

  /** Whether an object of the base is dropped, even temporarily. */
  isGone(id: string): boolean {
    const object = this.#base.find(id);
    if (object === undefined) return false;
    if (object.kind === "Column" && this.recreated.has(object.parent)) return true;
    const isLost = this.#target.find(id) === undefined || this.recreated.has(id);
    return isLost || this.touched.has(id) || this.replaced.has(id);
  }

  #isTypeChanged(id: string): boolean {
    return this.touched.has(id) && !this.anew.has(id) && !this.parked.has(id);
  }
}

/** Whether the object is an index, or a constraint that may have an index. */
function isIndexed(object: PostgresObject): boolean {
  return object.kind === "Index" || isOf(object, CONSTRAINTS);
}

/** The name of a routine without its arguments. */
function wordBefore(routine: PostgresObject): string | undefined {
  return /^(?:"(?:[^"]|"")*"|[^(])*/.exec(nameOf(routine))?.[0];
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isPartition({ kind, values }: PostgresObject): boolean {
  return kind === "Table" && values.partitionBound !== undefined;
}

/** The objects that a script recreates when the base has no invalid indexes. */
export const rebuildPlanBetween: (base: PostgresSchema, target: PostgresSchema) => RebuildPlan =
  perPair((base: PostgresSchema, target: PostgresSchema) => new RebuildPlan(base, target));
