import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { MARKER_TABLE } from "../../marker-table.js";
import type {
  ColumnDefinition,
  ForeignKeyDefinition,
  SchemaSnapshot,
  TableDefinition,
} from "../../schema-deltas.js";

/** Reads the schema as it is within the current transaction. */
export function readSchema(db: DatabaseSyncInstance): SchemaSnapshot {
  const reader = new DefinitionReader(db);
  return new Map(
    reader.tables().map((table) => [table.name, JSON.stringify(reader.define(table))]),
  );
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
