import { assert } from "@steward/kernel/assert.js";
import type { Statement } from "../model/commands.js";
import { isOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import { statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { attachedTo, Attachments } from "./objects/attachments.js";
import { isMoreChecked } from "./objects/changed-properties.js";
import { inDependencyOrder, needsOf } from "./objects/dependency-order.js";
import { type ConstraintKind, CONSTRAINTS, isForeign, qualified } from "./objects/names.js";
import { isUnchecked } from "./objects/unchecked.js";
import { attachPartition } from "./parents/ties.js";
import type { Waiting } from "./objects/waiting.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import type { OnlineIndexes } from "./online-indexes.js";
import { addConstraint, validateConstraint } from "./constraints.js";
import { create, createIndex, isReplaceable } from "./statements.js";
import { createLike } from "./table-statements.js";

/** Kinds that an index belongs to. */
const INDEXED = ["Index", ...CONSTRAINTS] as const;

/**
 * The statements that create objects of the target that are new, or that are dropped and recreated.
 */
export class Creations {
  /** Statements that run after the transaction, each by itself. */
  readonly after: Statement[] = [];
  /** Statements of the last transaction. */
  readonly swaps: Statement[] = [];
  /** Statements after the last transaction, each by itself. */
  readonly end: Statement[] = [];
  /** Indexes, keys and foreign keys that are created after the transaction. */
  readonly pending: Set<string> = new Set();
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  readonly #attachments: Attachments;
  readonly #tables: LockedTables;
  readonly #online: OnlineIndexes;
  readonly #waiting: Waiting;
  readonly #between: ReadonlySet<string>;

  constructor(
    base: PostgresSchema,
    target: PostgresSchema,
    rebuild: RebuildPlan,
    tables: LockedTables,
    online: OnlineIndexes,
    waiting: Waiting,
  ) {
    this.#waiting = waiting;
    this.#between = waiting.between();
    this.#tables = tables;
    this.#online = online;
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
    return this.#statements((object) => this.#waiting.isFirst(object));
  }

  /** Creates the objects that need altered columns, and that waiting columns need. */
  between(): readonly Statement[] {
    return this.#statements(({ id }) => this.#between.has(id));
  }

  /**
   * Creates the objects that need the altered columns. A partition is attached once it has all the
   * indexes and constraints that it must have.
   */
  last(): readonly Statement[] {
    const statements = this.#statements(
      (object) => this.#waiting.isLast(object) && !this.#between.has(object.id),
    );
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
        assert(parent !== undefined, `the table ${table.id} is a partition`);
        return attachPartition(this.#target, parent, table, this.#tables);
      }),
      ...joined,
    ];
  }

  #statements(isNow: (object: PostgresObject) => boolean): readonly Statement[] {
    const { matched, recreated } = this.#rebuild;
    const made = this.#target.objects.filter(
      (object) => isNow(object) && this.#waiting.isMade(object),
    );
    const replacements = matched
      .filter(({ old, now }) => isNow(now) && isReplaceable(old, now))
      .filter(({ now }) => !recreated.has(now.id))
      .filter(({ old, now }) => this.#rebuild.changed(old, now).includes("definition"))
      .map(({ now }) => now);
    const cycles = this.#waiting.cycles;
    const all = inDependencyOrder(this.#target, [...made, ...replacements], undefined, (each) => [
      ...cycles.needsOf(each),
      ...this.#otherNeeds(each),
    ]);
    const coming = new Set(all.map(({ id }) => id));
    return all.flatMap((object) => {
      coming.delete(object.id);
      const members = cycles.membersOf(object);
      if (members === undefined) return this.#make(object);
      const isLast = ![...members].some((id) => coming.has(id));
      const whole = isLast ? [...members].map((id) => this.#target.get(id)) : [];
      return [
        ...(cycles.has(object) ? this.#provisional(object) : this.#make(object)),
        ...whole
          .filter((each) => cycles.has(each) && all.includes(each))
          .flatMap((each) => this.#make(each)),
      ];
    });
  }

  /** An existing routine has a body already. */
  #provisional(routine: PostgresObject): readonly Statement[] {
    return this.#waiting.isMade(routine) ? [this.#waiting.cycles.provisional(routine)] : [];
  }

  /**
   * Whether a partition is created as a separate table and attached later, so that its indexes get
   * the intended names.
   */
  #isJoining(table: PostgresObject): boolean {
    const [parent] = this.#parentsOf(table);
    if (parent === undefined || isForeign(table)) return false;
    return this.#waiting.isLatePartition(table) && !this.#waiting.isMade(parent);
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
    if (this.#waiting.isLatePartition(object)) {
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
      this.swaps.push(...this.#add(object));
      this.end.push(...this.#check(object));
      return [];
    }
    const online = this.#online.buildOf(object);
    if (online !== undefined) {
      this.pending.add(object.id);
      this.after.push(online.build);
      this.swaps.push(...online.swap);
      this.end.push(...online.drop);
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
    const made = all.filter((each) => this.#waiting.isMade(each));
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
    return (
      isSame && (this.#waiting.isMade(whole) || this.#waiting.isMade(this.#target.above(object)))
    );
  }

  /** Attaches a part to an index that existed before, or that stays invalid. */
  #attach(part: PostgresObject): readonly Statement[] {
    const whole = this.#target.find(attachedTo(part));
    if (whole === undefined || whole.kind === "ForeignKey") return [];
    const isByItself = this.#waiting.isMade(whole) && !this.#attachments.isAttachedOneByOne(whole);
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
