import { AppError } from "../../kernel/errors.js";
import type { Phase, Script } from "../ports.js";
import { phaseOf, type Step } from "../row-check.js";
import { idIn, type Schema, type SchemaObject, textOf } from "../schema.js";
import type { Kind } from "../kinds.js";
import { alterations } from "./alter-table.js";
import { oldName } from "./alter-type.js";
import { inDependencyOrder, needsOf } from "./dependency-order.js";
import { details } from "./details.js";
import { CONSTRAINTS, isRoutine, qualified, quoteName, quoteText, wordOf } from "./names.js";
import { REMAKEABLE, Remaking } from "./remaking.js";
import { Renames } from "./renames.js";
import { addConstraint, alterOn, create, createIndex } from "./statements.js";
import { drop, isReplaceable, labelsOf, onOf } from "./statements.js";

/** What is made before columns are changed, for they may need it. */
const FIRST: readonly Kind[] = [
  ...(["EnumType", "CompositeType", "RangeType", "Domain", "Sequence", "Table"] as const),
  ...(["Function", "Procedure", "Aggregate", "Operator", "Cast", "Collation"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];
/** What columns may still need while they change. */
const LATE: readonly Kind[] = [
  ...(["Function", "Procedure", "Operator", "Cast"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];

/**
 * The script that leads from one PostgreSQL schema to another: values of enums first, which nobody may
 * use in the transaction that adds them; then everything that happens in one transaction; then what
 * would hold others up there: indexes, and the checking of rows by constraints that are there already.
 * @throws AppError `INVALID_ARGUMENT`, naming it, for what no migration makes, changes or drops.
 */
export function planPostgres(base: Schema, target: Schema): Script {
  refuseUnmanaged(base, target);
  return new PostgresPlan(base, target).script();
}

class PostgresPlan {
  readonly #base: Schema;
  readonly #target: Schema;
  readonly #remaking: Remaking;
  readonly #renames: Renames;
  /** Statements that follow the transaction, each by itself; and those that end it all. */
  readonly #after: string[] = [];
  readonly #last: string[] = [];
  /** Whether objects go before columns change, as far as that is known. */
  readonly #early = new Map<string, boolean>();
  /** Objects that wait for what is made last, as far as that is known. */
  readonly #waiting = new Map<string, boolean>();
  /** Indexes that are made after the transaction. */
  readonly #pending = new Set<string>();

  constructor(base: Schema, target: Schema) {
    this.#base = base;
    this.#target = target;
    this.#remaking = new Remaking(base, target);
    this.#renames = new Renames(base, target, this.#remaking);
  }

  script(): Script {
    const first = this.#enumValues();
    const changes = alterations(this.#base, this.#target, this.#remaking, this.#renames);
    this.#after.push(...changes.after);
    this.#last.push(...changes.last);
    const main = [
      ...this.#renames.statements(),
      ...this.#releases(),
      ...[...this.#remaking.defaults].flatMap((id) => this.#dropDefault(id)),
      ...this.#drops((object) => this.#isEarly(object)),
      ...this.#makeRoom(),
      ...this.#creations(({ kind }) => kind === "Schema"),
      ...this.#creations(({ kind }) => kind === "Extension"),
      ...this.#creations((object) => this.#isFirst(object)),
      ...changes.now,
      ...this.#creations((object) => this.#isLast(object)),
      ...this.#drops((object) => !this.#isEarly(object)),
      ...this.#dropReplaced(),
    ];
    const said = details(this.#base, this.#target, this.#remaking, this.#pending);
    return [
      ...(first.length === 0 ? [] : [{ isAtomic: false, statements: first }]),
      ...atomic([...main, ...said.now]),
      ...(this.#after.length === 0 ? [] : [{ isAtomic: false, statements: this.#after }]),
      ...atomic([...this.#last, ...said.last]),
    ];
  }

  /** What must go before columns change; functions and types may still be needed by then. */
  #isEarly(object: SchemaObject): boolean {
    if (this.#remaking.isGeneratedAnew(object)) return true;
    const known = this.#early.get(object.id);
    if (known !== undefined) return known;
    const isLate = LATE.includes(object.kind);
    const isPlain = object.kind === "Table" || (REMAKEABLE.includes(object.kind) && !isLate);
    const isRemade = this.#remaking.remade.has(object.id);
    // Until it is known, so that a circle of needs ends.
    this.#early.set(object.id, isRemade || isPlain);
    const isTied = isLate && needsOf(object).some((id) => this.#isEarlyDrop(id));
    const isEarly = isRemade || isPlain || isTied || this.#isRoutineReplaced(object);
    this.#early.set(object.id, isEarly);
    return isEarly;
  }

  /** Whether another routine takes the name, which all kinds of them share. */
  #isRoutineReplaced(object: SchemaObject): boolean {
    if (!isRoutine(object)) return false;
    const siblings = this.#target.partsOf(
      object.parent ?? "",
      "Function",
      "Procedure",
      "Aggregate",
    );
    const called = this.#remaking.routineName(object);
    return siblings.some(({ id, name }) => id !== object.id && name === called);
  }

  #isEarlyDrop(id: string): boolean {
    const object = this.#base.find(id);
    if (object === undefined) return false;
    const isGone = this.#remaking.isDropped(object) && this.#isEarly(object);
    return isGone || this.#remaking.replaced.has(id);
  }

  /** Sequences that outlive what they belong to, and those of identity columns that no longer are. */
  #releases(): readonly string[] {
    return this.#remaking.kept.flatMap(({ old, now }) => {
      const owner = idIn(old.values, "ownedBy");
      if (
        owner !== undefined &&
        (owner !== idIn(now.values, "ownedBy") || this.#isColumnGone(owner))
      ) {
        return [`ALTER SEQUENCE ${qualified(this.#target, now)} OWNED BY NONE`];
      }
      if (old.values.identity === undefined || now.values.identity !== undefined) return [];
      if (this.#isColumnGone(now.id)) return [];
      const column = quoteName(now.name ?? "");
      return [`ALTER TABLE ${onOf(this.#target, now)} ALTER COLUMN ${column} DROP IDENTITY`];
    });
  }

  #drops(isNow: (object: SchemaObject) => boolean): readonly string[] {
    const gone = this.#base.objects.filter(
      (object) =>
        (this.#remaking.isDropped(object) || this.#remaking.isGeneratedAnew(object)) &&
        isNow(object),
    );
    const { renamed } = this.#renames;
    const isIncluded = (part: SchemaObject): boolean => !this.#isDroppedBySaying(part);
    return inDependencyOrder(this.#base, gone, isIncluded)
      .reverse()
      .filter((object) => this.#isDroppedBySaying(object))
      .map((object) => drop(renamed, renamed.get(object.id)));
  }

  /** What goes with its table, or with the column it is owned by, is not said. */
  #isDroppedBySaying(object: SchemaObject): boolean {
    const { kind, parent = "", values } = object;
    if (this.#remaking.isGeneratedAnew(object)) return !this.#remaking.remade.has(parent);
    if (kind === "Column" || kind === "Database" || kind === "DefaultPrivileges") return false;
    const owner = idIn(values, "ownedBy");
    if (owner !== undefined && this.#isColumnGone(owner)) return false;
    const above = this.#base.find(parent);
    if (above === undefined || above.kind === "Schema" || above.kind === "Database") return true;
    return kind === "ForeignKey" || !this.#remaking.isDropped(above) || this.#isTied(object);
  }

  /** A part that needs a function that needs the whole: neither could go first. */
  #isTied({ kind, parent = "", ...object }: SchemaObject): boolean {
    if (!REMAKEABLE.includes(kind)) return false;
    return needsOf({ kind, parent: undefined, ...object }).some((id) => {
      const routine = this.#base.find(id);
      return routine !== undefined && isRoutine(routine) && needsOf(routine).includes(parent);
    });
  }

  #isColumnGone(id: string): boolean {
    const column = this.#base.get(id);
    const table = this.#base.get(column.parent ?? "");
    const isGone = this.#target.find(id) === undefined || this.#remaking.anew.has(id);
    return isGone || this.#remaking.isDropped(table);
  }

  #creations(isNow: (object: SchemaObject) => boolean): readonly string[] {
    const { kept, remade, replaced } = this.#remaking;
    const made = this.#target.objects.filter(
      (object) =>
        isNow(object) &&
        (this.#base.find(object.id) === undefined ||
          remade.has(object.id) ||
          replaced.has(object.id)),
    );
    const replacements = kept
      .filter(({ old, now }) => isNow(now) && isReplaceable(old, now))
      .filter(({ now }) => !remade.has(now.id))
      .filter(({ old, now }) => this.#remaking.changed(old, now).includes("definition"))
      .map(({ now }) => now);
    const all = inDependencyOrder(this.#target, [...made, ...replacements]);
    return all.flatMap((object) => this.#make(object));
  }

  #isFirst(object: SchemaObject): boolean {
    if (this.#isOfDomain(object)) return true;
    return FIRST.includes(object.kind) && !this.#isWaiting(object);
  }

  #isLast(object: SchemaObject): boolean {
    if (this.#isFirst(object)) return false;
    return REMAKEABLE.includes(object.kind) || FIRST.includes(object.kind);
  }

  /** A function may need a view, or a key that its query groups by. */
  #isWaiting(object: SchemaObject): boolean {
    const known = this.#waiting.get(object.id);
    if (known !== undefined) return known;
    // Until it is known, so that a circle of needs ends.
    this.#waiting.set(object.id, false);
    const isWaiting =
      (object.kind === "Function" || object.kind === "Procedure" || object.kind === "Aggregate") &&
      needsOf(object).some((id) => {
        const needed = this.#target.find(id);
        if (needed === undefined || this.#isOfDomain(needed)) return false;
        const isLater = REMAKEABLE.includes(needed.kind) && !FIRST.includes(needed.kind);
        return isLater || this.#isWaiting(needed);
      });
    this.#waiting.set(object.id, isWaiting);
    return isWaiting;
  }

  /** What a domain checks is there before anybody uses it, for it cannot be added to all that do. */
  #isOfDomain({ kind, parent = "" }: SchemaObject): boolean {
    return CONSTRAINTS.includes(kind) && this.#target.get(parent).kind === "Domain";
  }

  #make(object: SchemaObject): readonly string[] {
    const isNew = this.#base.find(object.id) === undefined;
    const table = this.#base.find(object.parent ?? "");
    // Rows that are there already take time; those of a table that is made anew do not.
    const hasRows = isNew && table?.kind === "Table" && !this.#remaking.isDropped(table);
    const isPlain = table?.values.partitionKey === undefined;
    if (!hasRows || !isPlain) return create(this.#target, object);
    if (object.kind === "Index") {
      this.#pending.add(object.id);
      this.#after.push(createIndex(this.#target, object, "CONCURRENTLY "));
      return [];
    }
    const definition = textOf(object.values, "definition") ?? "";
    const isChecked = object.kind === "ForeignKey" || object.kind === "CheckConstraint";
    if (!isChecked || definition.endsWith(" NOT VALID") || definition.includes("NOT ENFORCED")) {
      return create(this.#target, object);
    }
    const name = quoteName(object.name ?? "");
    this.#after.push(`${alterOn(this.#target, object)} VALIDATE CONSTRAINT ${name}`);
    return [`${addConstraint(this.#target, object)} NOT VALID`];
  }

  /** New values of enums that keep the ones they have. */
  #enumValues(): readonly string[] {
    return this.#remaking.kept.flatMap(({ old, now }) => {
      if (now.kind !== "EnumType" || this.#remaking.replaced.has(now.id)) return [];
      const had = labelsOf(old);
      return labelsOf(now).flatMap((label, index, labels) => {
        if (had.includes(label)) return [];
        const next = labels.slice(index + 1).find((each) => had.includes(each));
        const place = next === undefined ? "" : ` BEFORE ${quoteText(next)}`;
        return [`ALTER TYPE ${qualified(this.#base, old)} ADD VALUE ${quoteText(label)}${place}`];
      });
    });
  }

  #makeRoom(): readonly string[] {
    return [...this.#remaking.replaced].map((id) => {
      const type = this.#target.get(id);
      return `ALTER ${wordOf(type)} ${qualified(this.#target, type)} RENAME TO ${quoteName(oldName(type))}`;
    });
  }

  /** A default that cannot be cast would stop a change of type, and keeps what it needs. */
  #dropDefault(id: string): readonly string[] {
    const now = this.#target.get(id);
    const table = this.#base.get(this.#base.get(id).parent ?? "");
    if (this.#remaking.anew.has(id) || this.#remaking.isDropped(table)) return [];
    return [
      `ALTER TABLE ${onOf(this.#target, now)} ALTER COLUMN ${quoteName(now.name ?? "")} DROP DEFAULT`,
    ];
  }

  #dropReplaced(): readonly string[] {
    return [...this.#remaking.replaced].map((id) => {
      const type = this.#target.get(id);
      return `DROP ${wordOf(type)} ${onOf(this.#target, type)}.${quoteName(oldName(type))}`;
    });
  }
}

function refuseUnmanaged(base: Schema, target: Schema): void {
  const changed = [
    ...base.all("Unmanaged").filter(({ id }) => target.find(id) === undefined),
    ...target.all("Unmanaged").filter(({ id }) => base.find(id) === undefined),
  ];
  const [first] = changed;
  if (first === undefined) return;
  throw new AppError(
    "INVALID_ARGUMENT",
    `No migration makes or drops the ${first.name ?? ""}: do it by hand, and accept the drift`,
  );
}

function atomic(steps: readonly Step[]): readonly Phase[] {
  return steps.length === 0 ? [] : [phaseOf(true, steps)];
}
