import type { Schema, SchemaObject } from "@steward/schema";

/** Kinds of objects that statements name, apart from columns. */
export type ObjectKind =
  | "table"
  | "view"
  | "materialized view"
  | "sequence"
  | "index"
  | "constraint"
  | "trigger"
  | "policy"
  | "type"
  | "function"
  | "trigger function"
  | "schema";

/** An object of a data source that has a name. */
export interface KnownObject {
  readonly kind: ObjectKind;
  readonly name: string;
  /** On PostgreSQL; absent for a schema. */
  readonly schemaName?: string;
  /** The table that it belongs to, by the name that {@link KnownTables} knows. */
  readonly table?: string;
  /** What a CHECK demands of every row. */
  readonly condition?: string;
  /** The parameters of a function, in parentheses. */
  readonly parameters?: string;
}

const KINDS: Readonly<Partial<Record<SchemaObject["kind"], ObjectKind>>> = {
  Table: "table",
  VirtualTable: "table",
  View: "view",
  MaterializedView: "materialized view",
  Sequence: "sequence",
  Index: "index",
  PrimaryKey: "constraint",
  UniqueConstraint: "constraint",
  CheckConstraint: "constraint",
  ForeignKey: "constraint",
  ExclusionConstraint: "constraint",
  Trigger: "trigger",
  Policy: "policy",
  EnumType: "type",
  CompositeType: "type",
  RangeType: "type",
  Domain: "type",
  Function: "function",
  Procedure: "function",
  Aggregate: "function",
  Schema: "schema",
};

/** The named objects of a schema, partitions included. */
export function knownObjectsOf(schema: Schema): readonly KnownObject[] {
  return schema.objects.flatMap((object) => {
    const kind = object.values.returns === "trigger" ? "trigger function" : KINDS[object.kind];
    return kind === undefined || object.name === undefined
      ? []
      : [
          {
            kind,
            ...nameOf(kind, object.name),
            ...placeOf(schema, object),
            ...conditionOf(object),
          },
        ];
  });
}

/** Functions have their parameters in their names. */
function nameOf(kind: ObjectKind, name: string): Pick<KnownObject, "name" | "parameters"> {
  const open = kind.endsWith("function") ? name.indexOf("(") : -1;
  return open === -1 ? { name } : { name: name.slice(0, open), parameters: name.slice(open) };
}

function placeOf(
  schema: Schema,
  { parent, values }: SchemaObject,
): Pick<KnownObject, "schemaName" | "table"> {
  // An index of SQLite is a part of the database, and names its table.
  const owner = schema.find(values.on?.ref ?? parent);
  const isOwned = owner !== undefined && owner.kind !== "Schema" && owner.kind !== "Database";
  const above = isOwned ? schema.find(owner.parent) : owner;
  const schemaName = above?.kind === "Schema" ? above.name : undefined;
  return {
    ...(schemaName === undefined ? {} : { schemaName }),
    ...(isOwned && owner.name !== undefined ? { table: pathIn(schemaName, owner.name) } : {}),
  };
}

function conditionOf({ kind, values }: SchemaObject): Pick<KnownObject, "condition"> {
  if (kind !== "CheckConstraint") return {};
  const condition = values.expression ?? conditionIn(values.definition ?? "");
  return condition === undefined ? {} : { condition };
}

/** The condition of `CHECK ((total > 0)) NOT VALID`, which the server puts in parentheses once more. */
function conditionIn(definition: string): string | undefined {
  return /^CHECK \(\((.*)\)\)(?: NO INHERIT)?(?: NOT VALID)?(?: NOT ENFORCED)?$/s.exec(
    definition,
  )?.[1];
}

/** A relation's name as statements have it: `public` is left out. */
function pathIn(schemaName: string | undefined, name: string): string {
  return schemaName === undefined || schemaName === "public" ? name : `${schemaName}.${name}`;
}
