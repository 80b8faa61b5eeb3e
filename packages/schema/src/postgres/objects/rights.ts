import { sameValue } from "../../model/schema-diff.js";
import {
  isSet,
  type Part,
  partsIn,
  type Schema,
  type SchemaObject,
  textOf,
} from "../../model/schema.js";
import type { Kind } from "../../model/kinds.js";
import { isForeign, qualified, quoteName, quoteText, WORDS } from "./names.js";

/** Grants and revocations beyond the built-in default privileges of an object's kind. */
export interface Rights {
  readonly grants: readonly Part[];
  readonly revoked: readonly Part[];
}

const NONE: Rights = { grants: [], revoked: [] };

/**
 * The privileges of an object.
 * @param labelNow the current name of a column.
 */
export function rightsOf(
  object: SchemaObject | undefined,
  labelNow: (label: string) => string = (label) => label,
): Rights {
  if (object === undefined) return NONE;
  const { values } = object;
  const ofColumns = partsIn(values, "columnGrants").map((part) => ({
    ...part,
    columnName: labelNow(textOf(part, "columnName") ?? ""),
  }));
  return {
    grants: [...partsIn(values, "grants"), ...ofColumns],
    revoked: partsIn(values, "revoked"),
  };
}

const SORTS: Readonly<Partial<Record<Kind, string>>> = {
  ...{ Table: "TABLES", View: "TABLES", MaterializedView: "TABLES", Sequence: "SEQUENCES" },
  ...{ Function: "FUNCTIONS", Procedure: "FUNCTIONS", Aggregate: "FUNCTIONS", Schema: "SCHEMAS" },
  ...{ EnumType: "TYPES", CompositeType: "TYPES", RangeType: "TYPES", Domain: "TYPES" },
};

/** The privileges that default privileges give to a new object. */
export function initialRights(base: Schema, kind: Kind, schemaId: string | undefined): Rights {
  const places = [base.database.id, schemaId].filter((id) => id !== undefined);
  const usual = places
    .flatMap((id) => base.partsOf(id, "DefaultPrivileges"))
    .filter(({ values }) => values.owner === undefined && values.type === SORTS[kind])
    .map((each) => rightsOf(each));
  const grants = new Map(usual.flatMap((each) => each.grants).map((part) => [keyOf(part), part]));
  return { grants: [...grants.values()], revoked: usual.flatMap(({ revoked }) => revoked) };
}

/** The statements that change an object's privileges. */
export function changeRights(
  schema: Schema,
  object: SchemaObject,
  before: Rights,
  after: Rights = rightsOf(object),
): readonly string[] {
  const on = grantedOn(schema, object);
  const own = object.kind === "Column" ? ` (${quoteName(object.name ?? "")})` : "";
  return sayRights(object, before, after, (part) => {
    const column = textOf(part, "columnName");
    return `${own || (column === undefined ? "" : ` (${quoteName(column)})`)} ON ${on}`;
  });
}

/** The statements that grant privileges on the sequence of a new identity column. */
export function grantSequence(
  table: SchemaObject,
  column: SchemaObject,
  sequence: string,
): readonly string[] {
  const after = { grants: partsIn(column.values, "sequenceGrants"), revoked: [] };
  return sayRights(table, NONE, after, () => ` ON SEQUENCE ${sequence}`);
}

/**
 * Like {@link changeRights}, for the sequence of an identity column, which is found through its
 * column.
 */
export function changeSequenceRights(
  schema: Schema,
  column: SchemaObject,
  before: readonly Part[],
): readonly string[] {
  const after = partsIn(column.values, "sequenceGrants");
  const table = schema.get(column.parent ?? "");
  const place = `${quoteText(qualified(schema, table))}, ${quoteText(column.name ?? "")}`;
  const rights = { grants: after, revoked: [] };
  return sayRights(table, { grants: before, revoked: [] }, rights, () => " ON SEQUENCE %s").map(
    (sql) =>
      `DO $steward$ BEGIN EXECUTE format(${quoteText(sql)}, pg_catalog.pg_get_serial_sequence(${place})); END $steward$`,
  );
}

/** The statements that change a role's default privileges. */
export function changeDefaults(
  schema: Schema,
  object: SchemaObject,
  before: Rights,
  after: Rights = rightsOf(object),
): readonly string[] {
  const { values, parent = "" } = object;
  const role = textOf(values, "owner");
  const place = schema.get(parent);
  const head = [
    "ALTER DEFAULT PRIVILEGES",
    ...(role === undefined ? [] : [`FOR ROLE ${role}`]),
    ...(place.kind === "Schema" ? [`IN SCHEMA ${quoteName(place.name ?? "")}`] : []),
  ].join(" ");
  const on = ` ON ${textOf(values, "type") ?? ""}`;
  return sayRights(object, before, after, () => on).map((sql) => `${head} ${sql}`);
}

function sayRights(
  owned: SchemaObject,
  before: Rights,
  after: Rights,
  on: (part: Part) => string,
): readonly string[] {
  const owner = textOf(owned.values, "owner") ?? "CURRENT_USER";
  const role = (part: Part): string => {
    const grantee = textOf(part, "grantee") ?? "";
    return grantee === "OWNER" ? owner : grantee;
  };
  const revoke = (part: Part): string =>
    `REVOKE ${textOf(part, "privilege") ?? ""}${on(part)} FROM ${role(part)}`;
  const grant = (part: Part): string => {
    const option = isSet(part, "isGrantable") ? " WITH GRANT OPTION" : "";
    return `GRANT ${textOf(part, "privilege") ?? ""}${on(part)} TO ${role(part)}${option}`;
  };
  return [
    ...without(before.grants, after.grants).map(revoke),
    ...without(after.revoked, before.revoked).map(revoke),
    ...without(before.revoked, after.revoked).map(grant),
    ...without(after.grants, before.grants).map(grant),
  ];
}

function without(parts: readonly Part[], others: readonly Part[]): readonly Part[] {
  return parts.filter((part) => !others.some((other) => sameValue([part], [other])));
}

function keyOf(part: Part): string {
  return JSON.stringify(Object.entries(part).sort());
}

function grantedOn(schema: Schema, object: SchemaObject): string {
  const { kind, parent = "" } = object;
  if (kind === "Column") return qualified(schema, schema.get(parent));
  const isRelation = ["Table", "View", "MaterializedView"].includes(kind);
  const word = kind === "ForeignServer" ? "FOREIGN SERVER" : (WORDS[kind] ?? "");
  const said = isRelation || isForeign(object) ? "TABLE" : kind === "Aggregate" ? "FUNCTION" : word;
  return `${said} ${qualified(schema, object)}`;
}
