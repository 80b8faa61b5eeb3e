import type {
  DataAccess,
  GeneratedColumn,
  TouchedData,
  TouchedTable,
} from "../../../governance/index.js";
import { readQueryTree, type TreeContents } from "./query-tree.js";
import type { CatalogFacts, OpaqueFunction, Relation } from "./reached-catalog.js";

/** Bits of `pg_trigger.tgtype`. */
const EVENTS = { insert: 4, delete: 8, update: 16 } as const;
/**
 * Accesses attributed to a function whose source names a table, because its real accesses are
 * unknown.
 */
const CHANGES = ["insert", "update", "delete"] as const;
/** Accesses that write rows, as a change of a table's definition may do. */
const WRITES_ROWS: ReadonlySet<DataAccess> = new Set<DataAccess>(["insert", "update", "define"]);
/** Stands for every column. */
const ALL = 0;

/**
 * What a statement touches, from its query tree and the catalog: views, partitions, inheritance
 * children, foreign keys with their actions, triggers, and tables that a function's source names.
 */
export class ReachedData {
  readonly #relations = new Map<number, Relation>();
  readonly #functions = new Map<number, OpaqueFunction>();
  readonly #inherits: { readonly child: number; readonly parent: number }[] = [];
  readonly #keys: CatalogFacts["keys"][number][] = [];
  readonly #triggers: CatalogFacts["triggers"][number][] = [];
  readonly #constraints: CatalogFacts["constraints"][number][] = [];
  readonly #expressions: CatalogFacts["expressions"][number][] = [];
  /** The columns that each UPDATE in the statement sets, because another one may set others. */
  readonly #updates: { readonly relation: number; readonly columns: ReadonlySet<number> }[] = [];
  /** User-defined types of the statement's values. */
  readonly #types = new Set<number>();
  readonly #domains = new Set<number>();
  readonly #called = new Set<number>();
  readonly #touched = new Map<number, Map<DataAccess, Set<number>>>();
  /** Relations that are only looked up because others inherit from them. */
  readonly #above = new Set<number>();
  #additions = 0;
  /** Whether deletions reach every table with a foreign key, whatever its action. */
  #isCascade = false;

  addTree({ relations, functions, ownTypes }: TreeContents): void {
    for (const [relation, accesses] of relations) {
      for (const [access, columns] of accesses) this.#add(relation, access, columns);
      const updated = accesses.get("update");
      if (updated !== undefined) this.#updates.push({ relation, columns: updated });
    }
    for (const called of functions) this.#call(called);
    for (const type of ownTypes) this.#types.add(type);
  }

  /**
   * Adds a table that a statement names but that its tree does not contain: the statement concerns
   * the table's definition.
   */
  addNamed(relation: number, access: DataAccess): void {
    if (!this.#touched.has(relation)) this.#add(relation, access, [ALL]);
  }

  /** Adds a function that a change of the schema may call. */
  addCall(called: number): void {
    this.#call(called);
  }

  /** Adds the loss of all rows of a table that is dropped, after everything else was followed. */
  addDropped(relation: number): void {
    this.#add(relation, "delete", []);
  }

  /** Adds a table whose rows are deleted together with those of all tables that refer to it. */
  addTruncated(relation: number): void {
    this.#isCascade = true;
    this.#add(relation, "delete", []);
  }

  addFacts(facts: CatalogFacts): void {
    for (const relation of facts.relations) this.#relations.set(relation.oid, relation);
    for (const called of facts.functions) this.#functions.set(called.oid, called);
    this.#inherits.push(...facts.inherits);
    this.#keys.push(...facts.keys);
    this.#triggers.push(...facts.triggers);
    this.#constraints.push(...facts.constraints);
    this.#expressions.push(...facts.expressions);
    for (const domain of facts.domains) this.#domains.add(domain);
  }

  /** Follows related objects until none is new. */
  follow(): void {
    while (this.#followOnce());
    for (const { child, parent } of this.#inherits) {
      if (this.#touched.has(child) || this.#above.has(child)) this.#above.add(parent);
    }
  }

  /** @returns whether something was added. */
  #followOnce(): boolean {
    const before = this.#additions;
    for (const [relation, accesses] of [...this.#touched]) {
      this.#followDefinition(relation);
      for (const [access, columns] of [...accesses]) {
        this.#followGenerated(relation, access, columns);
        this.#followChildren(relation, access, columns);
        this.#followKeys(relation, access, columns);
        this.#followTriggers(relation, access, columns);
        if (access === "update") this.#followConstraints(relation, columns);
        if (access === "insert") this.#followDefaults(relation, columns);
        if (WRITES_ROWS.has(access)) this.#followExpressions(relation);
      }
    }
    for (const { relation, columns } of this.#updates) this.#followConstraints(relation, columns);
    for (const type of this.#types) this.#followExpressions(type);
    for (const called of [...this.#called]) this.#followFunction(called);
    return this.#additions > before;
  }

  get relations(): readonly number[] {
    return [...new Set([...this.#touched.keys(), ...this.#above])];
  }

  get functions(): readonly number[] {
    return [...this.#called];
  }

  get types(): readonly number[] {
    return [...this.#types];
  }

  get domains(): readonly number[] {
    return [...this.#domains];
  }

  list(): TouchedData {
    const tables = new Map(this.#touched);
    for (const [oid, accesses] of this.#touched) this.#addAncestors(oid, accesses, tables);
    return {
      tables: [...tables].flatMap(([oid, accesses]) => {
        const relation = this.#relations.get(oid);
        return relation === undefined
          ? []
          : [toTable(relation, accesses, this.#generatedOf(relation))];
      }),
      functions: [...this.#functions.values()].map(({ name }) => name),
    };
  }

  #followDefinition(oid: number): void {
    const tree = this.#relations.get(oid)?.tree;
    if (typeof tree !== "string") return;
    const { relations, functions, ownTypes } = readQueryTree(tree);
    for (const type of ownTypes) this.#types.add(type);
    for (const [relation, accesses] of relations) {
      this.#add(relation, "read", accesses.get("read") ?? []);
    }
    for (const called of functions) this.#call(called);
  }

  /** Reading a generated column reads what it is computed from. */
  #followGenerated(oid: number, access: DataAccess, columns: ReadonlySet<number>): void {
    for (const { number, from } of this.#relations.get(oid)?.columns ?? []) {
      if (columns.has(number)) this.#add(oid, access, from ?? []);
    }
  }

  #followChildren(oid: number, access: DataAccess, columns: ReadonlySet<number>): void {
    for (const { child, parent } of this.#inherits) {
      if (parent === oid) this.#add(child, access, this.#sameColumns(oid, child, columns));
    }
  }

  #followKeys(oid: number, access: DataAccess, changed: ReadonlySet<number>): void {
    for (const { child, columns, parent, keys, deleted, updated } of this.#keys) {
      const isOf = (own: readonly number[]): boolean =>
        changed.has(ALL) || own.some((column) => changed.has(column));
      if (child === oid && (access === "insert" || (access === "update" && isOf(columns)))) {
        this.#add(parent, "read", keys);
      }
      if (parent !== oid) continue;
      if (access === "delete" || (access === "update" && isOf(keys))) {
        this.#add(child, "read", columns);
        const action = access === "delete" ? deleted : updated;
        const isDeleted = access === "delete" && (action === "c" || this.#isCascade);
        if (isDeleted) this.#add(child, "delete", []);
        else if ("cnd".includes(action)) this.#add(child, "update", columns);
      }
    }
  }

  #followTriggers(oid: number, access: DataAccess, changed: ReadonlySet<number>): void {
    if (access === "read" || access === "define") return;
    for (const { table, events, function: called, fromNew, fromOld } of this.#triggers) {
      if (table !== oid || (events & EVENTS[access]) === 0) continue;
      this.#call(called);
      // The new row has values of the statement, and in an UPDATE also others.
      const kept = access === "update" ? besides(fromNew, changed) : [];
      if (access !== "insert") this.#addRead(oid, [...fromOld, ...kept]);
    }
  }

  /**
   * An UPDATE succeeds or fails by the other columns of the constraints, indexes and generated columns for which it
   * changes a column.
   */
  #followConstraints(oid: number, changed: ReadonlySet<number>): void {
    const sources = new Map(
      this.#relations.get(oid)?.columns.map(({ number, from }) => [number, from]),
    );
    const constrained = this.#constraints.flatMap(({ table, columns }) =>
      table === oid ? [columns.flatMap((column) => sources.get(column) ?? [column])] : [],
    );
    const computed = [...sources.values()].filter((from) => from !== null);
    for (const columns of [...constrained, ...computed]) {
      const isChanged = columns.some((column) => changed.has(column));
      if (isChanged) this.#addRead(oid, besides(columns, changed));
    }
  }

  /** An INSERT succeeds or fails by the defaults in unique indexes with expressions or a condition. */
  #followDefaults(oid: number, inserted: ReadonlySet<number>): void {
    for (const { table, columns, isPartlyUnique } of this.#constraints) {
      if (table === oid && isPartlyUnique) this.#addRead(oid, besides(columns, inserted));
    }
  }

  #followExpressions(oid: number): void {
    for (const { owner, function: called } of this.#expressions) {
      if (owner === oid) this.#call(called);
    }
  }

  #followFunction(oid: number): void {
    const called = this.#functions.get(oid);
    if (called === undefined) return;
    for (const relation of called.relations) {
      this.#add(relation, "read", [ALL]);
      if (called.isVolatile) for (const change of CHANGES) this.#add(relation, change, [ALL]);
    }
    for (const other of called.functions) this.#call(other);
  }

  /** An access to a partition is also an access to the partitioned table. */
  #addAncestors(
    oid: number,
    accesses: ReadonlyMap<DataAccess, ReadonlySet<number>>,
    tables: Map<number, Map<DataAccess, Set<number>>>,
  ): void {
    for (const { child, parent } of this.#inherits) {
      if (child !== oid) continue;
      const known = tables.get(parent) ?? new Map<DataAccess, Set<number>>();
      for (const [access, columns] of accesses) {
        const same = this.#sameColumns(child, parent, columns);
        known.set(access, new Set([...(known.get(access) ?? []), ...same]));
      }
      tables.set(parent, known);
      this.#addAncestors(parent, known, tables);
    }
  }

  /** With the columns of its parts, whose expressions may be others. */
  #generatedOf({ oid, columns }: Relation): readonly GeneratedColumn[] {
    const parts = this.#inherits.flatMap(({ child, parent }) => {
      const part = parent === oid ? this.#relations.get(child) : undefined;
      return part === undefined ? [] : this.#generatedOf(part);
    });
    const own = columns.flatMap(({ name, from }) =>
      from === null ? [] : [{ name, from: namesOf(columns, new Set(from)) }],
    );
    return [...own, ...parts];
  }

  #sameColumns(from: number, to: number, columns: ReadonlySet<number>): readonly number[] {
    const [source, target] = [this.#relations.get(from), this.#relations.get(to)];
    // Known in the next iteration.
    if (source === undefined || target === undefined) return [];
    return [...columns].flatMap((number) => {
      if (number === ALL) return [ALL];
      const name = source.columns.find((column) => column.number === number)?.name;
      return target.columns.find((column) => column.name === name)?.number ?? [];
    });
  }

  #call(oid: number): void {
    if (this.#called.has(oid)) return;
    this.#called.add(oid);
    this.#additions += 1;
  }

  /** Without columns, nothing is read. */
  #addRead(oid: number, columns: readonly number[]): void {
    if (columns.length > 0) this.#add(oid, "read", columns);
  }

  #add(oid: number, access: DataAccess, columns: Iterable<number>): void {
    const accesses = this.#touched.get(oid) ?? new Map<DataAccess, Set<number>>();
    const known = accesses.get(access);
    const all = known ?? new Set<number>();
    const before = all.size;
    for (const column of columns) all.add(column);
    this.#touched.set(oid, accesses.set(access, all));
    if (known === undefined || all.size > before) this.#additions += 1;
  }
}

function besides(columns: readonly number[], changed: ReadonlySet<number>): readonly number[] {
  return changed.has(ALL) ? [] : columns.filter((column) => !changed.has(column));
}

function toTable(
  { name, schema, columns }: Relation,
  accesses: ReadonlyMap<DataAccess, ReadonlySet<number>>,
  generated: readonly GeneratedColumn[],
): TouchedTable {
  const named = [...accesses].map(
    ([access, numbers]) => [access, namesOf(columns, numbers)] as const,
  );
  return {
    ...{ name, schema },
    accesses: Object.fromEntries(named),
    columns: columns.map((column) => column.name),
    ...(generated.length === 0 ? {} : { generated }),
  };
}

function namesOf(columns: Relation["columns"], numbers: ReadonlySet<number>): readonly string[] {
  return columns.flatMap(({ number, name }) =>
    numbers.has(ALL) || numbers.has(number) ? [name] : [],
  );
}
