import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SchemaTableDelta } from "../../../plans/index.js";
import { MARKER_TABLE } from "../marker-table.js";

/**
 * One table as `table_def_json` describes it (Decision §11). Keys are always there, in this order;
 * lists are in the table's own order.
 */
interface TableDefinition {
  readonly kind: "table" | "view" | "virtual";
  readonly columns: readonly ColumnDefinition[];
  /** Columns of the primary key, in its order; empty when there is none. */
  readonly primary_key: readonly string[];
  readonly foreign_keys: readonly ForeignKeyDefinition[];
  /** Columns of each UNIQUE constraint. */
  readonly unique: readonly (readonly string[])[];
  /** Indexes made by CREATE INDEX. */
  readonly indexes: readonly IndexDefinition[];
  /** The statement that made it: checks, collations and the author's comments stand only there. */
  readonly sql: string;
}

/** One column of a {@link TableDefinition}. */
interface ColumnDefinition {
  readonly name: string;
  /** As declared; empty when it was not. */
  readonly type: string;
  readonly not_null: boolean;
  /** SQL text of the default, or null. */
  readonly default: string | null;
  /** From 1; 0 outside the primary key. */
  readonly primary_key_position: number;
  readonly generated: "virtual" | "stored" | null;
}

/** One foreign key of a {@link TableDefinition}. */
interface ForeignKeyDefinition {
  readonly columns: readonly string[];
  /** `columns` is empty where the key names none: the other table's primary key is meant. */
  readonly references: { readonly table: string; readonly columns: readonly string[] };
  readonly on_update: string;
  readonly on_delete: string;
}

/** One index of a {@link TableDefinition}. */
interface IndexDefinition {
  readonly name: string;
  /** Null stands for an expression. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  /** It holds only the rows of its WHERE. */
  readonly partial: boolean;
}

/** JSON text of every table and view by name; the engine's own and ours left out. */
export type SchemaSnapshot = ReadonlyMap<string, string>;

/** Reads the schema as it is within the current transaction. */
export function readSchema(db: DatabaseSyncInstance): SchemaSnapshot {
  const reader = new DefinitionReader(db);
  return new Map(
    reader.tables().map((table) => [table.name, JSON.stringify(reader.define(table))]),
  );
}

/** What differs, by table name. */
export function compareSchemas(
  before: SchemaSnapshot,
  after: SchemaSnapshot,
): readonly SchemaTableDelta[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((tableName) => {
    const old = before.get(tableName);
    const now = after.get(tableName);
    if (now === old) return [];
    if (now === undefined) return [delta(tableName, "REMOVED", old ?? "")];
    return [delta(tableName, old === undefined ? "NEW" : "MODIFIED", now)];
  });
}

function delta(
  tableName: string,
  operation: SchemaTableDelta["operation"],
  tableDefJson: string,
): SchemaTableDelta {
  return { tableName, operation, tableDefJson };
}

interface TableRow {
  readonly name: string;
  readonly type: TableDefinition["kind"];
  readonly sql: string;
}

class DefinitionReader {
  readonly #db: DatabaseSyncInstance;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  tables(): readonly TableRow[] {
    return this.#rows<TableRow>(
      `SELECT t.name, t.type, s.sql FROM pragma_table_list t JOIN sqlite_schema s ON s.name = t.name
       WHERE t.schema = 'main' AND s.type IN ('table', 'view') AND t.type <> 'shadow'
         AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> ?`,
      MARKER_TABLE,
    );
  }

  define(table: TableRow): TableDefinition {
    const columns = this.#columns(table);
    const indexes = this.#indexes(table.name);
    return {
      kind: table.type,
      columns,
      primary_key: columns
        .filter((column) => column.primary_key_position > 0)
        .sort((a, b) => a.primary_key_position - b.primary_key_position)
        .map((column) => column.name),
      foreign_keys: this.#foreignKeys(table.name),
      unique: indexes
        .filter((index) => index.origin === "u")
        .map((index) => this.#indexColumns(index.name).flatMap((name) => name ?? [])),
      indexes: indexes
        .filter((index) => index.origin === "c")
        .map((index) => ({
          name: index.name,
          columns: this.#indexColumns(index.name),
          unique: index.unique === 1,
          partial: index.partial === 1,
        })),
      sql: table.sql,
    };
  }

  #columns(table: TableRow): readonly ColumnDefinition[] {
    return this.#columnRows(table)
      .filter((row) => row.hidden !== HIDDEN_VIRTUAL_TABLE_COLUMN)
      .map((row) => ({
        name: row.name,
        type: row.type,
        not_null: row.notnull === 1,
        default: row.dflt_value,
        primary_key_position: row.pk,
        generated: GENERATED[row.hidden] ?? null,
      }));
  }

  #columnRows(table: TableRow): readonly ColumnRow[] {
    try {
      return this.#rows<ColumnRow>("SELECT * FROM pragma_table_xinfo(?)", table.name);
    } catch (error) {
      // A view outlives the tables it reads from, but has no columns without them.
      if (table.type === "view") return [];
      throw error;
    }
  }

  #foreignKeys(table: string): readonly ForeignKeyDefinition[] {
    const rows = this.#rows<ForeignKeyRow>(
      "SELECT * FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq",
      table,
    );
    const keys = new Map<number, ForeignKeyRow[]>();
    for (const row of rows) keys.set(row.id, [...(keys.get(row.id) ?? []), row]);
    return [...keys.values()].flatMap((columns) => {
      const [first] = columns;
      if (first === undefined) return [];
      return {
        columns: columns.map((row) => row.from),
        references: { table: first.table, columns: columns.flatMap((row) => row.to ?? []) },
        on_update: first.on_update,
        on_delete: first.on_delete,
      };
    });
  }

  #indexes(table: string): readonly IndexRow[] {
    return this.#rows<IndexRow>(
      `SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY seq DESC`,
      table,
    );
  }

  #indexColumns(index: string): readonly (string | null)[] {
    return this.#rows<{ readonly name: string | null }>(
      "SELECT name FROM pragma_index_info(?) ORDER BY seqno",
      index,
    ).map((row) => row.name);
  }

  #rows<Row>(sql: string, name: string): readonly Row[] {
    // The column lists of SQLite's pragmas are part of its interface.
    return this.#db.prepare(sql).all(name) as Row[];
  }
}

const HIDDEN_VIRTUAL_TABLE_COLUMN = 1;
/** `hidden` of pragma_table_xinfo, for generated columns. */
const GENERATED: Readonly<Record<number, ColumnDefinition["generated"]>> = {
  2: "virtual",
  3: "stored",
};

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
  readonly hidden: number;
}

interface ForeignKeyRow {
  readonly id: number;
  readonly table: string;
  readonly from: string;
  readonly to: string | null;
  readonly on_update: string;
  readonly on_delete: string;
}

interface IndexRow {
  readonly name: string;
  readonly unique: number;
  readonly origin: "c" | "u" | "pk";
  readonly partial: number;
}
