import { isSet, partsIn, idIn, type Schema, type SchemaObject, textOf } from "../schema.js";
import type { Kind } from "../kinds.js";
import { attachedTo, Attachments } from "./attachments.js";
import { inDependencyOrder, needsOf } from "./dependency-order.js";
import { CONSTRAINTS, isForeign, qualified, quoteName } from "./names.js";
import { isMoreChecked, REMAKEABLE, type Remaking } from "./remaking.js";
import { addConstraint, alterOn, create, createIndex, createLike } from "./statements.js";
import { isReplaceable } from "./statements.js";

/** What is made before columns are changed, for they may need it. */
const FIRST: readonly Kind[] = [
  ...(["EnumType", "CompositeType", "RangeType", "Domain", "Sequence", "Table"] as const),
  ...(["Function", "Procedure", "Aggregate", "Operator", "Cast", "Collation", "Opaque"] as const),
  ...(["TextSearchDictionary", "TextSearchConfiguration"] as const),
  ...(["ForeignDataWrapper", "ForeignServer"] as const),
];

/** The statements that make what the target has and the base has not, or has to lose. */
export class Creations {
  /** Statements that follow the transaction, each by itself. */
  readonly after: string[] = [];
  /** Indexes that are made after the transaction. */
  readonly pending: Set<string> = new Set();
  readonly #base: Schema;
  readonly #target: Schema;
  readonly #remaking: Remaking;
  readonly #attachments: Attachments;
  /** Objects that wait for what is made last, as far as that is known. */
  readonly #waiting = new Map<string, boolean>();

  constructor(base: Schema, target: Schema, remaking: Remaking) {
    this.#base = base;
    this.#target = target;
    this.#remaking = remaking;
    this.#attachments = new Attachments(target);
  }

  ofKind(kind: Kind): readonly string[] {
    return this.#statements((object) => object.kind === kind);
  }

  /** What columns may need while they change. */
  first(): readonly string[] {
    return this.#statements((object) => this.#isFirst(object));
  }

  /** What needs columns as they are then. Partitions join once all that a partition must have is there. */
  last(): readonly string[] {
    const statements = this.#statements((object) => this.#isLast(object));
    const partitions = this.#target.all("Table").filter((table) => this.#isJoining(table));
    const kept = this.#remaking.kept.filter(({ now }) => !this.#remaking.isFresh(now));
    const joined = kept.flatMap(({ old, now }) => {
      return attachedTo(old) === attachedTo(now) ? [] : this.#inTurn(now, this.#attach(now));
    });
    this.after.push(...kept.flatMap(({ old, now }) => this.#validate(old, now)));
    return [
      ...statements,
      ...partitions.map((table) => {
        const [parent] = this.#parentsOf(table);
        const name = parent === undefined ? "" : qualified(this.#target, parent);
        const bound = textOf(table.values, "partitionBound") ?? "";
        return `ALTER TABLE ${name} ATTACH PARTITION ${qualified(this.#target, table)} ${bound}`;
      }),
      ...joined,
    ];
  }

  #statements(isNow: (object: SchemaObject) => boolean): readonly string[] {
    const { kept, remade } = this.#remaking;
    const made = this.#target.objects.filter((object) => isNow(object) && this.#isMade(object));
    const replacements = kept
      .filter(({ old, now }) => isNow(now) && isReplaceable(old, now))
      .filter(({ now }) => !remade.has(now.id))
      .filter(({ old, now }) => this.#remaking.changed(old, now).includes("definition"))
      .map(({ now }) => now);
    const all = inDependencyOrder(this.#target, [...made, ...replacements], undefined, (each) =>
      this.#otherNeeds(each),
    );
    return all.flatMap((object) => this.#make(object));
  }

  #isMade({ id }: SchemaObject): boolean {
    const { remade, replaced } = this.#remaking;
    return this.#base.find(id) === undefined || remade.has(id) || replaced.has(id);
  }

  #isFirst(object: SchemaObject): boolean {
    if (this.#isOfDomain(object)) return true;
    return FIRST.includes(object.kind) && !this.#isWaiting(object);
  }

  #isLast(object: SchemaObject): boolean {
    if (this.#isFirst(object)) return false;
    return REMAKEABLE.includes(object.kind) || FIRST.includes(object.kind);
  }

  /**
   * A function may need a view, or a key that its query groups by; a partition of a table that is there
   * already has that table's columns as they are then.
   */
  #isWaiting(object: SchemaObject): boolean {
    const known = this.#waiting.get(object.id);
    if (known !== undefined) return known;
    // Until it is known, so that a circle of needs ends.
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
    const isLater = REMAKEABLE.includes(needed.kind) && !FIRST.includes(needed.kind);
    return isLater || this.#isWaiting(needed);
  }

  /** What a domain checks is there before anybody uses it, for it cannot be added to all that do. */
  #isOfDomain({ kind, parent = "" }: SchemaObject): boolean {
    return CONSTRAINTS.includes(kind) && this.#target.get(parent).kind === "Domain";
  }

  /** A partition that is made for a table that is there already, or for such a partition. */
  #isLatePartition(table: SchemaObject): boolean {
    if (table.kind !== "Table" || table.values.partitionBound === undefined) return false;
    const [parent] = this.#parentsOf(table);
    if (parent === undefined || !this.#isMade(table)) return false;
    return !this.#isMade(parent) || this.#isLatePartition(parent);
  }

  /** Whether a partition is made as a table of its own, so that its indexes have the names they should. */
  #isJoining(table: SchemaObject): boolean {
    const [parent] = this.#parentsOf(table);
    if (parent === undefined || isForeign(table)) return false;
    return this.#isLatePartition(table) && !this.#isMade(parent);
  }

  #parentsOf({ values }: SchemaObject): readonly SchemaObject[] {
    return partsIn(values, "inherits").flatMap((part) => {
      return this.#target.find(idIn(part, "table") ?? "") ?? [];
    });
  }

  /** Beside what the engine knows: what the statements that are chosen here want to be there first. */
  #otherNeeds(object: SchemaObject): readonly string[] {
    if (this.#isLatePartition(object)) {
      const [parent] = this.#parentsOf(object);
      const checks = this.#target.partsOf(parent?.id ?? "", "CheckConstraint");
      return checks.map(({ id }) => id);
    }
    const whole = this.#target.find(attachedTo(object) ?? "");
    const isOneByOne = whole !== undefined && this.#attachments.isAttachedOneByOne(whole);
    const areTaken = !this.#attachments.isAttachedOneByOne(object);
    return [
      ...(isOneByOne ? [whole.id] : []),
      ...(areTaken ? this.#attachments.partsOf(object.id).map(({ id }) => id) : []),
    ];
  }

  #make(object: SchemaObject): readonly string[] {
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
      isOnly || isPending ? [this.#makeIndex(object, isOnly, isPending)] : this.#add(object);
    if (isPending) {
      this.pending.add(object.id);
      this.after.push(...statements, ...this.#attach(object));
      return [];
    }
    this.after.push(...this.#check(object));
    return [...statements, ...this.#inTurn(object, this.#attach(object))];
  }

  /** Whether a foreign key refers to columns that nothing makes unique before the transaction has ended. */
  #isWaitingForIndex(object: SchemaObject): boolean {
    return object.kind === "ForeignKey" && needsOf(object).some((id) => this.pending.has(id));
  }

  /** Statements that attach a part; they wait for an index that is made after the transaction. */
  #inTurn(part: SchemaObject, statements: readonly string[]): readonly string[] {
    if (!this.pending.has(attachedTo(part) ?? "")) return statements;
    this.after.push(...statements);
    return [];
  }

  #makeIndex(object: SchemaObject, isOnly: boolean, isPending: boolean): string {
    if (object.kind !== "Index") {
      return addConstraint(this.#target, object).replace(/^ALTER TABLE /, "ALTER TABLE ONLY ");
    }
    const table = this.#target.get(object.parent ?? "");
    const isConcurrent = isPending && table.values.partitionKey === undefined;
    return createIndex(this.#target, object, { isOnly, isConcurrent });
  }

  /** Rows that are there already take time; those of a table that is made anew do not. */
  #hasRows({ id, parent = "" }: SchemaObject): boolean {
    const table = this.#base.find(parent);
    const isNew = this.#base.find(id) === undefined;
    return isNew && table?.kind === "Table" && !this.#remaking.isDropped(table);
  }

  /** Whether an index is made while others write; a partitioned one, once all of its parts are. */
  #isPending(index: SchemaObject): boolean {
    const all = this.#attachments.allOf(this.#attachments.rootOf(index));
    const made = all.filter((each) => this.#isMade(each));
    return this.#hasRows(index) && !made.some(({ id }) => this.#base.find(id) !== undefined);
  }

  /** Whether a constraint is added without a look at the rows, which then are checked while others write. */
  #isCheckedLater(object: SchemaObject): boolean {
    const table = this.#base.find(object.parent ?? "");
    const isChecked = object.kind === "ForeignKey" || object.kind === "CheckConstraint";
    const definition = textOf(object.values, "definition") ?? "";
    const isUnchecked = definition.endsWith(" NOT VALID") || definition.includes("NOT ENFORCED");
    const isPlain = table?.values.partitionKey === undefined && attachedTo(object) === undefined;
    return isChecked && !isUnchecked && isPlain && this.#hasRows(object);
  }

  #add(object: SchemaObject): readonly string[] {
    if (!this.#isCheckedLater(object)) return create(this.#target, object);
    return [`${addConstraint(this.#target, object)} NOT VALID`];
  }

  #check(object: SchemaObject): readonly string[] {
    if (!this.#isCheckedLater(object)) return [];
    const name = quoteName(object.name ?? "");
    return [`${alterOn(this.#target, object)} VALIDATE CONSTRAINT ${name}`];
  }

  /** The engine copies a foreign key to each partition, under its own name. */
  #isMadeByWhole(object: SchemaObject): boolean {
    const whole = this.#target.find(attachedTo(object) ?? "");
    if (whole === undefined || object.kind !== "ForeignKey") return false;
    const isSame =
      whole.name === object.name && whole.values.definition === object.values.definition;
    return isSame && (this.#isMade(whole) || this.#isMade(this.#target.get(object.parent ?? "")));
  }

  /** Attaches a part to an index that is there, or that stays invalid. */
  #attach(part: SchemaObject): readonly string[] {
    const whole = this.#target.find(attachedTo(part) ?? "");
    if (whole === undefined || whole.kind === "ForeignKey") return [];
    const isByItself = this.#isMade(whole) && !this.#attachments.isAttachedOneByOne(whole);
    // A partition's indexes are attached along with it.
    if (isByItself || this.#isJoining(this.#target.get(part.parent ?? ""))) return [];
    const [index, name] = [whole, part].map((each) => qualified(this.#target, each));
    return [`ALTER INDEX ${index ?? ""} ATTACH PARTITION ${name ?? ""}`];
  }

  #validate(old: SchemaObject, now: SchemaObject): readonly string[] {
    if (!isMoreChecked(old, now, this.#remaking.changed(old, now))) return [];
    const whole = this.#target.find(attachedTo(now) ?? "");
    const isDoneByWhole = whole !== undefined && !isSet(whole.values, "isInvalid");
    if (isDoneByWhole) return [];
    return [`${alterOn(this.#target, now)} VALIDATE CONSTRAINT ${quoteName(now.name ?? "")}`];
  }
}
