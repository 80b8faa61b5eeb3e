import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import type { Phase, Script } from "../ports.js";
import type { Statement } from "../model/commands.js";
import { phaseOf, type Step } from "../model/row-check.js";
import type { PostgresObject, PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import { alterations } from "./alter-table.js";
import { alteringColumn, alteringTable, on, statement } from "./commands.js";
import { LockedTables } from "./locks/locked-tables.js";
import { inDependencyOrder, needsOf } from "./objects/dependency-order.js";
import { attachedTo } from "./objects/attachments.js";
import { refuseAttachedKeys } from "./attached-keys.js";
import { Creations } from "./creations.js";
import { dropFreedDefaults } from "./column-settings.js";
import { extensionsOf } from "./copies.js";
import { commented, objectAttributes } from "./object-attributes.js";
import { extensionRows } from "./objects/extension-rows.js";
import { refuseLeftAlone } from "./left-alone.js";
import { isRoutine, qualified, quoteName, quoteText } from "./objects/names.js";
import { RoutineCycles } from "./objects/routine-cycles.js";
import { Waiting } from "./objects/waiting.js";
import { OnlineIndexes } from "./online-indexes.js";
import { type ChangedTies, changedTies, detachedFirst } from "./parents/ties.js";
import { ownerOf } from "./parents/inheritance.js";
import { RECREATABLE, RebuildPlan, rebuildPlanBetween } from "./rebuild-plan.js";
import { Renames } from "./renames.js";
import { drop, labelsOf } from "./statements.js";
import { refuseReshapedRows } from "./types/parked-columns.js";
import { dropReplaced, makeRoom } from "./types/replaced-types.js";
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

/** Commands about NOT NULL and checks that a parent and its children must have alike. */
const PENDING: readonly string[] = ["validate_constraint", "set_not_null"];

/**
 * The script between two PostgreSQL schemas. New enum values come first, because they cannot be
 * used in the transaction that adds them. The main transaction follows. Statements that would hold
 * locks for long come after it, outside of transactions: building indexes, and validating
 * constraints on existing rows. A last transaction uses what they have made, and replaced indexes
 * are dropped at the end.
 * @throws AppError `INVALID_ARGUMENT`, naming the object, for objects that migrations do not
 * manage.
 */
export function* planPostgres(base: PostgresSchema, target: PostgresSchema): Pausing<Script> {
  const ties = changedTies(withoutInvalidIndexes(base), withoutInvalidIndexes(target));
  const { base: before, target: after } = ties;
  const invalid = invalidIndexes(base, target);
  yield;
  const { broken } = invalid;
  const rebuild =
    broken.length === 0
      ? rebuildPlanBetween(before, after)
      : new RebuildPlan(before, after, broken);
  yield;
  return yield* new PostgresPlan(ties, rebuild, invalid).script();
}

class PostgresPlan {
  readonly #ties: ChangedTies;
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #renames: Renames;
  readonly #tables: LockedTables;
  readonly #online: OnlineIndexes;
  readonly #waiting: Waiting;
  readonly #creations: Creations;
  readonly #invalid: InvalidIndexes;
  /** The routines of the base that need each other. */
  readonly #cycles: RoutineCycles;
  /** Statements after the transaction, each by itself, and statements at the very end. */
  readonly #after: Statement[] = [];
  readonly #last: Statement[] = [];
  /** Memo: whether an object is dropped before columns are altered. */
  readonly #early = new Map<string, boolean>();

  constructor(ties: ChangedTies, rebuild: RebuildPlan, invalid: InvalidIndexes) {
    const { base, target } = ties;
    this.#ties = ties;
    this.#base = base;
    this.#target = target;
    this.#invalid = invalid;
    this.#cycles = new RoutineCycles(base);
    this.#rebuild = rebuild;
    this.#renames = new Renames(base, target, this.#rebuild);
    this.#tables = new LockedTables(base, target, this.#renames.renamed);
    this.#online = new OnlineIndexes(base, target, this.#rebuild, this.#tables);
    this.#waiting = new Waiting(base, target, this.#rebuild);
    this.#creations = new Creations(
      base,
      target,
      this.#rebuild,
      this.#tables,
      this.#online,
      this.#waiting,
    );
    refuseLeftAlone(base, target, this.#rebuild);
    refuseAttachedKeys(base, this.#rebuild);
    refuseReshapedRows(target, this.#rebuild);
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
      this.#waiting.columns,
    );
    this.#after.push(...changes.after);
    this.#last.push(...changes.last);
    yield;
    const before = [
      ...this.#invalid.drops,
      ...this.#ties.cut,
      ...this.#untyped(),
      ...this.#renames.statements(),
      ...this.#creations.ofKind("Schema"),
      ...this.#renames.moves(),
      ...this.#releases(),
      ...this.#forgottenExtensions(),
      ...[...this.#rebuild.defaults].flatMap((id) => this.#dropDefault(id)),
      ...dropFreedDefaults(this.#base, this.#target, this.#rebuild),
      ...this.#cycles.released((routine) => this.#rebuild.isDropped(routine)),
      ...this.#drops((object) => this.#isEarly(object)),
    ];
    yield;
    const main = [
      ...before,
      ...makeRoom(this.#base, this.#target, this.#rebuild),
      ...this.#creations.ofKind("Extension"),
      ...this.#creations.first(),
      ...changes.now,
      ...this.#creations.between(),
      ...changes.late,
      ...this.#creations.last(),
      ...this.#drops((object) => !this.#isEarly(object), this.#rebuild.replaced),
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
    const last = [...this.#last, ...this.#creations.swaps, ...attributes.last];
    // PostgreSQL ties a table to a parent once the table has the same valid columns, checks and keys.
    const { make, restore } = this.#ties;
    const isAtOnce = after.length + last.length === 0;
    const isChecked = ![...after, ...last].some(({ command }) => PENDING.includes(command.command));
    return [
      ...phase(false, first),
      ...phase(true, [
        ...main,
        ...attributes.now,
        ...(isAtOnce ? make : []),
        ...(isChecked ? restore : []),
      ]),
      ...phase(false, after),
      ...phase(true, [...last, ...(isAtOnce ? [] : make), ...(isChecked ? [] : restore)]),
      ...phase(false, this.#creations.end),
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
    const isFreeTable = object.kind === "Table" && !this.#isStored(object);
    const isPlain = isFreeTable || (RECREATABLE.includes(object.kind) && !isLate);
    const isRecreated = this.#rebuild.recreated.has(object.id);
    // A provisional answer, so that the recursion ends in a cycle of dependencies.
    this.#early.set(object.id, isRecreated || isPlain);
    const isUnused = isLate || !this.#isStored(object);
    const isTied = isUnused && needsOf(object).some((id) => this.#isEarlyDrop(id));
    const isEarly = isRecreated || isPlain || isTied || this.#isRoutineReplaced(object);
    this.#early.set(object.id, isEarly);
    return isEarly;
  }

  /**
   * Whether a type or row type is used until columns are altered: by a column of a table that
   * stays, or by a type that is recreated.
   */
  #isStored({ id }: PostgresObject): boolean {
    const { stored, replaced } = this.#rebuild;
    if (stored.typesOver(id).some((type) => replaced.has(type.id))) return true;
    return stored.columnsOf(id).some((column) => {
      return !this.#rebuild.isDropped(this.#base.above(column));
    });
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
    // PostgreSQL does not alter the type of a column that a routine uses.
    if (object.kind === "Column")
      return this.#isColumnGone(object) || this.#rebuild.touched.has(id);
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
      const [owner, after] = [ownerOf(this.#base, old), ownerOf(this.#target, now)];
      const isSame = owner?.id === after?.id && owner?.parent === after?.parent;
      if (owner !== undefined && (!isSame || this.#isColumnGone(owner))) {
        const sql = `ALTER SEQUENCE ${qualified(this.#target, now)} OWNED BY NONE`;
        return [statement("alter_sequence", sql, on(this.#target, now))];
      }
      if (old.values.identity === undefined || now.values.identity !== undefined) return [];
      if (this.#isColumnGone(old)) return [];
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

  /** @param replaced types whose old versions are dropped too. */
  #drops(
    isNow: (object: PostgresObject) => boolean,
    replaced: ReadonlySet<string> = new Set(),
  ): readonly Step[] {
    const gone = this.#base.objects.filter(
      (object) =>
        replaced.has(object.id) ||
        ((this.#rebuild.isDropped(object) || this.#rebuild.isGeneratedAnew(object)) &&
          !this.#online.isReplaced(object) &&
          isNow(object)),
    );
    const { renamed } = this.#renames;
    const isIncluded = (part: PostgresObject): boolean => !this.#isDroppedBySaying(part);
    const isDropped = (table: PostgresObject): boolean => this.#rebuild.isDropped(table);
    return inDependencyOrder(this.#base, gone, isIncluded, (each) => this.#cycles.needsOf(each))
      .reverse()
      .filter((object) => this.#isDroppedBySaying(object))
      .flatMap((object) => [
        ...(object.kind === "Extension" ? [extensionRows(object)] : []),
        ...detachedFirst(this.#base, renamed, object, isDropped, this.#tables),
        replaced.has(object.id)
          ? dropReplaced(this.#target, this.#target.get(object.id))
          : drop(renamed, renamed.get(object.id), this.#tables),
      ]);
  }

  /**
   * Whether an object needs a DROP statement of its own. An object that is dropped with its table
   * or owning column does not.
   */
  #isDroppedBySaying(object: PostgresObject): boolean {
    const { kind, parent } = object;
    if (kind === "Database") return false;
    if (this.#rebuild.isGeneratedAnew(object)) return !this.#rebuild.recreated.has(parent);
    if (kind === "Column" || kind === "DefaultPrivileges") return false;
    const owner = ownerOf(this.#base, object);
    if (owner !== undefined && this.#isColumnGone(owner)) return false;
    const above = this.#base.find(parent);
    if (above === undefined || above.kind === "Schema" || above.kind === "Database") return true;
    const whole = this.#base.find(attachedTo(object));
    if (whole !== undefined && this.#rebuild.isDropped(whole)) return false;
    if (!this.#rebuild.isDropped(above)) return true;
    // The domain is dropped after the columns that its checks need.
    if (above.kind === "Domain") return needsOf(object).some((id) => id !== parent);
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

  #isColumnGone(column: PostgresObject): boolean {
    const { id } = column;
    const isGone = this.#target.find(id) === undefined || this.#rebuild.anew.has(id);
    return isGone || this.#rebuild.isDropped(this.#base.above(column));
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

  /**
   * Drops a default before its column's type changes, because a default that cannot be cast would
   * stop the change and would keep its own dependencies.
   */
  #dropDefault(id: string): readonly Statement[] {
    const table = this.#base.above(this.#base.get(id));
    if (this.#rebuild.anew.has(id) || this.#rebuild.isDropped(table)) return [];
    const { renamed } = this.#renames;
    return [alteringColumn("alter_column", renamed, renamed.get(id), "DROP DEFAULT")];
  }
}

function phase(isAtomic: boolean, steps: readonly Step[]): readonly Phase[] {
  return steps.length === 0 ? [] : [phaseOf(isAtomic, steps)];
}
