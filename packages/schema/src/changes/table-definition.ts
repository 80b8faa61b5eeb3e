import { inOrder } from "../model/column-order.js";
import { CONSTRAINTS } from "../postgres/objects/names.js";
import { LockedTables } from "../postgres/locks/locked-tables.js";
import { addConstraint } from "../postgres/constraints.js";
import { create } from "../postgres/statements.js";
import {
  isPostgres,
  isSqlite,
  nameOf,
  type PartOf,
  type Schema,
  type SchemaObject,
} from "../model/schema.js";
import { createTable, createView, createVirtualTable } from "../sqlite/statements.js";

/**
 * One table or view in the format of `table_def_json` (Decision §11). All keys are always present,
 * in this order; lists are in the table's own order.
 */
export interface TableDefinition {
  readonly kind: "table" | "view" | "virtual";
  readonly columns: readonly ColumnDefinition[];
  /** Columns of the primary key, in key order; empty without one. */
  readonly primary_key: readonly string[];
  readonly foreign_keys: readonly ForeignKeyDefinition[];
  /** Columns of each UNIQUE constraint. */
  readonly unique: readonly (readonly string[])[];
  /** Indexes made by CREATE INDEX. */
  readonly indexes: readonly IndexDefinition[];
  /**
   * The statements that create it, without its indexes. They are the only source of CHECK
   * constraints.
   */
  readonly sql: string;
}

/** One column of a {@link TableDefinition}. */
export interface ColumnDefinition {
  readonly name: string;
  /** Empty when the column has no declared type. */
  readonly type: string;
  readonly not_null: boolean;
  /** SQL text of the default, or null. */
  readonly default: string | null;
  /** Counted from 1; 0 outside the primary key. */
  readonly primary_key_position: number;
  readonly generated: "virtual" | "stored" | null;
}

/** One foreign key of a {@link TableDefinition}. */
export interface ForeignKeyDefinition {
  readonly columns: readonly string[];
  /** `columns` is empty when the key names none and the other table has no primary key. */
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
  /** Whether the index covers only the rows of a WHERE clause. */
  readonly partial: boolean;
}

/** Describes a table, a view or a virtual table. */
export function definitionOf(schema: Schema, relation: SchemaObject): TableDefinition {
  const [primary] = schema.partsOf(relation.id, "PrimaryKey");
  const key = primary === undefined ? [] : namesIn(schema, primary.values.columns);
  const kinds = { Table: "table", VirtualTable: "virtual" } as const;
  return {
    kind:
      relation.kind === "Table" || relation.kind === "VirtualTable" ? kinds[relation.kind] : "view",
    columns: columnsOf(schema, relation, key),
    primary_key: key.flatMap((name) => name ?? []),
    foreign_keys: schema
      .partsOf(relation.id, "ForeignKey")
      .map((foreign) => foreignKeyOf(schema, foreign)),
    unique: schema
      .partsOf(relation.id, "UniqueConstraint")
      .map(({ values }) => namesIn(schema, values.columns).flatMap((name) => name ?? [])),
    indexes: schema
      .all("Index")
      .filter((index) => relationOf(index) === relation.id)
      .map((index) => indexOf(schema, index)),
    sql: sqlOf(schema, relation),
  };
}

/**
 * A relation's name as an agent writes it: relations of PostgreSQL's schema `public` are not
 * qualified.
 */
export function relationName(schema: Schema, object: SchemaObject): string {
  const { parent } = object;
  const name = nameOf(object);
  const above = parent === undefined ? undefined : schema.find(parent);
  return above?.kind === "Schema" && above.name !== "public" ? `${above.name}.${name}` : name;
}

/** The table or view that an index is on. */
export function relationOf({ values, parent }: SchemaObject): string | undefined {
  // The parent of an index is the database on SQLite, and its table on PostgreSQL.
  return values.on?.ref ?? parent;
}

/** The columns of a table or view in their order, inherited ones included. */
export function columnsOf(
  schema: Schema,
  relation: SchemaObject,
  key: readonly (string | undefined)[],
): readonly ColumnDefinition[] {
  const shown = (relation.values.shownColumns ?? []).map((part): ColumnDefinition => ({
    name: part.columnName,
    // SQLite does not tell the type of a computed column.
    type: part.type ?? "",
    not_null: false,
    default: null,
    primary_key_position: 0,
    generated: null,
  }));
  const inherited = (relation.values.inherits ?? []).flatMap((part) => {
    const above = schema.find(part.table.ref);
    return above === undefined ? [] : columnsOf(schema, above, key);
  });
  const own = inOrder(schema.partsOf(relation.id, "Column")).map((column) => columnOf(column, key));
  return [...shown, ...inherited, ...own];
}

function columnOf(
  { name, values }: SchemaObject<"Column">,
  key: readonly (string | undefined)[],
): ColumnDefinition {
  const identity = values.identity;
  const storage = values.storage;
  return {
    name,
    // The format has an empty text for a column that SQLite lets stand without a type.
    type: values.type ?? "",
    not_null: values.notNull === true,
    default:
      identity === undefined
        ? (values.default ?? null)
        : `GENERATED ${identity.toUpperCase()} AS IDENTITY`,
    primary_key_position: key.indexOf(name) + 1,
    generated: storage === "virtual" || storage === "stored" ? storage : null,
  };
}

/** A foreign key with the names of its columns on both sides. */
export function foreignKeyOf(schema: Schema, { values }: SchemaObject): ForeignKeyDefinition {
  const parts = values.columns ?? [];
  const target = schema.find(values.target?.ref);
  return {
    columns: namesIn(schema, parts).flatMap((name) => name ?? []),
    references: {
      // The schema does not contain the tables of extensions, so such a table has no name here.
      table: target === undefined ? (values.targetName ?? "") : relationName(schema, target),
      columns: parts.flatMap((part) => {
        const named = schema.find(part.targetColumn?.ref)?.name;
        return named ?? part.targetColumnName ?? [];
      }),
    },
    on_update: actionOf(values.onUpdate),
    on_delete: actionOf(values.onDelete),
  };
}

function actionOf(action: string | undefined): string {
  return (action ?? "no action").toUpperCase();
}

function indexOf(schema: Schema, { name, values }: SchemaObject<"Index">): IndexDefinition {
  return {
    name,
    columns: namesIn(schema, values.parts).map((column) => column ?? null),
    unique: values.isUnique === true,
    partial: values.where !== undefined,
  };
}

/** The columns of a list; undefined when one of its parts is an expression. */
export function namesIn(
  schema: Schema,
  parts: readonly ColumnPart[],
): readonly (string | undefined)[] {
  return parts.map(({ column, columnName }) => schema.find(column?.ref)?.name ?? columnName);
}

/** An entry of a list of columns. */
type ColumnPart = Partial<Pick<PartOf<"columns">, "column" | "columnName">>;

function sqlOf(schema: Schema, relation: SchemaObject): string {
  const { id } = relation;
  if (isPostgres(schema)) {
    const constraints = schema.partsOf(id, ...CONSTRAINTS);
    const tables = LockedTables.of(schema);
    const statements = [
      ...create(schema, schema.get(id), tables),
      ...constraints.map((constraint) => addConstraint(schema, constraint, tables)),
    ];
    return statements.map(({ sql }) => sql).join(";\n");
  }
  if (!isSqlite(schema)) return "";
  if (relation.kind === "Table") return createTable(schema, relation);
  if (relation.kind === "View") return createView(relation);
  return relation.kind === "VirtualTable" ? createVirtualTable(relation) : "";
}
