import type { SchemaTableDelta } from "../plans/index.js";

/**
 * One table as `table_def_json` describes it (Decision §11). Keys are always there, in this order;
 * lists are in the table's own order.
 */
export interface TableDefinition {
  readonly kind: "table" | "view" | "virtual";
  readonly columns: readonly ColumnDefinition[];
  /** Columns of the primary key, in its order; empty when there is none. */
  readonly primary_key: readonly string[];
  readonly foreign_keys: readonly ForeignKeyDefinition[];
  /** Columns of each UNIQUE constraint. */
  readonly unique: readonly (readonly string[])[];
  /** Indexes made by CREATE INDEX. */
  readonly indexes: readonly IndexDefinition[];
  /** The statement that made it: checks stand only there. PostgreSQL's is written anew. */
  readonly sql: string;
}

/** One column of a {@link TableDefinition}. */
export interface ColumnDefinition {
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
export interface ForeignKeyDefinition {
  readonly columns: readonly string[];
  /** `columns` is empty where the key names none: the other table's primary key is meant. */
  readonly references: { readonly table: string; readonly columns: readonly string[] };
  readonly on_update: string;
  readonly on_delete: string;
}

/** One index of a {@link TableDefinition}. */
export interface IndexDefinition {
  readonly name: string;
  /** Null stands for an expression. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  /** It holds only the rows of its WHERE. */
  readonly partial: boolean;
}

/** JSON text of every table and view by name; the engine's own and ours left out. */
export type SchemaSnapshot = ReadonlyMap<string, string>;

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
