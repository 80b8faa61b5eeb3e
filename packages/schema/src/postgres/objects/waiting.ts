import type { Kind } from "../../model/kinds.js";
import { isOf, type PostgresObject, type PostgresSchema } from "../../model/schema.js";
import { sameValue } from "../../model/schema-diff.js";
import { RECREATABLE, type RebuildPlan } from "../rebuild-plan.js";
import { rewrittenTables } from "../types/parked-columns.js";
import { isStricter, StoredTypes } from "../types/stored-types.js";
import { needsOf } from "./dependency-order.js";
import { CONSTRAINTS } from "./names.js";
import { RoutineCycles } from "./routine-cycles.js";

/** Kinds that are created before columns are altered, because the new columns may need them. */
const FIRST: readonly Kind[] = [
  ...(["EnumType", "CompositeType", "RangeType", "Domain", "Sequence", "Table"] as const),
  ...(["Function", "Procedure", "Aggregate", "Operator", "Cast", "Collation", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];

/**
 * The new objects that wait until columns are altered, and the columns that wait for some of these
 * objects.
 */
export class Waiting {
  /**
   * Columns that are added, or get their type, when everything else has been altered: until then,
   * nothing may store their types.
   */
  readonly columns = new Set<string>();
  /** The routines of the target that need each other. */
  readonly cycles: RoutineCycles;
  /** What the columns wait for. */
  readonly #awaited: readonly string[];
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #rebuild: RebuildPlan;
  /** Memo: whether an object must wait for one that is created after the columns are altered. */
  readonly #waiting = new Map<string, boolean>();

  constructor(base: PostgresSchema, target: PostgresSchema, rebuild: RebuildPlan) {
    this.#base = base;
    this.#target = target;
    this.#rebuild = rebuild;
    this.cycles = new RoutineCycles(target);
    const stored = new StoredTypes(target);
    const checks = target
      .all("CheckConstraint")
      .filter((check) => this.isMade(check) && this.isOfDomain(check) && this.isWaiting(check));
    const domains = target.all("Domain").filter((domain) => {
      return checks.some(({ parent }) => parent === domain.id) || this.#isStricter(domain);
    });
    const altered = [...rewrittenTables(target, rebuild), ...this.#alteredComposites()];
    const storing = [
      ...domains.flatMap(({ id }) => stored.containersOf(id)),
      ...altered.flatMap(({ id }) => stored.columnsOf(id)),
    ].filter((column) => rebuild.isFresh(column) || rebuild.touched.has(column.id));
    const needy = this.#addColumns(storing);
    this.#awaited = [...checks.map(({ id }) => id), ...needy.flatMap(needsOf)];
  }

  /**
   * Makes columns wait, and those that need a table or another object which waits with them.
   * @returns the columns that need such an object.
   */
  #addColumns(storing: readonly PostgresObject[]): readonly PostgresObject[] {
    let [needy, added] = [storing, storing];
    do {
      for (const { id } of added) this.columns.add(id);
      this.#waiting.clear();
      needy = this.#target.all("Column").filter((column) => this.#isNeedy(column));
      added = needy.filter(({ id }) => !this.columns.has(id));
    } while (added.length > 0);
    return needy;
  }

  /** Whether an object has to be created, because it is new or was dropped. */
  isMade({ id }: PostgresObject): boolean {
    const { recreated, replaced } = this.#rebuild;
    return this.#base.find(id) === undefined || recreated.has(id) || replaced.has(id);
  }

  /** Whether an object is created before the columns are altered. */
  isFirst(object: PostgresObject): boolean {
    const isKind = FIRST.includes(object.kind) || this.isOfDomain(object);
    return isKind && !this.isWaiting(object);
  }

  /** Whether an object is created after the columns are altered. */
  isLast(object: PostgresObject): boolean {
    if (this.isFirst(object)) return false;
    return RECREATABLE.includes(object.kind) || FIRST.includes(object.kind);
  }

  /** The objects that are created after the columns are altered, and before the waiting ones. */
  between(): ReadonlySet<string> {
    const found = new Set(this.columns.size === 0 ? [] : this.#awaited);
    for (const id of found) {
      const object = this.#target.find(id);
      const isLate = object !== undefined && this.isMade(object) && this.isLast(object);
      if (isLate) needsOf(object).forEach((need) => found.add(need));
      else found.delete(id);
    }
    return found;
  }

  /**
   * A function may need a view, an altered column, or a key that the function's query groups by. A
   * partition of an existing table has the table's altered columns. A table and the types over it
   * wait with its columns.
   */
  isWaiting(object: PostgresObject): boolean {
    const known = this.#waiting.get(object.id);
    if (known !== undefined) return known;
    // A provisional answer, so that the recursion ends in a cycle of dependencies.
    this.#waiting.set(object.id, false);
    const { kind } = object;
    const isRoutine = kind === "Function" || kind === "Procedure" || kind === "Aggregate";
    const before = this.#base.find(object.id);
    // The routines of a cycle are created together.
    const members = isRoutine ? this.cycles.membersOf(object) : undefined;
    const needs = [
      ...(members === undefined ? needsOf(object) : this.cycles.needsOfAll(members)),
      ...(before === undefined ? [] : needsOf(before)),
    ];
    const isWaiting =
      ((isRoutine || this.isOfDomain(object)) &&
        needs.some((id) => this.#isLater(id) || this.#isAltered(id))) ||
      this.isLatePartition(object) ||
      this.#isOverWaiting(object);
    this.#waiting.set(object.id, isWaiting);
    return isWaiting;
  }

  /**
   * A domain's checks are created with the domain where they can, because a check cannot be added
   * once columns of some kinds use the domain.
   */
  isOfDomain(object: PostgresObject): boolean {
    return isOf(object, CONSTRAINTS) && this.#target.above(object).kind === "Domain";
  }

  /**
   * Whether the object is a new partition of an existing table, or a partition of such a partition.
   */
  isLatePartition(table: PostgresObject): boolean {
    if (table.kind !== "Table" || table.values.partitionBound === undefined) return false;
    const parent = this.#target.find(table.values.inherits?.[0]?.table.ref);
    if (parent === undefined || !this.isMade(table)) return false;
    return !this.isMade(parent) || this.isLatePartition(parent);
  }

  /** Whether a new table has a waiting column, or a new object needs one that waits. */
  #isOverWaiting(object: PostgresObject): boolean {
    if (!FIRST.includes(object.kind) || !this.isMade(object)) return false;
    const columns = object.kind === "Table" ? this.#target.partsOf(object.id, "Column") : [];
    if (columns.some(({ id }) => this.columns.has(id))) return true;
    return [object, ...columns].flatMap(needsOf).some((id) => this.#isAwaited(id));
  }

  /** Whether a column of an existing table needs an object that waits. */
  #isNeedy(column: PostgresObject): boolean {
    const isThere = !this.isMade(this.#target.above(column));
    return isThere && needsOf(column).some((id) => this.#isAwaited(id));
  }

  #isAwaited(id: string): boolean {
    const needed = this.#target.find(id);
    if (needed === undefined || !FIRST.includes(needed.kind)) return false;
    return this.isMade(needed) && this.isWaiting(needed);
  }

  #isStricter(domain: PostgresObject): boolean {
    const old = this.#base.find(domain.id);
    if (old === undefined || this.#rebuild.replaced.has(domain.id)) return false;
    return isStricter(this.#base, this.#target, old, (check) => this.#rebuild.isFresh(check));
  }

  /** Existing composite types whose attributes are altered in place. */
  #alteredComposites(): readonly PostgresObject[] {
    return this.#target.all("CompositeType").filter(({ id }) => this.#isAltered(id));
  }

  /** Whether an existing composite type, or a column of an existing table, is altered. */
  #isAltered(id: string): boolean {
    const column = this.#target.find(id) ?? this.#base.find(id);
    if (column?.kind === "CompositeType") {
      const old = this.#base.find(id);
      if (old === undefined || this.#rebuild.replaced.has(id)) return false;
      return !sameValue(old.values.attributes, column.values.attributes);
    }
    if (column?.kind !== "Column") return false;
    const table = this.#base.find(column.parent);
    if (table === undefined || this.#rebuild.isDropped(table)) return false;
    return this.#base.find(id) === undefined || this.#rebuild.isGone(id);
  }

  #isLater(id: string): boolean {
    const needed = this.#target.find(id);
    if (needed === undefined) return false;
    if (this.isOfDomain(needed)) return this.isWaiting(needed);
    if (needed.kind === "Column") return this.#isAwaited(this.#target.above(needed).id);
    const isLater = RECREATABLE.includes(needed.kind) && !FIRST.includes(needed.kind);
    return isLater || this.isWaiting(needed);
  }
}
