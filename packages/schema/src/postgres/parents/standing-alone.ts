import {
  isOf,
  type Part,
  type PostgresObject,
  type PostgresSchema,
  Schema,
  type Value,
  type Values,
  values,
  without,
} from "../../model/schema.js";
import { inOrder } from "../../model/column-order.js";
import { Attachments } from "../objects/attachments.js";
import { CONSTRAINTS, isForeign } from "../objects/names.js";

/** The parts that a table inherits, with the ids that they get as its own parts. */
export type IdOfPart = (
  table: PostgresObject,
  kind: "Column" | "CheckConstraint",
  source: PostgresObject,
) => string;

/** A column of a table: its own or an inherited one, as it is in the table. */
interface ResolvedColumn {
  /** The column of the ancestor that declares it; the column itself when it is the table's own. */
  readonly source: PostgresObject<"Column">;
  readonly values: Values;
}

/**
 * Whether a table's ties to its parents can be cut and made by statements, so that the table keeps
 * its rows.
 */
export function canStandAlone(schema: PostgresSchema, table: PostgresObject): boolean {
  const { inherits = [], isDetachPending } = table.values;
  if (inherits.length === 0) return true;
  if (isForeign(table) || isDetachPending === true) return false;
  const columns = inheritedColumns(schema, table);
  if (columns.some(({ source }) => source.values.notNullState !== undefined)) return false;
  return table.values.partitionBound === undefined || !hasChosenIndexes(schema, table);
}

/** The columns and checks of ancestors that a table inherits. */
export function inheritedParts(
  schema: PostgresSchema,
  table: PostgresObject,
): readonly PostgresObject[] {
  const columns = inheritedColumns(schema, table).map(({ source }) => source);
  return [...columns, ...inheritedChecks(schema, table)];
}

/** Whether PostgreSQL would not attach the right indexes by itself. */
function hasChosenIndexes(schema: PostgresSchema, { id }: PostgresObject): boolean {
  const attachments = new Attachments(schema);
  return schema.partsOf(id).some((part) => {
    const whole = schema.find(part.values.attachedTo?.ref);
    return whole !== undefined && attachments.isAttachedOneByOne(whole);
  });
}

/**
 * The schema after some tables were detached from their parents: their inherited columns and checks
 * are their own, and their indexes and keys are attached to nothing.
 */
export function standingAlone(
  schema: PostgresSchema,
  tables: readonly PostgresObject[],
  idOf: IdOfPart,
): PostgresSchema {
  const ids = new Set(tables.map(({ id }) => id));
  const copies: Copy[] = [];
  const made = tables.flatMap((table) =>
    ownParts(schema, table, (of, kind, source) => {
      const id = idOf(of, kind, source);
      copies.push({ id, table: of.id, source: source.id });
      return id;
    }),
  );
  const columns = new Map<string, string>();
  for (const { id, kind, parent, name } of [...schema.objects, ...made]) {
    if (kind === "Column" && ids.has(parent)) columns.set(`${parent} ${name}`, id);
  }
  const objects = schema.objects.map((object) => {
    if (ids.has(object.id)) {
      return without(
        object,
        ...(["inherits", "partitionBound", "columnDetails", "columnGrants"] as const),
        ...(["triggerDetails", "constraintDetails"] as const),
      );
    }
    return withColumns(
      withCopies(ids.has(object.parent ?? "") ? without(object, "attachedTo") : object, copies),
      columns,
    );
  });
  return new Schema([...objects, ...made]);
}

/** A part of a table that stands alone, in place of a part that it inherited. */
interface Copy {
  readonly id: string;
  readonly table: string;
  readonly source: string;
}

/** Makes what depends on an inherited column depend on the table's own one. */
function withCopies(object: PostgresObject, copies: readonly Copy[]): PostgresObject {
  const needs = new Set((object.values.dependsOn ?? []).map(({ needs: { ref } }) => ref));
  const own = copies.filter(({ table, source }) => {
    return needs.has(source) && (needs.has(table) || object.parent === table);
  });
  if (own.length === 0) return object;
  const dependsOn = [...needs, ...own.map(({ id }) => id)].map((ref) => ({ needs: { ref } }));
  // The properties are the same.
  return { ...object, values: { ...object.values, dependsOn } } as PostgresObject;
}

/** The columns and checks that a table inherits, as parts of its own. */
function ownParts(
  schema: PostgresSchema,
  table: PostgresObject,
  idOf: IdOfPart,
): readonly PostgresObject[] {
  const details = table.values.constraintDetails ?? [];
  const columns = inheritedColumns(schema, table).map(({ source, values: resolved }) => ({
    ...source,
    ...{ id: idOf(table, "Column", source), parent: table.id, values: resolved },
  }));
  const checks = inheritedChecks(schema, table).map((source) => {
    const { definition, dependsOn } = source.values;
    const detail = details.find(({ label }) => label === source.name);
    const own = detail?.isValidated === true ? definition.replace(/ NOT VALID$/, "") : definition;
    const given = { definition: own, dependsOn, comment: detail?.comment };
    const id = idOf(table, "CheckConstraint", source);
    return { ...source, id, parent: table.id, values: values(given) };
  });
  // The properties are those of columns and checks.
  return [...columns, ...checks] as readonly object[] as readonly PostgresObject[];
}

/** The columns that a table inherits and that are not its own as well. */
function inheritedColumns(
  schema: PostgresSchema,
  table: PostgresObject,
): readonly ResolvedColumn[] {
  const { inherits = [], columnDetails = [], columnGrants = [] } = table.values;
  const own = new Set(schema.partsOf(table.id, "Column").map(({ name }) => name));
  const found = new Map<string, ResolvedColumn>();
  for (const { table: parent } of inherits) {
    for (const { source, values: above } of columnsOf(schema, schema.get(parent.ref))) {
      const { name } = source;
      if (own.has(name) || found.has(name)) continue;
      const detail = columnDetails.find(({ label }) => label === name);
      const { type, collation, storage, dependsOn } = above;
      const { comment, columnStorage, compression, statisticsTarget, options } = detail ?? {};
      const grants = columnGrants
        .filter(({ columnName }) => columnName === name)
        .map(({ columnName: _, ...grant }) => grant);
      const given = {
        ...{ type, collation, storage, dependsOn, position: found.size + 1 },
        ...{ comment, columnStorage, compression, statisticsTarget, options },
        generated: detail?.generated ?? above.generated,
        default: detail?.default === "NULL" ? undefined : (detail?.default ?? above.default),
        notNull: detail?.notNull ?? above.notNull,
        grants: grants.length === 0 ? undefined : grants,
      };
      found.set(name, { source, values: values(given) });
    }
  }
  return [...found.values()];
}

/** Inherited columns of which the parents have different defaults, so that CREATE TABLE must state one. */
export function disputedColumns(
  schema: PostgresSchema,
  table: PostgresObject,
): readonly PostgresObject<"Column">[] {
  const { inherits = [] } = table.values;
  if (inherits.length < 2) return [];
  const above = inherits.flatMap((part) => columnsOf(schema, schema.get(part.table.ref)));
  return inheritedColumns(schema, table).flatMap(({ source, values: own }) => {
    const same = above.filter((column) => column.source.name === source.name);
    const defaults = new Set(
      same.map(({ values: had }) => JSON.stringify([had.default, had.generated])),
    );
    // The properties are those of columns.
    return defaults.size < 2 ? [] : [{ ...source, values: own } as PostgresObject<"Column">];
  });
}

/** All columns of a table. */
function columnsOf(schema: PostgresSchema, table: PostgresObject): readonly ResolvedColumn[] {
  const own = inOrder(schema.partsOf(table.id, "Column"));
  return [
    ...inheritedColumns(schema, table),
    ...own.map((source) => ({ source, values: source.values })),
  ];
}

/** The checks that a table inherits and that are not its own as well. */
function inheritedChecks(
  schema: PostgresSchema,
  { id, values: { inherits = [] } }: PostgresObject,
): readonly PostgresObject<"CheckConstraint">[] {
  const own = new Set(schema.partsOf(id, "CheckConstraint").map(({ name }) => name));
  const found = new Map<string, PostgresObject<"CheckConstraint">>();
  for (const { table } of inherits) {
    const parent = schema.get(table.ref);
    const checks = [
      ...schema.partsOf(parent.id, "CheckConstraint"),
      ...inheritedChecks(schema, parent),
    ];
    for (const check of checks) {
      const isInherited = !/ NO INHERIT(?: NOT VALID)?$/.test(check.values.definition);
      if (isInherited && !own.has(check.name) && !found.has(check.name))
        found.set(check.name, check);
    }
  }
  return [...found.values()];
}

/**
 * Refers to the columns of tables that stand alone by their ids, in the parts of indexes and keys,
 * and in sequences.
 */
function withColumns(object: PostgresObject, columns: ReadonlyMap<string, string>): PostgresObject {
  const given: Values = object.values;
  const idOf = (table: string | undefined, name: unknown): string | undefined =>
    columns.get(`${table ?? ""} ${String(name)}`);
  if (object.kind === "Sequence") {
    const owner = idOf(object.values.ownedBy?.ref, object.values.columnName);
    const ownedBy = owner === undefined ? undefined : { ref: owner };
    return ownedBy === undefined
      ? object
      : without({ ...object, values: { ...object.values, ownedBy } }, "columnName");
  }
  if (!isOf(object, ["Index", ...CONSTRAINTS])) return object;
  const withIds = (part: Part): Part => {
    const { columnName, targetColumnName, ...others } = part;
    const column = idOf(object.parent, columnName);
    const targetColumn = idOf(object.values.target?.ref, targetColumnName);
    return {
      ...others,
      ...(column === undefined ? values({ columnName }) : { column: { ref: column } }),
      ...(targetColumn === undefined
        ? values({ targetColumnName })
        : { targetColumn: { ref: targetColumn } }),
    } as Part;
  };
  const changed = (["columns", "parts"] as const).flatMap((property) => {
    const list: Value | undefined = given[property];
    return Array.isArray(list) ? [[property, (list as readonly Part[]).map(withIds)] as const] : [];
  });
  // The properties are the same, and refer to columns in the way of a table that stands alone.
  return { ...object, values: { ...given, ...Object.fromEntries(changed) } } as PostgresObject;
}
