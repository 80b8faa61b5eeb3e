import type { Pausing } from "../../kernel/pausing.js";
import type { Phase, Script } from "../ports.js";
import { phaseOf, type Step } from "../row-check.js";
import { idIn, partsIn, type Schema, type SchemaObject } from "../schema.js";
import type { Kind } from "../kinds.js";
import { alterations } from "./alter-table.js";
import { constructorRoom, oldName } from "./alter-type.js";
import { inDependencyOrder, needsOf } from "./dependency-order.js";
import { attachedTo } from "./attachments.js";
import { refuseAttachedKeys } from "./attached-keys.js";
import { Creations } from "./creations.js";
import { extensionsOf } from "./copies.js";
import { commented, details } from "./details.js";
import { extensionRows } from "./extension-rows.js";
import { refuseLeftAlone } from "./left-alone.js";
import { isRoutine, qualified, quoteName, quoteText, wordOf } from "./names.js";
import { REMAKEABLE, Remaking, remakingBetween } from "./remaking.js";
import { Renames } from "./renames.js";
import { drop, labelsOf, onOf } from "./statements.js";
import { type InvalidIndexes, invalidIndexes, withoutInvalidIndexes } from "./invalid-indexes.js";

/** What columns may still need while they change. */
const LATE: readonly Kind[] = [
  ...(["Function", "Procedure", "Operator", "Cast", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];

/**
 * The script that leads from one PostgreSQL schema to another: values of enums first, which nobody may
 * use in the transaction that adds them; then everything that happens in one transaction; then what
 * would hold others up there: indexes, and the checking of rows by constraints that are there already.
 * @throws AppError `INVALID_ARGUMENT`, naming it, for what no migration makes, changes or drops.
 */
export function* planPostgres(base: Schema, target: Schema): Pausing<Script> {
  const [before, after] = [withoutInvalidIndexes(base), withoutInvalidIndexes(target)];
  const invalid = invalidIndexes(base, target);
  yield;
  const { broken } = invalid;
  const remaking =
    broken.length === 0 ? remakingBetween(before, after) : new Remaking(before, after, broken);
  yield;
  return yield* new PostgresPlan(before, after, remaking, invalid).script();
}

class PostgresPlan {
  readonly #base: Schema;
  readonly #target: Schema;
  readonly #remaking: Remaking;
  readonly #renames: Renames;
  readonly #creations: Creations;
  readonly #invalid: InvalidIndexes;
  /** Statements that follow the transaction, each by itself; and those that end it all. */
  readonly #after: string[] = [];
  readonly #last: string[] = [];
  /** Whether objects go before columns change, as far as that is known. */
  readonly #early = new Map<string, boolean>();

  constructor(base: Schema, target: Schema, remaking: Remaking, invalid: InvalidIndexes) {
    this.#base = base;
    this.#target = target;
    this.#invalid = invalid;
    this.#remaking = remaking;
    this.#renames = new Renames(base, target, this.#remaking);
    this.#creations = new Creations(base, target, this.#remaking);
    refuseLeftAlone(base, target, this.#remaking);
    refuseAttachedKeys(base, this.#remaking);
  }

  *script(): Pausing<Script> {
    const first = this.#enumValues();
    yield;
    const changes = alterations(this.#base, this.#target, this.#remaking, this.#renames);
    this.#after.push(...changes.after);
    this.#last.push(...changes.last);
    yield;
    const before = [
      ...this.#invalid.drops,
      ...this.#untyped(),
      ...this.#renames.statements(),
      ...this.#creations.ofKind("Schema"),
      ...this.#renames.moves(),
      ...this.#releases(),
      ...this.#forgottenExtensions(),
      ...[...this.#remaking.defaults].flatMap((id) => this.#dropDefault(id)),
      ...this.#drops((object) => this.#isEarly(object)),
    ];
    yield;
    const main = [
      ...before,
      ...this.#makeRoom(),
      ...this.#creations.ofKind("Extension"),
      ...this.#creations.first(),
      ...changes.now,
      ...this.#creations.last(),
      ...this.#drops((object) => !this.#isEarly(object)),
      ...this.#dropReplaced(),
    ];
    yield;
    const said = yield* details(this.#base, this.#target, this.#remaking, this.#creations.pending);
    const after = [...this.#after, ...this.#creations.after];
    return [
      ...(first.length === 0 ? [] : [{ isAtomic: false, statements: first }]),
      ...atomic([...main, ...said.now]),
      ...(after.length === 0 ? [] : [{ isAtomic: false, statements: after }]),
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

  /** The columns of a typed table change with its type only. */
  #untyped(): readonly string[] {
    return this.#remaking.kept
      .filter(
        ({ old, now }) => old.values.ofType !== undefined && this.#remaking.isRetyped(old, now),
      )
      .filter(({ now }) => !this.#remaking.isFresh(now))
      .map(({ old }) => `ALTER TABLE ${qualified(this.#base, old)} NOT OF`);
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

  /** Extensions that objects are no longer dropped with, before any of them goes. */
  #forgottenExtensions(): readonly string[] {
    return this.#remaking.kept.flatMap(({ old, now }) => {
      if (this.#remaking.isFresh(now)) return [];
      const has = extensionsOf(now);
      const gone = extensionsOf(old).filter((each) => !has.includes(each));
      return gone.map((each) => {
        const head = `ALTER ${commented(this.#target, now)}`;
        return `${head} NO DEPENDS ON EXTENSION ${quoteName(each)}`;
      });
    });
  }

  #drops(isNow: (object: SchemaObject) => boolean): readonly Step[] {
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
      .flatMap((object) => [
        ...(object.kind === "Extension" ? [extensionRows(object)] : []),
        ...this.#detached(object),
        drop(renamed, renamed.get(object.id)),
      ]);
  }

  /** The engine drops no partition of a table that foreign keys refer to, while it is one. */
  #detached({ id, values }: SchemaObject): readonly string[] {
    if (values.partitionBound === undefined) return [];
    const { renamed } = this.#renames;
    return partsIn(values, "inherits").flatMap((part) => {
      const parent = this.#base.find(idIn(part, "table") ?? "");
      const isThere = parent !== undefined && !this.#remaking.isDropped(parent);
      if (!isThere || !this.#isReferredTo(parent)) return [];
      const [whole, partition] = [parent.id, id].map((each) =>
        qualified(renamed, renamed.get(each)),
      );
      return [`ALTER TABLE ${whole ?? ""} DETACH PARTITION ${partition ?? ""}`];
    });
  }

  /** Whether a foreign key refers to a partitioned table, or to one that it is a partition of. */
  #isReferredTo({ id, values }: SchemaObject): boolean {
    const keys = this.#base.all("ForeignKey");
    if (keys.some((key) => idIn(key.values, "target") === id)) return true;
    return partsIn(values, "inherits").some((part) => {
      const above = this.#base.find(idIn(part, "table") ?? "");
      return above !== undefined && this.#isReferredTo(above);
    });
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
    const whole = this.#base.find(attachedTo(object) ?? "");
    if (whole !== undefined && this.#remaking.isDropped(whole)) return false;
    if (!this.#remaking.isDropped(above)) return true;
    return (kind === "ForeignKey" && whole === undefined) || this.#isTied(object);
  }

  /** A part that needs what needs the whole: neither could go first. */
  #isTied({ kind, parent = "", ...object }: SchemaObject): boolean {
    if (!REMAKEABLE.includes(kind)) return false;
    // Its columns go with the table.
    const others = needsOf({ kind, parent: undefined, ...object }).filter(
      (id) => this.#base.find(id)?.parent !== parent,
    );
    return others.some((id) => this.#needs(id, parent));
  }

  /** Whether an object needs another one, if only by way of others. */
  #needs(id: string, other: string, seen = new Set<string>()): boolean {
    const object = this.#base.find(id);
    if (object === undefined || id === other || seen.has(id)) return false;
    seen.add(id);
    const needs = needsOf(object);
    return needs.includes(other) || needs.some((each) => this.#needs(each, other, seen));
  }

  #isColumnGone(id: string): boolean {
    const column = this.#base.get(id);
    const table = this.#base.get(column.parent ?? "");
    const isGone = this.#target.find(id) === undefined || this.#remaking.anew.has(id);
    return isGone || this.#remaking.isDropped(table);
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
    return [...this.#remaking.replaced].flatMap((id) => {
      const [old, type] = [this.#base.get(id), this.#target.get(id)];
      const [name, room] = [qualified(this.#target, type), oldName(type)];
      const rename = `ALTER ${wordOf(type)} ${name} RENAME TO ${quoteName(room)}`;
      if (old.kind !== "RangeType") return [rename];
      return [
        rename,
        ...constructorRoom(old, name, `${onOf(this.#target, type)}.${quoteName(room)}`),
      ];
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

function atomic(steps: readonly Step[]): readonly Phase[] {
  return steps.length === 0 ? [] : [phaseOf(true, steps)];
}
