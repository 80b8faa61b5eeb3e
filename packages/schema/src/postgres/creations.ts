import { assert } from "@steward/kernel/assert.js";
import type { Statement } from "../model/commands.js";
import { isOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import { lock, on, statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { attachedTo, Attachments } from "./objects/attachments.js";
import { inDependencyOrder, needsOf } from "./objects/dependency-order.js";
import { type ConstraintKind, CONSTRAINTS, isForeign, qualified } from "./objects/names.js";
import { isUnchecked } from "./objects/unchecked.js";
import { isMoreChecked, RECREATABLE, type RebuildPlan } from "./rebuild-plan.js";
import { addConstraint, validateConstraint } from "./constraints.js";
import { create, createIndex, isReplaceable } from "./statements.js";
import { createLike } from "./table-statements.js";

/** Kinds that are created before columns are altered, because the new columns may need them. */
const FIRST: readonly Kind[] = [
  ...(["EnumType", "CompositeType", "RangeType", "Domain", "Sequence", "Table"] as const),
  ...(["Function", "Procedure", "Aggregate", "Operator", "Cast", "Collation", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];

/** Kinds that an index belongs to. */
const INDEXED = ["Index", ...CONSTRAINTS] as const;

/**
 * The statements that create objects of the target that are new, or that are dropped and recreated.
 */
export class Creations {
  /** Statements that run after the transaction, each by itself. */
  readonly after: Statement[] = [];
  /** Indexes that are created after the transaction. */
  readonly pending: Set<string> = new Set();
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #attachments: Attachments;
  readonly #tables: LockedTables;
  /** Memo: whether an object must wait for one that is created after the columns are altered. */
  readonly #waiting = new Map<string, boolean>();

  constructor(
    base: PostgresSchema,
    target: PostgresSchema,
    rebuild: RebuildPlan,
    tables: LockedTables,
  ) {
    this.#tables = tables;
    this.#base = base;
    this.#target = target;
    this.#rebuild = rebuild;
    this.#attachments = new Attachments(target);
  }

  ofKind(kind: Kind): readonly Statement[] {
    return this.#statements((object) => object.kind === kind);
  }

  /** Creates the objects that altered columns may need. */
  first(): readonly Statement[] {
    return this.#statements((object) => this.#isFirst(object));
  }

  /**
   * Creates the objects that need the altered columns. A partition is attached once it has all the
   * indexes and constraints that it must have.
   */
  last(): readonly Statement[] {
    const statements = this.#statements((object) => this.#isLast(object));
    const partitions = this.#target.all("Table").filter((table) => this.#isJoining(table));
    const matched = this.#rebuild.matched.filter(({ now }) => !this.#rebuild.isFresh(now));
    const joined = matched.flatMap(({ old, now }) => {
      return attachedTo(old) === attachedTo(now) ? [] : this.#inTurn(now, this.#attach(now));
    });
    this.after.push(...matched.flatMap(({ old, now }) => this.#validate(old, now)));
    return [
      ...statements,
      ...partitions.map((table) => {
        const [parent] = this.#parentsOf(table);
        const bound = table.values.partitionBound;
        assert(parent !== undefined && bound !== undefined, `the table ${table.id} is a partition`);
        const name = qualified(this.#target, parent);
        const sql = `ALTER TABLE ${name} ATTACH PARTITION ${qualified(this.#target, table)} ${bound}`;
        const others = [
          lock(this.#target.pathOf(parent), "SHARE UPDATE EXCLUSIVE"),
          ...this.#tables.defaultOf(parent.id, "scan"),
        ];
        const subject = on(this.#target, table);
        return statement("attach_partition", sql, { ...subject, rows: "scan", others });
      }),
      ...joined,
    ];
  }

  #statements(isNow: (object: PostgresObject) => boolean): readonly Statement[] {
    const { matched, recreated } = this.#rebuild;
    const made = this.#target.objects.filter((object) => isNow(object) && this.#isMade(object));
    const replacements = matched
      .filter(({ old, now }) => isNow(now) && isReplaceable(old, now))
      .filter(({ now }) => !recreated.has(now.id))
      .filter(({ old, now }) => this.#rebuild.changed(old, now).includes("definition"))
      .map(({ now }) => now);
    const all = inDependencyOrder(this.#target, [...made, ...replacements], undefined, (each) =>
      this.#otherNeeds(each),
    );
    return all.flatMap((object) => this.#make(object));
  }

  #isMade({ id }: PostgresObject): boolean {
    const { recreated, replaced } = this.#rebuild;
    return this.#base.find(id) === undefined || recreated.has(id) || replaced.has(id);
  }

  #isFirst(object: PostgresObject): boolean {
    if (this.#isOfDomain(object)) return true;
    return FIRST.includes(object.kind) && !this.#isWaiting(object);
  }

  #isLast(object: PostgresObject): boolean {
    if (this.#isFirst(object)) return false;
    return RECREATABLE.includes(object.kind) || FIRST.includes(object.kind);
  }

  /**
   * A function may need a view, or a key that the function's query groups by. A partition of an
   * existing table has the table's altered columns.
   */
  #isWaiting(object: PostgresObject): boolean {
    const known = this.#waiting.get(object.id);
    if (known !== undefined) return known;
    // A provisional answer, so that the recursion ends in a cycle of dependencies.
    this.#waiting.set(object.id, false);
    const { kind } = object;
    const isRoutine = kind === "Function" || kind === "Procedure" || kind === "Aggregate";
    const isWaiting =
      (isRoutine && needsOf(object).some((id) => this.#isLater(id))) ||
      this.#isLatePartition(object);
    this.#waiting.set(object.id, isWaiting);
    return isWaiting;
  }

  #isLater(id: string): boolean {
    const needed = this.#target.find(id);
    if (needed === undefined || this.#isOfDomain(needed)) return false;
    const isLater = RECREATABLE.includes(needed.kind) && !FIRST.includes(needed.kind);
    return isLater || this.#isWaiting(needed);
  }

  /**
   * A domain's checks are created with the domain, because a check cannot be added once columns of
   * some kinds use the domain.
   */
  #isOfDomain(object: PostgresObject): boolean {
    return isOf(object, CONSTRAINTS) && this.#target.above(object).kind === "Domain";
  }

  /**
   * Whether the object is a new partition of an existing table, or a partition of such a partition.
   */
  #isLatePartition(table: PostgresObject): boolean {
    if (table.kind !== "Table" || table.values.partitionBound === undefined) return false;
    const [parent] = this.#parentsOf(table);
    if (parent === undefined || !this.#isMade(table)) return false;
    return !this.#isMade(parent) || this.#isLatePartition(parent);
  }

  /**
   * Whether a partition is created as a separate table and attached later, so that its indexes get
   * the intended names.
   */
  #isJoining(table: PostgresObject): boolean {
    const [parent] = this.#parentsOf(table);
    if (parent === undefined || isForeign(table)) return false;
    return this.#isLatePartition(table) && !this.#isMade(parent);
  }

  #parentsOf({ values }: PostgresObject): readonly PostgresObject[] {
    return (values.inherits ?? []).flatMap((part) => {
      return this.#target.find(part.table.ref) ?? [];
    });
  }

  /**
   * Dependencies that PostgreSQL does not record: the objects that the chosen statements require.
   */
  #otherNeeds(object: PostgresObject): readonly string[] {
    if (this.#isLatePartition(object)) {
      const [parent] = this.#parentsOf(object);
      const checks = this.#target.partsOf(parent?.id, "CheckConstraint");
      return checks.map(({ id }) => id);
    }
    const whole = this.#target.find(attachedTo(object));
    const isOneByOne = whole !== undefined && this.#attachments.isAttachedOneByOne(whole);
    const areTaken = !this.#attachments.isAttachedOneByOne(object);
    return [
      ...(isOneByOne ? [whole.id] : []),
      ...(areTaken ? this.#attachments.partsOf(object.id).map(({ id }) => id) : []),
    ];
  }

  #make(object: PostgresObject): readonly Statement[] {
    if (object.kind === "Table" && this.#isJoining(object)) {
      const [parent] = this.#parentsOf(object);
      return parent === undefined ? [] : createLike(this.#target, object, parent);
    }
    if (this.#isMadeByWhole(object)) return [];
    if (this.#isWaitingForIndex(object)) {
      this.pending.add(object.id);
      this.after.push(...this.#add(object), ...this.#check(object));
      return [];
    }
    const isOnly = this.#attachments.isAttachedOneByOne(object);
    const isPending = object.kind === "Index" && this.#isPending(object);
    const statements =
      (isOnly || isPending) && isOf(object, INDEXED)
        ? [this.#makeIndex(object, isOnly, isPending)]
        : this.#add(object);
    if (isPending) {
      this.pending.add(object.id);
      this.after.push(...statements, ...this.#attach(object));
      return [];
    }
    this.after.push(...this.#check(object));
    return [...statements, ...this.#inTurn(object, this.#attach(object))];
  }

  /**
   * Whether a foreign key references columns whose unique index is only created after the
   * transaction.
   */
  #isWaitingForIndex(object: PostgresObject): boolean {
    return object.kind === "ForeignKey" && needsOf(object).some((id) => this.pending.has(id));
  }

  /**
   * Statements that attach a part. They are deferred when the part waits for an index that is
   * created after the transaction.
   */
  #inTurn(part: PostgresObject, statements: readonly Statement[]): readonly Statement[] {
    const whole = attachedTo(part);
    if (whole === undefined || !this.pending.has(whole)) return statements;
    this.after.push(...statements);
    return [];
  }

  #makeIndex(
    object: PostgresObject<"Index" | ConstraintKind>,
    isOnly: boolean,
    isPending: boolean,
  ): Statement {
    if (object.kind !== "Index") {
      return addConstraint(this.#target, object, this.#tables, { isOnly: true });
    }
    const table = this.#target.above(object);
    const isConcurrent = isPending && table.values.partitionKey === undefined;
    return createIndex(this.#target, object, { isOnly, isConcurrent });
  }

  /**
   * Whether the object's table may have rows, so that creating the object takes time. A recreated
   * table has none.
   */
  #hasRows({ id, parent }: PostgresObject): boolean {
    const table = this.#base.find(parent);
    const isNew = this.#base.find(id) === undefined;
    return isNew && table?.kind === "Table" && !this.#rebuild.isDropped(table);
  }

  /**
   * Whether an index is created with CONCURRENTLY. A partitioned index waits for all its partition
   * indexes.
   */
  #isPending(index: PostgresObject): boolean {
    const all = this.#attachments.allOf(this.#attachments.rootOf(index));
    const made = all.filter((each) => this.#isMade(each));
    return this.#hasRows(index) && !made.some(({ id }) => this.#base.find(id) !== undefined);
  }

  /** Whether a constraint is added as NOT VALID, and validated later while other sessions write. */
  #isCheckedLater(
    object: PostgresObject,
  ): object is PostgresObject<"ForeignKey" | "CheckConstraint"> {
    const table = this.#base.find(object.parent);
    const isChecked = object.kind === "ForeignKey" || object.kind === "CheckConstraint";
    if (!isChecked) return false;
    const isPlain = table?.values.partitionKey === undefined && attachedTo(object) === undefined;
    return !isUnchecked(object) && isPlain && this.#hasRows(object);
  }

  #add(object: PostgresObject): readonly Statement[] {
    if (!this.#isCheckedLater(object)) return create(this.#target, object, this.#tables);
    return [addConstraint(this.#target, object, this.#tables, { isValidatedLater: true })];
  }

  #check(object: PostgresObject): readonly Statement[] {
    if (!this.#isCheckedLater(object)) return [];
    return [validateConstraint(this.#target, object, this.#tables)];
  }

  /** PostgreSQL copies a foreign key to each partition under a generated name. */
  #isMadeByWhole(object: PostgresObject): boolean {
    const whole = this.#target.find(attachedTo(object));
    if (whole === undefined || object.kind !== "ForeignKey") return false;
    const isSame =
      whole.name === object.name && whole.values.definition === object.values.definition;
    return isSame && (this.#isMade(whole) || this.#isMade(this.#target.above(object)));
  }

  /** Attaches a part to an index that existed before, or that stays invalid. */
  #attach(part: PostgresObject): readonly Statement[] {
    const whole = this.#target.find(attachedTo(part));
    if (whole === undefined || whole.kind === "ForeignKey") return [];
    const isByItself = this.#isMade(whole) && !this.#attachments.isAttachedOneByOne(whole);
    // A partition's indexes are attached together with the partition.
    if (isByItself || this.#isJoining(this.#target.above(part))) return [];
    const index = qualified(this.#target, whole);
    const sql = `ALTER INDEX ${index} ATTACH PARTITION ${qualified(this.#target, part)}`;
    return [statement("alter", sql, { object: this.#target.pathOf(whole) })];
  }

  #validate(old: PostgresObject, now: PostgresObject): readonly Statement[] {
    if (!isMoreChecked(old, now, this.#rebuild.changed(old, now))) return [];
    const whole = this.#target.find(attachedTo(now));
    const isDoneByWhole = whole !== undefined && whole.values.isInvalid !== true;
    if (isDoneByWhole) return [];
    return [validateConstraint(this.#target, now, this.#tables)];
  }
}
