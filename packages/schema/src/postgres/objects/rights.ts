import { sameValue } from "../../model/schema-diff.js";
import {
  nameOf,
  type PartOf,
  type PostgresObject,
  type PostgresSchema,
} from "../../model/schema.js";
import type { Statement } from "../../model/commands.js";
import type { Kind } from "../../model/kinds.js";
import { statement } from "../commands.js";
import { keywordOf, qualified, quoteName, quoteText } from "./names.js";

type Grant = PartOf<"grants"> | PartOf<"columnGrants">;

/** Grants and revocations beyond the built-in default privileges of an object's kind. */
export interface Rights {
  readonly grants: readonly Grant[];
  readonly revoked: readonly Grant[];
}

const NONE: Rights = { grants: [], revoked: [] };

/**
 * The privileges of an object.
 * @param labelNow the current name of a column.
 */
export function rightsOf(
  object: PostgresObject | undefined,
  labelNow: (label: string) => string = (label) => label,
): Rights {
  if (object === undefined) return NONE;
  const { values } = object;
  const ofColumns = (values.columnGrants ?? []).map((part) => ({
    ...part,
    columnName: labelNow(part.columnName),
  }));
  return {
    grants: [...(values.grants ?? []), ...ofColumns],
    revoked: values.revoked ?? [],
  };
}

const SORTS: Readonly<Partial<Record<Kind, string>>> = {
  ...{ Table: "TABLES", View: "TABLES", MaterializedView: "TABLES", Sequence: "SEQUENCES" },
  ...{ Function: "FUNCTIONS", Procedure: "FUNCTIONS", Aggregate: "FUNCTIONS", Schema: "SCHEMAS" },
  ...{ EnumType: "TYPES", CompositeType: "TYPES", RangeType: "TYPES", Domain: "TYPES" },
};

/** The privileges that default privileges give to a new object. */
export function initialRights(
  base: PostgresSchema,
  kind: Kind,
  schemaId: string | undefined,
): Rights {
  const places = [base.database.id, schemaId].filter((id) => id !== undefined);
  const usual = places
    .flatMap((id) => base.partsOf(id, "DefaultPrivileges"))
    .filter(({ values }) => values.owner === undefined && values.type === SORTS[kind])
    .map((each) => rightsOf(each));
  return {
    grants: usual.flatMap(({ grants }) => grants),
    revoked: usual.flatMap(({ revoked }) => revoked),
  };
}

/**
 * Privileges as the catalog tells them once the object belongs to an owner: what a grantee was
 * given twice is one grant, a role that is the owner is called so, and a grant of what the owner
 * and everybody have anyway only cancels its revocation.
 */
export function settledRights({ grants, revoked }: Rights, kind: Kind, owner?: string): Rights {
  const merged = new Map<string, Grant>();
  for (const part of grants) {
    const grantee = part.grantee === owner ? "OWNER" : part.grantee;
    const key = JSON.stringify([grantee, part.privilege, part.columnName]);
    const option = merged.get(key)?.isGrantable ?? part.isGrantable;
    const said = { ...part, grantee };
    merged.set(key, option === undefined ? said : { ...said, isGrantable: option });
  }
  const all = [...merged.values()];
  const isUsual = ({ grantee, columnName }: Grant): boolean => {
    if (kind === "Column" || columnName !== undefined) return false;
    const isForAll = SORTS[kind] === "FUNCTIONS" || SORTS[kind] === "TYPES";
    return grantee === "OWNER" || (isForAll && grantee === "PUBLIC");
  };
  const plain = ({ grantee, privilege }: Grant): Grant => ({ grantee, privilege });
  const given = all.filter(isUsual);
  // The option to grant makes another privilege of what the owner has anyway.
  const replaced = given.filter(({ isGrantable }) => isGrantable === true).map(plain);
  return {
    grants: all.filter((part) => !isUsual(part) || part.isGrantable === true),
    revoked: [...without(revoked, given.map(plain)), ...replaced],
  };
}

/** The statements that change an object's privileges. */
export function changeRights(
  schema: PostgresSchema,
  object: PostgresObject,
  before: Rights,
): readonly Statement[] {
  const own = object.kind === "Column" ? ` (${quoteName(nameOf(object))})` : "";
  const owned = object.kind === "Column" ? schema.above(object) : object;
  return sayRights(owned, before, rightsOf(object), (part) => {
    const column = part.columnName;
    return `${own || (column === undefined ? "" : ` (${quoteName(column)})`)} ON ${grantedOn(schema, object)}`;
  }).map((sql) => changing(schema, object, sql));
}

function changing(schema: PostgresSchema, object: PostgresObject, sql: string): Statement {
  return statement("change_privileges", sql, { object: schema.pathOf(object) });
}

/** The statements that grant privileges on the sequence of a new identity column. */
export function grantSequence(
  table: PostgresObject,
  column: PostgresObject,
  sequence: string,
): readonly string[] {
  const after = { grants: column.values.sequenceGrants ?? [], revoked: [] };
  return sayRights(table, NONE, after, () => ` ON SEQUENCE ${sequence}`);
}

/**
 * Like {@link changeRights}, for the sequence of an identity column. The sequence is found through
 * its column.
 */
export function changeSequenceRights(
  schema: PostgresSchema,
  column: PostgresObject,
  before: readonly Grant[],
): readonly Statement[] {
  const after = column.values.sequenceGrants ?? [];
  const table = schema.above(column);
  const place = `${quoteText(qualified(schema, table))}, ${quoteText(nameOf(column))}`;
  const rights = { grants: after, revoked: [] };
  return sayRights(table, { grants: before, revoked: [] }, rights, () => " ON SEQUENCE %s").map(
    (sql) =>
      changing(
        schema,
        column,
        `DO $steward$ BEGIN EXECUTE format(${quoteText(sql)}, pg_catalog.pg_get_serial_sequence(${place})); END $steward$`,
      ),
  );
}

/** The statements that change a role's default privileges. */
export function changeDefaults(
  schema: PostgresSchema,
  object: PostgresObject,
  before: Rights,
  after: Rights = rightsOf(object),
): readonly Statement[] {
  const { values } = object;
  const role = values.owner;
  const place = schema.above(object);
  const head = [
    "ALTER DEFAULT PRIVILEGES",
    ...(role === undefined ? [] : [`FOR ROLE ${role}`]),
    ...(place.kind === "Schema" ? [`IN SCHEMA ${quoteName(place.name)}`] : []),
  ].join(" ");
  const on = ` ON ${values.type}`;
  return sayRights(object, before, after, () => on).map((sql) =>
    changing(schema, object, `${head} ${sql}`),
  );
}

function sayRights(
  owned: PostgresObject,
  before: Rights,
  after: Rights,
  on: (part: Grant) => string,
): readonly string[] {
  const owner = owned.values.owner ?? "CURRENT_USER";
  const role = (part: Grant): string => {
    return part.grantee === "OWNER" ? owner : part.grantee;
  };
  const revoke = (part: Grant): string => `REVOKE ${part.privilege}${on(part)} FROM ${role(part)}`;
  const grant = (part: Grant): string => {
    const option = part.isGrantable === true ? " WITH GRANT OPTION" : "";
    return `GRANT ${part.privilege}${on(part)} TO ${role(part)}${option}`;
  };
  return [
    ...without(before.grants, after.grants).map(revoke),
    ...without(after.revoked, before.revoked).map(revoke),
    ...without(before.revoked, after.revoked).map(grant),
    ...without(after.grants, before.grants).map(grant),
  ];
}

function without(parts: readonly Grant[], others: readonly Grant[]): readonly Grant[] {
  return parts.filter((part) => !others.some((other) => sameValue([part], [other])));
}

function grantedOn(schema: PostgresSchema, object: PostgresObject): string {
  if (object.kind === "Column") return qualified(schema, schema.above(object));
  return `${grantedKind(object.kind)} ${qualified(schema, object)}`;
}

/** The keyword for a kind in GRANT, where it differs from the one in CREATE. */
function grantedKind(kind: Kind): string {
  if (kind === "Table" || kind === "View" || kind === "MaterializedView") return "TABLE";
  if (kind === "Aggregate") return "FUNCTION";
  return kind === "ForeignServer" ? "FOREIGN SERVER" : keywordOf(kind);
}
