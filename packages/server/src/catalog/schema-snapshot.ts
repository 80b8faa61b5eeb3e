import { createHash } from "node:crypto";
import type { Dialect } from "../governance/index.js";
import { CATALOG_TABLES_MAX } from "./limits.js";
import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { relationsOf, type Schema } from "@steward/schema";
import { type CatalogTable, catalogTable, lookupName } from "./catalog-table.js";
import { type JoinGraph, joinGraph } from "./join-paths.js";
import type { SourceNotes } from "./ports.js";
import { WordIndex } from "./search/word-index.js";

/** The tables of one version of a data source's schema, ready to be searched. */
export class SchemaSnapshot {
  /** SHA-256 of the tables, in hexadecimal; the same as long as nothing of them changes. */
  readonly version: string;
  readonly dialect: Dialect;
  readonly tables: readonly CatalogTable[];
  readonly words: WordIndex;
  readonly joins: JoinGraph;
  readonly #numbers: ReadonlyMap<string, number>;
  /** Values that were read, by fingerprint and column. */
  readonly #values = new Map<string, ReadonlyMap<string, readonly string[]>>();

  private constructor(tables: readonly CatalogTable[], dialect: Dialect, words: WordIndex) {
    this.version = versionOf(tables);
    this.dialect = dialect;
    this.tables = tables;
    this.words = words;
    this.joins = joinGraph(tables);
    this.#numbers = new Map(tables.map(({ name }, number) => [name.toLowerCase(), number]));
  }

  /**
   * The snapshot of a schema.
   * @param earlier snapshot of the same data source: returned as it is when no table has changed;
   * otherwise the values that were read of unchanged tables are used again.
   */
  static *of(
    schema: Schema,
    notes: SourceNotes | undefined,
    earlier: SchemaSnapshot | undefined,
  ): Pausing<SchemaSnapshot> {
    const relations = yield* relationsOf(schema);
    const tables: CatalogTable[] = [];
    for (const relation of relations.slice(0, CATALOG_TABLES_MAX)) {
      yield;
      tables.push(catalogTable(relation, notes));
    }
    if (earlier?.version === versionOf(tables)) return earlier;
    const words = yield* WordIndex.of(tables);
    const snapshot = new SchemaSnapshot(tables, schema.dialect, words);
    for (const [number, { fingerprint }] of tables.entries()) {
      const values = earlier?.valuesOf(fingerprint);
      if (values !== undefined) snapshot.learn(number, values);
    }
    return snapshot;
  }

  /** The number of the table of this name, in any case. */
  find(name: string): number | undefined {
    return this.#numbers.get(lookupName(name, this.dialect));
  }

  /** The tables that a name without a schema may mean, because they are in other schemas. */
  inOtherSchemas(name: string): readonly number[] {
    const ending = `.${lookupName(name, this.dialect)}`;
    return [...this.#numbers].flatMap(([each, number]) => (each.endsWith(ending) ? [number] : []));
  }

  /** The values that were read of a table, by column. */
  valuesOf(fingerprint: string): ReadonlyMap<string, readonly string[]> | undefined {
    return this.#values.get(fingerprint);
  }

  /** Makes values that were read of a table's columns known to searches. */
  learn(number: number, values: ReadonlyMap<string, readonly string[]>): void {
    const table = this.tables[number];
    if (table === undefined) return;
    const known = this.#values.get(table.fingerprint) ?? new Map<string, readonly string[]>();
    for (const [column, own] of values) {
      if (!known.has(column)) this.words.addValues(number, column, own);
    }
    this.#values.set(table.fingerprint, new Map([...known, ...values]));
  }
}

function versionOf(tables: readonly CatalogTable[]): string {
  const hash = createHash("sha256");
  for (const { fingerprint } of tables) hash.update(fingerprint);
  return hash.digest("hex");
}
