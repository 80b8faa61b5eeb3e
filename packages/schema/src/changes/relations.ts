import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { indexBy, type ObjectIndex } from "../model/index-by.js";
import { nameOf, type Schema, type SchemaObject } from "../model/schema.js";
import { columnsOf, foreignKeyOf, namesIn, relationName, relationOf } from "./table-definition.js";

/** A column of a {@link Relation}. */
export interface RelationColumn {
  readonly name: string;
  /** As declared; empty when the column has no declared type. */
  readonly type: string;
  readonly isNotNull: boolean;
  /** Present where a row that names no value for it gets one. */
  readonly hasDefault?: true;
  /** The column's COMMENT. */
  readonly comment?: string;
  /** The values of the column's enum type, in their order. */
  readonly enumValues?: readonly string[];
}

/** A foreign key; `columns` and `targetColumns` correspond by position. */
export interface RelationKey {
  readonly columns: readonly string[];
  /** Name of the referenced table, as in {@link Relation.name}. */
  readonly target: string;
  readonly targetColumns: readonly string[];
}

/** A table or view, with the attributes that matter to an author of queries. */
export interface Relation {
  /**
   * The name in an agent's statement: relations of PostgreSQL's schema `public` are not qualified.
   */
  readonly name: string;
  /** On PostgreSQL the schema's name. */
  readonly schemaName?: string;
  /** Without the schema. */
  readonly bareName: string;
  readonly kind: "table" | "view";
  readonly comment?: string;
  readonly columns: readonly RelationColumn[];
  readonly primaryKey: readonly string[];
  /** Columns of each UNIQUE constraint and of each unique index over whole columns and all rows. */
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly foreignKeys: readonly RelationKey[];
  /** The conditions of CHECK constraints, as the engine stores them. */
  readonly checks: readonly string[];
}

/**
 * The tables and views of a schema. Partitions are left out, because queries use the partitioned
 * table.
 */
export function* relationsOf(schema: Schema): Pausing<readonly Relation[]> {
  const uniqueIndexes = indexBy(
    schema.all("Index").filter(({ values }) => values.isUnique === true && !values.where),
    relationOf,
  );
  const enums = new Map(
    schema
      .all("EnumType")
      .map((type) => [schema.pathOf(type), (type.values.labels ?? []).map(({ label }) => label)]),
  );
  const relations: Relation[] = [];
  for (const object of schema.objects) {
    yield;
    if (!RELATIONS.has(object.kind) || object.values.partitionBound) continue;
    relations.push(relationIn(schema, object, { uniqueIndexes, enums }));
  }
  return relations;
}

const RELATIONS: ReadonlySet<string> = new Set([
  ...["Table", "VirtualTable", "View", "MaterializedView"],
]);

/** Lookup tables of a schema, built once for all of its relations. */
interface Lookups {
  readonly uniqueIndexes: ObjectIndex;
  /** Values of each enum type, by its path. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

function relationIn(
  schema: Schema,
  object: SchemaObject,
  { uniqueIndexes, enums }: Lookups,
): Relation {
  const { id, parent, values } = object;
  const name = nameOf(object);
  const [primary] = schema.partsOf(id, "PrimaryKey");
  const keyColumns = (
    key: SchemaObject,
    list: "columns" | "parts",
  ): readonly string[] | undefined => {
    const names = namesIn(schema, key.values[list] ?? []);
    const known = names.flatMap((each) => each ?? []);
    return known.length === names.length ? known : undefined;
  };
  const primaryKey = (primary && keyColumns(primary, "columns")) ?? [];
  const above = parent === undefined ? undefined : schema.find(parent);
  const comments = commentsOf(schema, object);
  return {
    name: relationName(schema, object),
    bareName: name,
    ...(above?.kind === "Schema" ? { schemaName: above.name } : {}),
    kind: object.kind === "View" || object.kind === "MaterializedView" ? "view" : "table",
    ...commentIn(values.comment),
    columns: columnsOf(schema, object, primaryKey).map((column): RelationColumn => {
      // PostgreSQL writes the type of a column with quotes where they are needed.
      const enumValues = enums.get(column.type) ?? enums.get(column.type.replaceAll('"', ""));
      return {
        name: column.name,
        type: column.type,
        isNotNull: column.not_null,
        ...(column.default === null ? {} : { hasDefault: true }),
        ...commentIn(comments.get(column.name)),
        ...(enumValues === undefined ? {} : { enumValues }),
      };
    }),
    primaryKey,
    uniqueKeys: [
      ...schema.partsOf(id, "UniqueConstraint").flatMap((key) => {
        const columns = keyColumns(key, "columns");
        return columns === undefined ? [] : [columns];
      }),
      ...(uniqueIndexes.get(id) ?? []).flatMap((index) => {
        const columns = keyColumns(index, "parts");
        return columns === undefined ? [] : [columns];
      }),
    ],
    foreignKeys: schema.partsOf(id, "ForeignKey").map((key) => {
      const { columns, references } = foreignKeyOf(schema, key);
      return { columns, target: references.table, targetColumns: references.columns };
    }),
    checks: schema
      .partsOf(id, "CheckConstraint")
      .flatMap(({ values: check }) => check.expression ?? check.definition ?? []),
  };
}

/** The comments of a relation's columns, by column. */
function commentsOf(schema: Schema, { id, values }: SchemaObject): ReadonlyMap<string, string> {
  const own = schema.partsOf(id, "Column").map((column) => {
    return [column.name, column.values.comment] as const;
  });
  const details = (values.columnDetails ?? []).map((part) => {
    return [part.label, part.comment] as const;
  });
  return new Map(
    [...own, ...details].flatMap(([name, comment]) =>
      comment === undefined ? [] : [[name, comment] as const],
    ),
  );
}

function commentIn(comment: string | undefined): { readonly comment?: string } {
  return comment === undefined ? {} : { comment };
}
