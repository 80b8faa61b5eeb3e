import { inOrder } from "../column-order.js";
import type { Phase, Script } from "../ports.js";
import { changesBetween, sameValue } from "../schema-diff.js";
import { idIn, partsIn, type Schema, type SchemaObject, textOf } from "../schema.js";
import type { Kind } from "../kinds.js";
import type { PropertyName } from "../vocabulary.js";
import { alterColumn, restart, typeChangeOf } from "./alter-column.js";
import { alterAttributes, alterDomain, mustReplace, oldName } from "./alter-type.js";
import { inDependencyOrder, needsOf } from "./dependency-order.js";
import { isRoutine, qualified, quoteName, quoteText, renamed, WORDS } from "./names.js";
import { Renames } from "./renames.js";
import {
  addConstraint,
  alterOn,
  columnClause,
  comment,
  CONSTRAINTS,
  create,
  createIndex,
  drop,
  grant,
  isReplaceable,
  labelsOf,
  onOf,
  own,
  rowSecurity,
} from "./statements.js";

/** How long a statement waits for others' locks before it gives up, so that nobody waits behind it. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '5s'";

/** Kinds that hold nothing themselves, and so may be dropped and made again. */
const REMAKEABLE: readonly Kind[] = [
  ...(["View", "MaterializedView", "Index", "Trigger", "Policy", "Function", "Procedure"] as const),
  ...CONSTRAINTS,
];
/** What is made before columns are changed, for they may need it. */
const FIRST: readonly Kind[] = [
  ...([
    "EnumType",
    "CompositeType",
    "RangeType",
    "Domain",
    "Sequence",
    "Table",
    "Function",
    "Procedure",
  ] as const),
];
const TYPES: readonly Kind[] = ["EnumType", "CompositeType", "RangeType", "Domain"];

/**
 * The script that leads from one PostgreSQL schema to another: values of enums first, which nobody may
 * use in the transaction that adds them; then everything that happens in one transaction; then what
 * would hold others up there: indexes, and the checking of rows by constraints that are there already.
 */
export function planPostgres(base: Schema, target: Schema): Script {
  return new PostgresPlan(base, target).script();
}

class PostgresPlan {
  readonly #base: Schema;
  readonly #target: Schema;
  /** Objects of both that are dropped and made again. */
  readonly #remade = new Set<string>();
  /** Types that are made again under their name while the old one makes room. */
  readonly #replaced = new Set<string>();
  /** Columns that lose what depends on them: their type changes, or they are made again. */
  readonly #touched = new Set<string>();
  /** Columns that are dropped and added again. */
  readonly #anew = new Set<string>();
  /** Columns whose default makes room for what it needs to be made again. */
  readonly #defaults = new Set<string>();
  readonly #names: ReadonlyMap<string, string>;
  readonly #renames: Renames;
  /** Statements that follow the transaction, each by itself; and those that end it all. */
  readonly #after: string[] = [];
  readonly #last: string[] = [];

  constructor(base: Schema, target: Schema) {
    this.#base = base;
    this.#target = target;
    this.#names = new Map(
      this.#kept().flatMap(({ old, now }) =>
        old.name === now.name || isRoutine(now) ? [] : [[old.name ?? "", now.name ?? ""] as const],
      ),
    );
    this.#findRemade();
    this.#renames = new Renames(base, target, this.#remade);
  }

  script(): Script {
    const first = this.#enumValues();
    const main = [
      ...this.#renames.statements(),
      ...[...this.#defaults].flatMap((id) => this.#dropDefault(id)),
      ...this.#drops((object) => this.#isEarly(object)),
      ...this.#makeRoom(),
      ...this.#creations("Schema"),
      ...this.#creations("Extension"),
      ...this.#creations(...FIRST),
      ...this.#alterations(),
      ...this.#creations(...REMAKEABLE.filter((kind) => !FIRST.includes(kind))),
      ...this.#drops((object) => !this.#isEarly(object)),
      ...this.#dropReplaced(),
      ...this.#details(),
    ];
    return [
      ...(first.length === 0 ? [] : [{ isAtomic: false, statements: first }]),
      ...atomic(main),
      ...(this.#after.length === 0 ? [] : [{ isAtomic: false, statements: this.#after }]),
      ...atomic(this.#last),
    ];
  }

  #kept(): readonly { readonly old: SchemaObject; readonly now: SchemaObject }[] {
    return this.#target.objects.flatMap((now) => {
      const old = this.#base.find(now.id);
      return old === undefined ? [] : [{ old, now }];
    });
  }

  #findRemade(): void {
    for (const { old, now } of this.#kept()) {
      const changed = this.#changed(old, now);
      if (changed.length === 0) continue;
      if (TYPES.includes(now.kind) && mustReplace(old, now, changed)) this.#replaced.add(now.id);
      if (now.kind === "Table" && changed.some(isNewTable)) this.#remade.add(now.id);
      if (now.kind === "Column" && changed.some(isNewColumn)) this.#anew.add(now.id);
      if (now.kind === "Column" && (typeChangeOf(changed) || this.#anew.has(now.id))) {
        this.#touched.add(now.id);
      }
      if (!REMAKEABLE.includes(now.kind) || isReplaceable(old, now)) continue;
      if (changed.some((property) => !DETAILS.includes(property))) this.#remade.add(now.id);
    }
    this.#touchColumnsOfReplaced();
    this.#remakeGenerated();
    this.#remakeDependents();
    this.#findDefaults();
  }

  /** The properties that change by more than renames elsewhere. */
  #changed(old: SchemaObject, now: SchemaObject): readonly PropertyName[] {
    return changesBetween(old, now).flatMap(({ property, before, after }) => {
      if (property === "name") return [];
      if (typeof before === "string" && typeof after === "string") {
        if (renamed(before, this.#names) === renamed(after, new Map())) return [];
      }
      return [property];
    });
  }

  #touchColumnsOfReplaced(): void {
    for (const column of this.#base.all("Column")) {
      const needs = needsOf(column);
      if (
        needs.some((id) => this.#replaced.has(id)) &&
        this.#target.find(column.id) !== undefined
      ) {
        this.#touched.add(column.id);
      }
    }
  }

  /** The engine changes no column's type under a generated one. */
  #remakeGenerated(): void {
    for (const column of this.#base.all("Column")) {
      if (column.values.generated === undefined || this.#target.find(column.id) === undefined)
        continue;
      if (!needsOf(column).some((id) => this.#touched.has(id))) continue;
      this.#anew.add(column.id);
      this.#touched.add(column.id);
    }
  }

  #findDefaults(): void {
    for (const { id, kind, values } of this.#base.objects) {
      if (kind !== "Column" || values.default === undefined || this.#target.find(id) === undefined)
        continue;
      const needs = needsOf(this.#base.get(id));
      if (this.#touched.has(id) || needs.some((each) => this.#remade.has(each)))
        this.#defaults.add(id);
    }
  }

  /** What depends on something that goes, or is made again, goes and is made again itself. */
  #remakeDependents(): void {
    const isGone = (id: string): boolean =>
      this.#base.find(id) !== undefined &&
      (this.#target.find(id) === undefined ||
        this.#remade.has(id) ||
        this.#touched.has(id) ||
        this.#replaced.has(id));
    for (let size = -1; size < this.#remade.size;) {
      size = this.#remade.size;
      for (const object of this.#base.objects) {
        if (!REMAKEABLE.includes(object.kind) || this.#remade.has(object.id)) continue;
        if (this.#target.find(object.id) === undefined) continue;
        const needs = needsOf(object).filter((id) => id !== object.parent);
        // The engine itself takes keys and indexes along when a column's type changes.
        const isTaken = object.kind === "Index" || CONSTRAINTS.includes(object.kind);
        const matters = (id: string): boolean =>
          isGone(id) && !(isTaken && this.#isTypeChanged(id) && this.#isTakenAlong(object));
        if (needs.some(matters) || this.#remade.has(object.parent ?? ""))
          this.#remade.add(object.id);
      }
    }
  }

  #isTypeChanged(id: string): boolean {
    return this.#touched.has(id) && !this.#anew.has(id);
  }

  /** Keys on plain columns survive; what compares with a constant of the old type does not. */
  #isTakenAlong({ kind, values }: SchemaObject): boolean {
    if (
      kind === "CheckConstraint" ||
      kind === "ExclusionConstraint" ||
      kind === "ForeignKey" ||
      values.where !== undefined
    )
      return false;
    return !partsIn(values, "parts").some((part) => part.expression !== undefined);
  }

  #isDropped(object: SchemaObject): boolean {
    return this.#target.find(object.id) === undefined || this.#remade.has(object.id);
  }

  /** What must go before columns change; functions and types may still be needed by then. */
  #isEarly(object: SchemaObject): boolean {
    if (this.#remade.has(object.id)) return true;
    if (object.kind === "Table" || REMAKEABLE.includes(object.kind)) {
      return !isRoutine(object) || needsOf(object).some((id) => this.#isEarlyDrop(id));
    }
    return false;
  }

  #isEarlyDrop(id: string): boolean {
    const object = this.#base.find(id);
    return object !== undefined && object.kind === "Table" && this.#isDropped(object);
  }

  #drops(isNow: (object: SchemaObject) => boolean): readonly string[] {
    const gone = this.#base.objects.filter((object) => this.#isDropped(object) && isNow(object));
    return inDependencyOrder(this.#base, gone, true)
      .reverse()
      .filter((object) => this.#isDroppedBySaying(object))
      .map((object) => {
        const { renamed } = this.#renames;
        return drop(renamed, renamed.get(object.id));
      });
  }

  /** What goes with its table, or with the column it is owned by, is not said. */
  #isDroppedBySaying({ kind, parent = "", values, name }: SchemaObject): boolean {
    if (kind === "Column" || kind === "Database") return false;
    if (kind === "Schema" && name === "public") return false;
    const owner = idIn(values, "ownedBy");
    if (owner !== undefined && this.#isColumnGone(owner)) return false;
    const above = this.#base.find(parent);
    if (above === undefined || above.kind === "Schema" || above.kind === "Database") return true;
    return kind === "ForeignKey" || !this.#isDropped(above);
  }

  #isColumnGone(id: string): boolean {
    const column = this.#base.get(id);
    const table = this.#base.get(column.parent ?? "");
    return this.#target.find(id) === undefined || this.#isDropped(table) || this.#isMadeAnew(id);
  }

  #creations(...kinds: readonly Kind[]): readonly string[] {
    const isDomains = kinds.includes("Domain");
    const made = this.#target.objects.filter(
      (object) =>
        (this.#isOfDomain(object) ? isDomains : kinds.includes(object.kind)) &&
        (this.#base.find(object.id) === undefined ||
          this.#remade.has(object.id) ||
          this.#replaced.has(object.id)),
    );
    const replacements = this.#kept()
      .filter(
        ({ old, now }) =>
          kinds.includes(now.kind) && isReplaceable(old, now) && !this.#remade.has(now.id),
      )
      .filter(({ old, now }) => this.#changed(old, now).includes("definition"))
      .map(({ now }) => now);
    const all = inDependencyOrder(this.#target, [...made, ...replacements]);
    return all.flatMap((object) => this.#make(object));
  }

  /** What a domain checks is there before anybody uses it, for it cannot be added to all that do. */
  #isOfDomain({ kind, parent = "" }: SchemaObject): boolean {
    return CONSTRAINTS.includes(kind) && this.#target.get(parent).kind === "Domain";
  }

  #make(object: SchemaObject): readonly string[] {
    const isNew = this.#base.find(object.id) === undefined;
    const table = this.#base.find(object.parent ?? "");
    // Rows that are there already take time; those of a table that is made anew do not.
    const hasRows = isNew && table?.kind === "Table" && !this.#isDropped(table);
    const isPlain = table?.values.partitionKey === undefined;
    if (!hasRows || !isPlain) return create(this.#target, object);
    if (object.kind === "Index") {
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
    return this.#kept().flatMap(({ old, now }) => {
      if (now.kind !== "EnumType" || this.#replaced.has(now.id)) return [];
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
    return [...this.#replaced].map((id) => {
      const type = this.#target.get(id);
      return `ALTER TYPE ${qualified(this.#target, type)} RENAME TO ${quoteName(oldName(type))}`;
    });
  }

  /** A default that cannot be cast would stop a change of type, and keeps what it needs. */
  #dropDefault(id: string): readonly string[] {
    const [old, now] = [this.#base.get(id), this.#target.get(id)];
    if (old.values.default === undefined || this.#isMadeAnew(id)) return [];
    const table = this.#base.get(old.parent ?? "");
    if (this.#isDropped(table)) return [];
    return [
      `ALTER TABLE ${onOf(this.#target, now)} ALTER COLUMN ${quoteName(now.name ?? "")} DROP DEFAULT`,
    ];
  }

  #dropReplaced(): readonly string[] {
    return [...this.#replaced].map((id) => {
      const type = this.#target.get(id);
      const word = WORDS[type.kind] ?? "TYPE";
      return `DROP ${word} ${onOf(this.#target, type)}.${quoteName(oldName(type))}`;
    });
  }

  #isMadeAnew(id: string): boolean {
    return this.#anew.has(id);
  }

  #alterations(): readonly string[] {
    return this.#target.objects.flatMap((now) => {
      const old = this.#base.find(now.id);
      if (now.kind === "Table")
        return old === undefined || this.#remade.has(now.id) ? [] : this.#alterTable(old, now);
      if (old === undefined || this.#replaced.has(now.id)) return [];
      const changed = this.#changed(old, now);
      if (changed.length === 0) return [];
      const name = qualified(this.#target, now);
      if (now.kind === "CompositeType") return alterAttributes(name, old, now);
      if (now.kind === "Domain") return alterDomain(name, now, changed);
      if (now.kind === "Sequence" && changed.includes("sequenceOptions")) {
        const options = textOf(now.values, "sequenceOptions") ?? "";
        return [`ALTER SEQUENCE ${name} ${options}${restart(old, options)}`];
      }
      return [];
    });
  }

  #alterTable(old: SchemaObject, now: SchemaObject): readonly string[] {
    const name = qualified(this.#target, now);
    const columns = inOrder(this.#target.partsOf(now.id, "Column"));
    const gone = this.#base
      .partsOf(old.id, "Column")
      .filter(({ id }) => this.#target.find(id) === undefined || this.#isMadeAnew(id));
    return [
      ...rowSecurity(name, textOf(old.values, "rowSecurity"), textOf(now.values, "rowSecurity")),
      ...alterOptions(name, old, now),
      ...gone.map((column) => {
        return `ALTER TABLE ${name} DROP COLUMN ${quoteName(this.#renames.newName(column) ?? "")}`;
      }),
      ...columns.flatMap((column) => this.#alterColumn(name, column)),
      ...columns
        .filter(({ id }) => this.#base.find(id) === undefined || this.#isMadeAnew(id))
        .map((column) => `ALTER TABLE ${name} ADD COLUMN ${columnClause(column)}`),
    ];
  }

  #alterColumn(table: string, now: SchemaObject): readonly string[] {
    const old = this.#base.find(now.id);
    if (old === undefined || this.#isMadeAnew(now.id)) return [];
    const isReset = this.#defaults.has(now.id) && now.values.default !== undefined;
    const own = this.#changed(old, now);
    const changed: readonly PropertyName[] = isReset ? [...own, "default"] : own;
    const isTouched = this.#touched.has(now.id);
    if (changed.length === 0 && !isTouched) return [];
    const { now: statements, after, last } = alterColumn(table, old, now, changed, isTouched);
    this.#after.push(...after);
    this.#last.push(...last);
    return statements;
  }

  /** Owners, comments, grants, and what sequences go with. */
  #details(): readonly string[] {
    return this.#target.objects.flatMap((now) => {
      const kept = this.#base.find(now.id);
      const isFresh =
        kept === undefined ||
        this.#remade.has(now.id) ||
        this.#replaced.has(now.id) ||
        this.#isMadeAnew(now.id);
      const old = isFresh ? undefined : kept;
      const isPending = this.#after.some((sql) =>
        sql.includes(`CONCURRENTLY ${quoteName(now.name ?? "")} `),
      );
      const said: string[] = [];
      if (old?.values.owner !== now.values.owner) said.push(own(this.#target, now));
      if (old?.values.comment !== now.values.comment) {
        const text = comment(this.#target, now, textOf(now.values, "comment"));
        if (now.kind === "Index" && isPending) this.#last.push(text);
        else if (now.name !== "public" || old !== undefined) said.push(text);
      }
      const before = old === undefined ? [] : partsIn(old.values, "grants");
      if (!sameValue(before, now.values.grants ?? []))
        said.push(...grant(this.#target, now, before));
      if (now.kind === "Sequence" && !sameValue(old?.values.ownedBy, now.values.ownedBy)) {
        const owner = idIn(now.values, "ownedBy");
        const column = owner === undefined ? undefined : this.#target.get(owner);
        const by =
          column === undefined
            ? "NONE"
            : `${onOf(this.#target, column)}.${quoteName(column.name ?? "")}`;
        said.push(`ALTER SEQUENCE ${qualified(this.#target, now)} OWNED BY ${by}`);
      }
      return said;
    });
  }
}

function atomic(statements: readonly string[]): readonly Phase[] {
  return statements.length === 0
    ? []
    : [{ isAtomic: true, statements: [LOCK_TIMEOUT, ...statements] }];
}

/** What is said after everything is there. */
const DETAILS: readonly PropertyName[] = ["comment", "grants", "owner", "ownedBy"];

function isNewTable(property: PropertyName): boolean {
  return ["partitionKey", "partitionBound", "inherits"].includes(property);
}

function isNewColumn(property: PropertyName): boolean {
  return property === "generated" || property === "storage";
}

function alterOptions(name: string, old: SchemaObject, now: SchemaObject): readonly string[] {
  const [before, after] = [textOf(old.values, "options"), textOf(now.values, "options")];
  const isLogged = now.values.persistence === undefined;
  return [
    ...(old.values.persistence === now.values.persistence
      ? []
      : [`ALTER TABLE ${name} SET ${isLogged ? "LOGGED" : "UNLOGGED"}`]),
    ...(before === after || before === undefined
      ? []
      : [`ALTER TABLE ${name} RESET (${before.replaceAll(/=[^,]*/g, "")})`]),
    ...(before === after || after === undefined ? [] : [`ALTER TABLE ${name} SET (${after})`]),
  ];
}
