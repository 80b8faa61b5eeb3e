import type { Dialect } from "../../governance/index.js";
import { writtenName } from "../../kernel/written-name.js";
import type { Relation, RelationKey } from "@steward/schema";
import type { KnownObject } from "./known-objects.js";

/** A foreign key seen from one of its two tables. */
export interface KeyEdge {
  readonly from: Relation;
  readonly to: Relation;
  /** Columns of `from` and of `to`, by position. */
  readonly pairs: readonly (readonly [from: string, to: string])[];
  /** Whether `from` refers to `to`; otherwise `to` refers to `from`. */
  readonly isReference: boolean;
}

/** The tables of a data source, by the names that statements use. */
export class KnownTables {
  readonly dialect: Dialect;
  readonly all: readonly Relation[];
  /** Everything that has a name, tables and partitions included. */
  readonly objects: readonly KnownObject[];
  readonly #byName: ReadonlyMap<string, Relation>;
  readonly #edges = new Map<Relation, KeyEdge[]>();

  constructor(
    relations: readonly Relation[],
    dialect: Dialect,
    objects: readonly KnownObject[] = [],
  ) {
    this.dialect = dialect;
    this.all = relations;
    this.objects = objects;
    this.#byName = new Map(relations.map((table) => [table.name.toLowerCase(), table]));
    for (const from of relations) {
      for (const key of from.foreignKeys) {
        const to = this.#byName.get(key.target.toLowerCase());
        const pairs = to && pairsOf(key, to);
        if (to === undefined || pairs === undefined) continue;
        this.#add({ from, to, pairs, isReference: true });
        const back = pairs.map(([own, other]) => [other, own] as const);
        this.#add({ from: to, to: from, pairs: back, isReference: false });
      }
    }
  }

  /** @param name as written, without quotes; on PostgreSQL with or without `public`. */
  find(name: string): Relation | undefined {
    const lower = name.toLowerCase();
    const plain = this.dialect === "postgres" ? lower.replace(/^public\./, "") : lower;
    return this.#byName.get(plain.replace(/^main\./, ""));
  }

  /** The foreign keys from and to a table. */
  edgesOf(table: Relation): readonly KeyEdge[] {
    return this.#edges.get(table) ?? [];
  }

  /** The foreign keys between two tables, seen from the first. */
  edgesBetween(from: Relation, to: Relation): readonly KeyEdge[] {
    return this.edgesOf(from).filter((edge) => edge.to === to);
  }

  /** Whether the engine takes a name, as it reads it, for that of an object: SQLite ignores case. */
  isSame(read: string, name: string): boolean {
    return (
      read === name || (this.dialect === "sqlite" && read.toLowerCase() === name.toLowerCase())
    );
  }

  /** A name as a statement of this dialect writes it: quoted where that is needed. */
  written(name: string): string {
    return writtenName(name, this.dialect);
  }

  /** A table as a statement of this dialect writes it, with its schema where that is needed. */
  writtenTable({ name, bareName }: Relation): string {
    const schema = name.endsWith(`.${bareName}`) ? name.slice(0, -bareName.length - 1) : "";
    const table = this.written(bareName);
    return schema === "" ? table : `${this.written(schema)}.${table}`;
  }

  #add(edge: KeyEdge): void {
    const edges = this.#edges.get(edge.from);
    if (edges === undefined) this.#edges.set(edge.from, [edge]);
    else edges.push(edge);
  }
}

function pairsOf(
  { columns, targetColumns: written }: RelationKey,
  { primaryKey }: Relation,
): KeyEdge["pairs"] | undefined {
  // In SQLite a key that names no columns refers to the primary key.
  const targetColumns = written.length > 0 ? written : primaryKey;
  if (columns.length === 0 || columns.length !== targetColumns.length) return undefined;
  return columns.map((column, index) => [column, targetColumns[index] ?? ""]);
}

type RelationColumn = Relation["columns"][number];

/** The columns of each table that was asked about, by name in lower case. */
const columnsByName = new WeakMap<Relation, ReadonlyMap<string, RelationColumn>>();

/** The column of this name, in any case. */
export function columnNamed(table: Relation, name: string): RelationColumn | undefined {
  let columns = columnsByName.get(table);
  if (columns === undefined) {
    // Of names that differ in case, the first one counts.
    const reversed = table.columns.toReversed();
    columns = new Map(reversed.map((column) => [column.name.toLowerCase(), column]));
    columnsByName.set(table, columns);
  }
  return columns.get(name.toLowerCase());
}

/** Whether columns are a primary or unique key of their table. */
export function isKey(table: Relation, columns: readonly string[]): boolean {
  const sorted = (names: readonly string[]): string => JSON.stringify(names.toSorted());
  return [table.primaryKey, ...table.uniqueKeys].some((key) => sorted(key) === sorted(columns));
}

/** Whether columns contain a primary or unique key of their table. */
export function holdsKey(table: Relation, columns: readonly string[]): boolean {
  const lower = new Set(columns.map((name) => name.toLowerCase()));
  return [table.primaryKey, ...table.uniqueKeys].some(
    (key) => key.length > 0 && key.every((name) => lower.has(name.toLowerCase())),
  );
}
