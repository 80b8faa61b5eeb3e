import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import type { Phase, Script } from "../ports.js";
import type { Statement } from "../model/commands.js";
import { phaseOf, type Step } from "../model/row-check.js";
import { nameOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import { alterations } from "./alter-table.js";
import { alteringColumn, alteringTable, lock, on, statement } from "./commands.js";
import { LockedTables } from "./locks/locked-tables.js";
import { constructorRoom, oldName } from "./alter-type.js";
import { inDependencyOrder, needsOf } from "./objects/dependency-order.js";
import { attachedTo } from "./objects/attachments.js";
import { refuseAttachedKeys } from "./attached-keys.js";
import { Creations } from "./creations.js";
import { extensionsOf } from "./copies.js";
import { commented, objectAttributes } from "./object-attributes.js";
import { extensionRows } from "./objects/extension-rows.js";
import { refuseLeftAlone } from "./left-alone.js";
import { isRoutine, onOf, qualified, quoteName, quoteText, wordOf } from "./objects/names.js";
import { RECREATABLE, RebuildPlan, rebuildPlanBetween } from "./rebuild-plan.js";
import { Renames } from "./renames.js";
import { drop, labelsOf } from "./statements.js";
import {
  type InvalidIndexes,
  invalidIndexes,
  withoutInvalidIndexes,
} from "./objects/invalid-indexes.js";

/**
 * Kinds that columns may still need while they are altered, so these kinds are dropped afterwards.
 */
const LATE: readonly Kind[] = [
  ...(["Function", "Procedure", "Operator", "Cast", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];

/**
 * The script between two PostgreSQL schemas. New enum values come first, because they cannot be
 * used in the transaction that adds them. The main transaction follows. Statements that would hold
 * locks for long come last, outside of it: building indexes, and validating constraints on existing
 * rows.
 * @throws AppError `INVALID_ARGUMENT`, naming the object, for objects that migrations do not
 * manage.
 */
export function* planPostgres(base: PostgresSchema, target: PostgresSchema): Pausing<Script> {
  const [before, after] = [withoutInvalidIndexes(base), withoutInvalidIndexes(target)];
  const invalid = invalidIndexes(base, target);
  yield;
  const { broken } = invalid;
  const rebuild =
    broken.length === 0
      ? rebuildPlanBetween(before, after)
      : new RebuildPlan(before, after, broken);
  yield;
  return yield* new PostgresPlan(before, after, rebuild, invalid).script();
}

class PostgresPlan {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #renames: Renames;
  readonly #tables: LockedTables;
  readonly #creations: Creations;
  readonly #invalid: InvalidIndexes;
  /** Statements after the transaction, each by itself, and statements at the very end. */
  readonly #after: Statement[] = [];
  readonly #last: Statement[] = [];
  /** Memo: whether an object is dropped before columns are altered. */
  readonly #early = new Map<string, boolean>();

  constructor(
    base: PostgresSchema,
    target: PostgresSchema,
    rebuild: RebuildPlan,
    invalid: InvalidIndexes,
  ) {
    this.#base = base;
    this.#target = target;
    this.#invalid = invalid;
    this.#rebuild = rebuild;
    this.#renames = new Renames(base, target, this.#rebuild);
    this.#tables = new LockedTables(base, target, this.#renames.renamed);
    this.#creations = new Creations(base, target, this.#rebuild, this.#tables);
    refuseLeftAlone(base, target, this.#rebuild);
    refuseAttachedKeys(base, this.#rebuild);
  }

  *script(): Pausing<Script> {
    const first = this.#enumValues();
    yield;
    const changes = alterations(
      this.#base,
      this.#target,
      this.#rebuild,
      this.#renames,
      this.#tables,
    );
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
      ...[...this.#rebuild.defaults].flatMap((id) => this.#dropDefault(id)),
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
    const attributes = yield* objectAttributes(
      this.#base,
      this.#target,
      this.#rebuild,
      this.#tables,
      this.#creations.pending,
    );
    const after = [...this.#after, ...this.#creations.after];
    return [
      ...phase(false, first),
      ...phase(true, [...main, ...attributes.now]),
      ...phase(false, after),
      ...phase(true, [...this.#last, ...attributes.last]),
    ];
  }

  /**
   * Whether an object must be dropped before columns are altered. Functions and types may still be
   * needed while columns are altered.
   */
  #isEarly(object: PostgresObject): boolean {
    if (this.#rebuild.isGeneratedAnew(object)) return true;
    const known = this.#early.get(object.id);
    if (known !== undefined) return known;
    const isLate = LATE.includes(object.kind);
    const isPlain = object.kind === "Table" || (RECREATABLE.includes(object.kind) && !isLate);
    const isRecreated = this.#rebuild.recreated.has(object.id);
    // A provisional answer, so that the recursion ends in a cycle of dependencies.
    this.#early.set(object.id, isRecreated || isPlain);
    const isTied = isLate && needsOf(object).some((id) => this.#isEarlyDrop(id));
    const isEarly = isRecreated || isPlain || isTied || this.#isRoutineReplaced(object);
    this.#early.set(object.id, isEarly);
    return isEarly;
  }

  /**
   * Whether another routine takes over the name. Functions, procedures and aggregates share a
   * namespace.
   */
  #isRoutineReplaced(object: PostgresObject): boolean {
    if (!isRoutine(object)) return false;
    if (this.#rebuild.isOvertaken(object)) return true;
    const siblings = this.#target.partsOf(object.parent, "Function", "Procedure", "Aggregate");
    const called = this.#rebuild.routineName(object);
    return siblings.some(({ id, name }) => id !== object.id && name === called);
  }

  #isEarlyDrop(id: string): boolean {
    const object = this.#base.find(id);
    if (object === undefined) return false;
    const isGone = this.#rebuild.isDropped(object) && this.#isEarly(object);
    return isGone || this.#rebuild.replaced.has(id);
  }

  /** The columns of a typed table can only be altered through its type. */
  #untyped(): readonly Statement[] {
    return this.#rebuild.matched
      .filter(
        ({ old, now }) => old.values.ofType !== undefined && this.#rebuild.isRetyped(old, now),
      )
      .filter(({ now }) => !this.#rebuild.isFresh(now))
      .map(({ old }) => alteringTable("set_row_type", this.#base, old, "NOT OF"));
  }

  /**
   * Detaches sequences that outlive the columns that own them, and sequences of former identity
   * columns.
   */
  #releases(): readonly Statement[] {
    return this.#rebuild.matched.flatMap(({ old, now }) => {
      const owner = old.values.ownedBy?.ref;
      if (owner !== undefined && (owner !== now.values.ownedBy?.ref || this.#isColumnGone(owner))) {
        const sql = `ALTER SEQUENCE ${qualified(this.#target, now)} OWNED BY NONE`;
        return [statement("alter_sequence", sql, on(this.#target, now))];
      }
      if (old.values.identity === undefined || now.values.identity !== undefined) return [];
      if (this.#isColumnGone(now.id)) return [];
      return [alteringColumn("drop_identity", this.#target, now, "DROP IDENTITY")];
    });
  }

  /** Removes dependencies on extensions, before any extension is dropped. */
  #forgottenExtensions(): readonly Statement[] {
    return this.#rebuild.matched.flatMap(({ old, now }) => {
      if (this.#rebuild.isFresh(now)) return [];
      const has = extensionsOf(now);
      const gone = extensionsOf(old).filter((each) => !has.includes(each));
      return gone.map((each) => {
        const head = `ALTER ${commented(this.#target, now)}`;
        const sql = `${head} NO DEPENDS ON EXTENSION ${quoteName(each)}`;
        return statement("depend_on_extension", sql, on(this.#target, now));
      });
    });
  }

  #drops(isNow: (object: PostgresObject) => boolean): readonly Step[] {
    const gone = this.#base.objects.filter(
      (object) =>
        (this.#rebuild.isDropped(object) || this.#rebuild.isGeneratedAnew(object)) && isNow(object),
    );
    const { renamed } = this.#renames;
    const isIncluded = (part: PostgresObject): boolean => !this.#isDroppedBySaying(part);
    return inDependencyOrder(this.#base, gone, isIncluded)
      .reverse()
      .filter((object) => this.#isDroppedBySaying(object))
      .flatMap((object) => [
        ...(object.kind === "Extension" ? [extensionRows(object)] : []),
        ...this.#detached(object),
        drop(renamed, renamed.get(object.id), this.#tables),
      ]);
  }

  /**
   * PostgreSQL does not drop an attached partition of a table that foreign keys reference, so the
   * partition is detached first.
   */
  #detached(object: PostgresObject): readonly Statement[] {
    const { id, values } = object;
    if (values.partitionBound === undefined) return [];
    const { renamed } = this.#renames;
    return (values.inherits ?? []).flatMap((part) => {
      const parent = this.#base.find(part.table.ref);
      const isThere = parent !== undefined && !this.#rebuild.isDropped(parent);
      if (!isThere || !this.#isReferredTo(parent)) return [];
      const [whole, partition] = [renamed.get(parent.id), renamed.get(id)];
      const sql = `ALTER TABLE ${qualified(renamed, whole)} DETACH PARTITION ${qualified(renamed, partition)}`;
      const others = [
        lock(renamed.pathOf(whole), "ACCESS EXCLUSIVE"),
        ...this.#tables.defaultOf(parent.id),
      ];
      return [statement("detach_partition", sql, { ...on(renamed, partition), others })];
    });
  }

  /** Whether a foreign key references a partitioned table or one of its ancestors. */
  #isReferredTo({ id, values }: PostgresObject): boolean {
    const keys = this.#base.all("ForeignKey");
    if (keys.some((key) => key.values.target?.ref === id)) return true;
    return (values.inherits ?? []).some((part) => {
      const above = this.#base.find(part.table.ref);
      return above !== undefined && this.#isReferredTo(above);
    });
  }

  /**
   * Whether an object needs a DROP statement of its own. An object that is dropped with its table
   * or owning column does not.
   */
  #isDroppedBySaying(object: PostgresObject): boolean {
    const { kind, parent, values } = object;
    if (kind === "Database") return false;
    if (this.#rebuild.isGeneratedAnew(object)) return !this.#rebuild.recreated.has(parent);
    if (kind === "Column" || kind === "DefaultPrivileges") return false;
    const owner = values.ownedBy?.ref;
    if (owner !== undefined && this.#isColumnGone(owner)) return false;
    const above = this.#base.find(parent);
    if (above === undefined || above.kind === "Schema" || above.kind === "Database") return true;
    const whole = this.#base.find(attachedTo(object));
    if (whole !== undefined && this.#rebuild.isDropped(whole)) return false;
    if (!this.#rebuild.isDropped(above)) return true;
    return (kind === "ForeignKey" && whole === undefined) || this.#isTied(object);
  }

  /**
   * Whether a part depends on objects that depend on its whole, so that neither can be dropped
   * first.
   */
  #isTied(object: PostgresObject): boolean {
    const { kind, parent } = object;
    if (!RECREATABLE.includes(kind) || parent === undefined) return false;
    // The table's own columns are dropped with the table.
    const others = needsOf(object).filter(
      (id) => id !== parent && this.#base.find(id)?.parent !== parent,
    );
    return others.some((id) => this.#needs(id, parent));
  }

  /** Whether an object depends on another one, directly or indirectly. */
  #needs(id: string, other: string, seen = new Set<string>()): boolean {
    const object = this.#base.find(id);
    if (object === undefined || id === other || seen.has(id)) return false;
    seen.add(id);
    const needs = needsOf(object);
    return needs.includes(other) || needs.some((each) => this.#needs(each, other, seen));
  }

  #isColumnGone(id: string): boolean {
    const column = this.#base.get(id);
    const table = this.#base.above(column);
    const isGone = this.#target.find(id) === undefined || this.#rebuild.anew.has(id);
    return isGone || this.#rebuild.isDropped(table);
  }

  /** New values of enums that keep their existing values. */
  #enumValues(): readonly Statement[] {
    return this.#rebuild.matched.flatMap(({ old, now }) => {
      if (now.kind !== "EnumType" || this.#rebuild.replaced.has(now.id)) return [];
      const had = labelsOf(old);
      return labelsOf(now).flatMap((label, index, labels) => {
        if (had.includes(label)) return [];
        const next = labels.slice(index + 1).find((each) => had.includes(each));
        const place = next === undefined ? "" : ` BEFORE ${quoteText(next)}`;
        const sql = `ALTER TYPE ${qualified(this.#base, old)} ADD VALUE ${quoteText(label)}${place}`;
        return [statement("alter", sql, on(this.#base, old))];
      });
    });
  }

  #makeRoom(): readonly Statement[] {
    return [...this.#rebuild.replaced].flatMap((id) => {
      const [old, type] = [this.#base.get(id), this.#target.get(id)];
      const [name, room] = [qualified(this.#target, type), oldName(nameOf(type))];
      const rename = `ALTER ${wordOf(type)} ${name} RENAME TO ${quoteName(room)}`;
      const renamed = `${onOf(this.#target, type)}.${quoteName(room)}`;
      const others = old.kind === "RangeType" ? constructorRoom(old, name, renamed) : [];
      return [rename, ...others].map((sql) => statement("rename", sql, on(this.#target, type)));
    });
  }

  /**
   * Drops a default before its column's type changes, because a default that cannot be cast would
   * stop the change and would keep its own dependencies.
   */
  #dropDefault(id: string): readonly Statement[] {
    const now = this.#target.get(id);
    const table = this.#base.above(this.#base.get(id));
    if (this.#rebuild.anew.has(id) || this.#rebuild.isDropped(table)) return [];
    return [alteringColumn("alter_column", this.#target, now, "DROP DEFAULT")];
  }

  #dropReplaced(): readonly Statement[] {
    const old = [...this.#rebuild.replaced].map((id) => this.#base.get(id));
    return [...inDependencyOrder(this.#base, old)].reverse().map(({ id }) => {
      const type = this.#target.get(id);
      const name = `${onOf(this.#target, type)}.${quoteName(oldName(nameOf(type)))}`;
      return statement("drop", `DROP ${wordOf(type)} ${name}`, on(this.#target, type));
    });
  }
}

function phase(isAtomic: boolean, steps: readonly Step[]): readonly Phase[] {
  return steps.length === 0 ? [] : [phaseOf(isAtomic, steps)];
}
