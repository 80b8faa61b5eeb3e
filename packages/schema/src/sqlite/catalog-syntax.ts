/** A column definition of CREATE TABLE. */
export interface ParsedColumn {
  readonly name: string;
  readonly type: string;
  readonly notNull?: { readonly name?: string; readonly conflict?: string };
  readonly default?: string;
  readonly collation?: string;
  readonly generated?: { readonly expression: string; readonly storage: string };
}

/** A column or table constraint. */
export type ParsedConstraint = ParsedKey | ParsedCheck | ParsedForeignKey;

interface Named {
  readonly name?: string;
}

export interface ParsedKey extends Named {
  readonly kind: "primary" | "unique";
  readonly columns: readonly ParsedPart[];
  readonly conflict?: string;
  readonly isAutoincrement: boolean;
}

export interface ParsedCheck extends Named {
  readonly kind: "check";
  readonly expression: string;
  readonly conflict?: string;
  /** For a column constraint: the name of its column. */
  readonly statedAt?: string;
}

export interface ParsedForeignKey extends Named {
  readonly kind: "foreign";
  readonly columns: readonly string[];
  readonly table: string;
  readonly targets: readonly string[];
  readonly onDelete?: string;
  readonly onUpdate?: string;
  readonly match?: string;
  readonly deferrable?: string;
}

/** A column or expression in a key or an index. */
export interface ParsedPart {
  /** The column's name; absent for an expression. */
  readonly column?: string;
  readonly expression: string;
  readonly collation?: string;
  readonly isDescending: boolean;
}

/** A parsed CREATE TABLE statement. */
export interface ParsedTable {
  readonly columns: readonly ParsedColumn[];
  readonly constraints: readonly ParsedConstraint[];
  readonly isStrict: boolean;
  readonly isWithoutRowid: boolean;
}

/** A parsed CREATE INDEX statement. */
export interface ParsedIndex {
  readonly isUnique: boolean;
  readonly parts: readonly ParsedPart[];
  readonly where?: string;
}

/** A parsed CREATE VIEW statement. */
export interface ParsedView {
  /** The list of column names, as text; absent when the query names the columns. */
  readonly columnNames?: string;
  /** The query. */
  readonly definition: string;
}

/** A parsed CREATE TRIGGER statement. */
export interface ParsedTrigger {
  readonly timing: "before" | "after" | "instead of";
  /** `INSERT`, or `UPDATE OF name, city`. */
  readonly event: string;
  readonly when?: string;
  /** From BEGIN to END. */
  readonly body: string;
}

/** A parsed CREATE VIRTUAL TABLE statement. */
export interface ParsedVirtualTable {
  /** The module with its arguments: `fts5(title, body)`. */
  readonly definition: string;
}

/**
 * Reads definitions from SQLite's catalog, which keeps them as the statements that made them. Each
 * method throws AppError `UNIMPLEMENTED` for a statement that SQLite accepts and the parser does
 * not.
 */
export interface CatalogSyntax {
  /** Reads a CREATE TABLE statement with columns. */
  table(sql: string): ParsedTable;
  virtualTable(sql: string): ParsedVirtualTable;
  index(sql: string): ParsedIndex;
  view(sql: string): ParsedView;
  trigger(sql: string): ParsedTrigger;
}
