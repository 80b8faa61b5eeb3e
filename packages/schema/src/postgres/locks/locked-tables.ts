import type { LockMode, TableLock, Work } from "../../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { lock } from "../commands.js";
import { needsOf } from "../objects/dependency-order.js";

/** The tables that a statement locks beside the one that it names. */
export class LockedTables {
  readonly #base: PostgresSchema;
  readonly #schemas: readonly PostgresSchema[];

  /** @param renamed the base schema after the script's renames, which are its first statements. */
  constructor(base: PostgresSchema, target: PostgresSchema, renamed: PostgresSchema) {
    this.#base = base;
    this.#schemas = [target, renamed, base];
  }

  /** The tables of a schema for which no script is planned. */
  static of(schema: PostgresSchema): LockedTables {
    return new LockedTables(schema, schema, schema);
  }

  /** The path of a table: in the target if the target has the table. */
  pathOf(id: string): string {
    for (const schema of this.#schemas) {
      const table = schema.find(id);
      if (table !== undefined) return schema.pathOf(table);
    }
    return "";
  }

  /** The table that a foreign key references. */
  referencedBy({ values }: PostgresObject, mode: LockMode, work?: Work): readonly TableLock[] {
    return values.target === undefined ? [] : [lock(this.pathOf(values.target.ref), mode, work)];
  }

  /** The partitions or inheritance children that a table had before. */
  partitionsOf(id: string): readonly PostgresObject[] {
    return this.#base
      .all("Table")
      .filter(({ values }) => (values.inherits ?? []).some((part) => part.table.ref === id));
  }

  /**
   * The default partition of a table. PostgreSQL scans it for rows that belong to a new partition.
   */
  defaultOf(id: string, work?: Work): readonly TableLock[] {
    return this.partitionsOf(id)
      .filter(({ values }) => values.partitionBound?.toUpperCase() === "DEFAULT")
      .map((partition) => lock(this.pathOf(partition.id), "ACCESS EXCLUSIVE", work));
  }

  /** Tables with a column of a domain. PostgreSQL scans them when the domain gets stricter. */
  withColumnsOf(domain: string): readonly TableLock[] {
    const tables = this.#base
      .all("Column")
      .filter((column) => needsOf(column).includes(domain))
      .map(({ parent }) => this.pathOf(parent));
    return [...new Set(tables)].map((table) => lock(table, "SHARE", "scan"));
  }

  /**
   * The tables that are locked when a table is dropped: those that its foreign keys reference, its
   * partitions, and for a partition its parent with the default partition.
   */
  droppedWith({ id, values }: PostgresObject): readonly TableLock[] {
    const keys = this.#base.partsOf(id, "ForeignKey");
    const parents = values.partitionBound === undefined ? [] : (values.inherits ?? []);
    const locks = [
      ...keys.flatMap((key) => this.referencedBy(key, "ACCESS EXCLUSIVE")),
      ...this.partitionsOf(id).map((each) => lock(this.pathOf(each.id), "ACCESS EXCLUSIVE")),
      ...parents.flatMap(({ table }) => [
        lock(this.pathOf(table.ref), "ACCESS EXCLUSIVE"),
        ...this.defaultOf(table.ref),
      ]),
    ];
    return [...new Map(locks.map((each) => [each.table, each])).values()];
  }
}
