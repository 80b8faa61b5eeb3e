import { idIn, partsIn, type Schema, type SchemaObject, textOf } from "../schema.js";
import type { Kind } from "../kinds.js";
import { perPair } from "../per-pair.js";
import type { PropertyName } from "../vocabulary.js";
import { typeChangeOf } from "./alter-column.js";
import { mustReplace, REPLACED } from "./alter-type.js";
import { attachedTo, Attachments } from "./attachments.js";
import { needsOf } from "./dependency-order.js";
import { inheritedPart } from "./inheritance.js";
import { CONSTRAINTS, DEFINED, isForeign, isRoutine, namesIn } from "./names.js";
import { RenamedText } from "./renamed-text.js";
import { isReplaceable } from "./statements.js";

/** Kinds that hold nothing themselves, and so may be dropped and made again. */
export const REMAKEABLE: readonly Kind[] = [
  ...(["View", "MaterializedView", "Index", "Trigger", "Policy", "Function", "Procedure"] as const),
  ...DEFINED.filter((kind) => !REPLACED.includes(kind)),
  ...CONSTRAINTS,
];

/** What is said after everything is there. */
const DETAILS: readonly PropertyName[] = [
  ...(["comment", "grants", "revoked", "owner", "ownedBy", "columnDetails"] as const),
  ...(["columnGrants", "isClustered", "isReplicaIdentity", "indexComment"] as const),
  ...([
    "statisticsTarget",
    "attachedTo",
    "isInvalid",
    "triggerStates",
    "neededExtensions",
  ] as const),
];

/** An object before and after. */
export interface Kept {
  readonly old: SchemaObject;
  readonly now: SchemaObject;
}

/** What cannot be changed as it stands between two schemas, and with it what depends on it. */
export class Remaking {
  readonly #base: Schema;
  readonly #target: Schema;
  /** Objects of both that are dropped and made again. */
  readonly remade: Set<string> = new Set();
  /** Types that are made again under their name while the old one makes room. */
  readonly replaced: Set<string> = new Set();
  /** Columns that lose what depends on them: their type changes, or they are made again. */
  readonly touched: Set<string> = new Set();
  /** Columns that are dropped and added again. */
  readonly anew: Set<string> = new Set();
  /** Columns whose default makes room for what it needs to be made again. */
  readonly defaults: Set<string> = new Set();
  readonly kept: readonly Kept[];
  readonly #renamedText: RenamedText;
  /** Partitions' indexes and constraints, before and after. */
  readonly #parts: Attachments;
  readonly #partsNow: Attachments;
  readonly #changes = new Map<string, readonly PropertyName[]>();

  /** @param broken Indexes of the base with parts that no statement but DROP can be done with. */
  constructor(base: Schema, target: Schema, broken: readonly string[] = []) {
    this.#base = base;
    this.#target = target;
    this.#parts = new Attachments(base);
    this.#partsNow = new Attachments(target);
    for (const id of broken) if (target.find(id) !== undefined) this.remade.add(id);
    this.kept = target.objects.flatMap((now) => {
      const old = base.find(now.id);
      return old === undefined ? [] : [{ old, now }];
    });
    this.#renamedText = new RenamedText(base, target);
    for (const each of this.kept) this.#look(each);
    this.#touchColumnsOfReplaced();
    for (let size = -1; size < this.remade.size + this.anew.size;) {
      size = this.remade.size + this.anew.size;
      this.#remakeGenerated();
      this.#remakeDependents();
      this.#remakeAttached();
    }
    this.#findDefaults();
  }

  /** The properties that change by more than renames elsewhere. */
  changed(old: SchemaObject, now: SchemaObject): readonly PropertyName[] {
    const known = this.#changes.get(now.id);
    if (known !== undefined) return known;
    const changed = this.#renamedText.changedProperties(old, now);
    this.#changes.set(now.id, changed);
    return changed;
  }

  /** What a routine of the base is called once everything has its new name. */
  routineName(old: SchemaObject): string | undefined {
    return this.#renamedText.nameOf(old);
  }

  /** Whether an object of the base goes, if only to come back. */
  isDropped({ id }: SchemaObject): boolean {
    return this.#target.find(id) === undefined || this.remade.has(id);
  }

  /** Whether an object of the target is not there yet, or not any more, when it is made. */
  isFresh({ id, parent = "" }: SchemaObject): boolean {
    return (
      this.#base.find(id) === undefined ||
      this.remade.has(id) ||
      this.replaced.has(id) ||
      this.anew.has(id) ||
      this.remade.has(parent)
    );
  }

  #look({ old, now }: Kept): void {
    const changed = this.changed(old, now);
    // Routines of one name are told apart by their arguments' types.
    if (this.routineName(old) !== now.name && isRoutine(now)) this.remade.add(now.id);
    if (changed.length === 0) return;
    if (REPLACED.includes(now.kind) && mustReplace(old, now, changed)) this.replaced.add(now.id);
    if (now.kind === "Table" && changed.some(isNewTable)) this.remade.add(now.id);
    if (now.kind === "Table") this.#lookAtTable(old, now);
    if (now.kind === "Column") this.#lookAtColumn(now, changed);
    if (changed.includes("isInvalid") && !this.#isCompleted(old)) this.remade.add(now.id);
    if (now.kind === "Extension" && this.#isDowngrade(old, now)) this.remade.add(now.id);
    if (!REMAKEABLE.includes(now.kind) || isReplaceable(old, now)) return;
    const isDetail = (property: PropertyName): boolean =>
      DETAILS.includes(property) || (property === "options" && isIndexed(now));
    if (isMoreChecked(old, now, changed)) return;
    if (!changed.every(isDetail)) this.remade.add(now.id);
  }

  /** Whether a partitioned index becomes valid by what is attached to it. */
  #isCompleted({ id, values }: SchemaObject): boolean {
    if (values.isInvalid !== true) return false;
    return this.#partsNow.partsOf(id).some((part) => {
      const old = this.#base.find(part.id);
      if (old === undefined || attachedTo(old) !== id) return true;
      return part.values.isInvalid !== true && this.#isCompleted(old);
    });
  }

  #lookAtTable(old: SchemaObject, now: SchemaObject): void {
    const options = (of: SchemaObject): readonly unknown[] =>
      partsIn(of.values, "columnDetails").map(({ label, foreignOptions }) => [
        label,
        foreignOptions,
      ]);
    if (isForeign(now) && !sameJson(options(old), options(now))) this.remade.add(now.id);
    // Rows count as checked from then on; only a constraint that is made again has not looked at any.
    for (const part of partsIn(old.values, "constraintDetails")) {
      const label = textOf(part, "label") ?? "";
      const after = partsIn(now.values, "constraintDetails").find((each) => each.label === label);
      if (part.isValidated !== true || after?.isValidated === true) continue;
      const check = inheritedPart(this.#base, old, "CheckConstraint", label);
      if (check !== undefined && this.#isUnchecked(check)) this.remade.add(check.id);
    }
  }

  #isUnchecked({ id }: SchemaObject): boolean {
    const now = this.#target.find(id);
    return now !== undefined && NOT_VALID.test(textOf(now.values, "definition") ?? "");
  }

  /** A part of a partitioned index cannot go without the whole, nor the whole without its parts. */
  #remakeAttached(): void {
    for (const part of this.#base.objects) {
      const id = attachedTo(part);
      if (id === undefined) continue;
      const [table, whole] = [this.#base.get(part.parent ?? ""), this.#base.get(id)];
      const isTableGone = this.isDropped(table);
      if (this.isDropped(whole) && this.#target.find(part.id) !== undefined)
        this.remade.add(part.id);
      if (isTableGone || this.#target.find(id) === undefined) continue;
      const now = this.#target.find(part.id);
      const isLost = this.isDropped(part) || (now !== undefined && attachedTo(now) !== id);
      if (isLost) this.remade.add(id);
    }
  }

  /** Extensions have ways up only; what holds no values can be made again. */
  #isDowngrade(old: SchemaObject, now: SchemaObject): boolean {
    const [before = "", after = ""] = [old, now].map(({ values }) => textOf(values, "version"));
    const isOlder = before.localeCompare(after, "en", { numeric: true }) > 0;
    return isOlder && !this.#base.all("Column").some((each) => needsOf(each).includes(now.id));
  }

  /** What a part that a table has from a parent is called once everything has its new name. */
  labelNow(old: SchemaObject, label: string, kind: Kind = "Column"): string {
    const above = inheritedPart(this.#base, old, kind, label);
    const now = above === undefined ? undefined : this.#target.find(above.id);
    return now?.name ?? label;
  }

  /** Whether a table is without its type while its columns change, which a typed table's do not. */
  isRetyped(old: SchemaObject, now: SchemaObject): boolean {
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

  /** Whether a column goes before the functions that its values are made with do. */
  isGeneratedAnew({ id, kind, values }: SchemaObject): boolean {
    return kind === "Column" && this.anew.has(id) && values.generated !== undefined;
  }

  #lookAtColumn({ id, parent = "" }: SchemaObject, changed: readonly PropertyName[]): void {
    // A foreign table has no rows of its own to lose.
    if (changed.includes("foreignOptions")) this.remade.add(parent);
    if (changed.some(isNewColumn)) this.anew.add(id);
    if (changed.includes("type") && isPartitionedBy(this.#base, id)) this.remade.add(parent);
    if (typeChangeOf(changed) || this.anew.has(id)) this.touched.add(id);
  }

  #touchColumnsOfReplaced(): void {
    for (const column of this.#base.all("Column")) {
      if (this.#target.find(column.id) === undefined) continue;
      if (needsOf(column).some((id) => this.replaced.has(id))) this.touched.add(column.id);
    }
  }

  /** The engine changes no column's type under a generated one, and no function either. */
  #remakeGenerated(): void {
    for (const column of this.#base.all("Column")) {
      const { id, values } = column;
      if (values.generated === undefined || this.#target.find(id) === undefined) continue;
      if (!needsOf(column).some((need) => this.touched.has(need) || this.remade.has(need)))
        continue;
      if (this.remade.has(column.parent ?? "")) continue;
      this.anew.add(id);
      this.touched.add(id);
    }
  }

  #findDefaults(): void {
    for (const column of this.#base.all("Column")) {
      const { id, values } = column;
      if (values.default === undefined || this.#target.find(id) === undefined) continue;
      const isLoose = needsOf(column).some((need) => this.remade.has(need));
      if (this.touched.has(id) || isLoose) this.defaults.add(id);
    }
  }

  /** What depends on something that goes, or is made again, goes and is made again itself. */
  #remakeDependents(): void {
    for (let size = -1; size < this.remade.size;) {
      size = this.remade.size;
      for (const object of this.#base.objects) {
        if (!REMAKEABLE.includes(object.kind) && !isForeign(object) && !isPartition(object))
          continue;
        if (this.remade.has(object.id) || this.#target.find(object.id) === undefined) continue;
        if (this.#loses(object)) this.remade.add(object.id);
      }
    }
  }

  #loses(object: SchemaObject): boolean {
    // A partition goes with the table that it is one of, and with nothing else.
    if (isPartition(object) && !isForeign(object)) {
      return partsIn(object.values, "inherits").some((part) =>
        this.remade.has(idIn(part, "table") ?? ""),
      );
    }
    // The engine itself takes keys and indexes along when a column's type changes.
    // It gives the parts of a partitioned index names of its own then.
    const isTaken = isIndexed(object) && this.#parts.partsOf(object.id).length === 0;
    const matters = (id: string): boolean =>
      id !== object.parent &&
      this.isGone(id) &&
      !(isTaken && this.#isTypeChanged(id) && isTakenAlong(object));
    const { parent = "" } = object;
    return this.remade.has(parent) || this.replaced.has(parent) || needsOf(object).some(matters);
  }

  /** Whether an object of the base goes, if only for a while. */
  isGone(id: string): boolean {
    const object = this.#base.find(id);
    if (object === undefined) return false;
    if (object.kind === "Column" && this.remade.has(object.parent ?? "")) return true;
    const isLost = this.#target.find(id) === undefined || this.remade.has(id);
    return isLost || this.touched.has(id) || this.replaced.has(id);
  }

  #isTypeChanged(id: string): boolean {
    return this.touched.has(id) && !this.anew.has(id);
  }
}

/** How the definition of a constraint ends that has not looked at the rows. */
const NOT_VALID = / NOT VALID$/;

/** Whether nothing but the checking of the rows is missing. */
export function isMoreChecked(
  old: SchemaObject,
  now: SchemaObject,
  changed: readonly PropertyName[],
): boolean {
  const before = textOf(old.values, "definition") ?? "";
  const isChecked =
    NOT_VALID.test(before) && !NOT_VALID.test(textOf(now.values, "definition") ?? "");
  return (
    CONSTRAINTS.includes(now.kind) &&
    changed.every((property) => property === "definition" || DETAILS.includes(property)) &&
    isChecked &&
    before.replace(NOT_VALID, "") === now.values.definition
  );
}

/** Indexes, and constraints, which may have one. */
function isIndexed({ kind }: SchemaObject): boolean {
  return kind === "Index" || CONSTRAINTS.includes(kind);
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isPartition({ kind, values }: SchemaObject): boolean {
  return kind === "Table" && values.partitionBound !== undefined;
}

/** What a script that finds every index as it should be makes anew. */
export const remakingBetween: (base: Schema, target: Schema) => Remaking = perPair(
  (base, target) => new Remaking(base, target),
);

/** Whether the rows of a table are where they are by the values of a column. */
export function isPartitionedBy(schema: Schema, id: string): boolean {
  const { name, parent = "" } = schema.get(id);
  const key = textOf(schema.get(parent).values, "partitionKey");
  return key !== undefined && namesIn(key).has(name ?? "");
}

/** Keys on plain columns survive; what compares with a constant of the old type does not. */
function isTakenAlong({ kind, values }: SchemaObject): boolean {
  const isPlain = kind === "Index" || kind === "PrimaryKey" || kind === "UniqueConstraint";
  if (!isPlain || values.where !== undefined) return false;
  return !partsIn(values, "parts").some((part) => part.expression !== undefined);
}

function isNewTable(property: PropertyName): boolean {
  const remaking: readonly PropertyName[] = [
    ...(["partitionKey", "partitionBound", "inherits", "server", "foreignOptions"] as const),
  ];
  return remaking.includes(property);
}

function isNewColumn(property: PropertyName): boolean {
  return property === "generated" || property === "storage";
}
