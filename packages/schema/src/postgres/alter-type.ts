import { assert } from "@steward/kernel/assert.js";
import type { Statement, TableLock } from "../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import { sameValue } from "../model/schema-diff.js";
import type { PropertyName } from "../model/vocabulary.js";
import { defaultAction } from "./alter-column.js";
import { on, type PlainCommand, statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { qualified, quoteName } from "./objects/names.js";
import { attribute, labelsOf } from "./statements.js";
import type { StoredTypes } from "./types/stored-types.js";

/**
 * Kinds of types that columns use. Such a type cannot be dropped while columns use it, so the old
 * type is renamed before a new type of the same name is created.
 */
export const REPLACED: readonly Kind[] = [
  ...(["EnumType", "CompositeType", "RangeType", "Domain", "Collation"] as const),
];

/** Whether a change of a type requires creating a new type. */
export function mustReplace(
  old: PostgresObject,
  now: PostgresObject,
  changed: readonly PropertyName[],
  stored: StoredTypes,
): boolean {
  if (now.kind === "EnumType") {
    const had = labelsOf(old);
    const kept = labelsOf(now).filter((label) => had.includes(label));
    return kept.join("\0") !== had.join("\0");
  }
  if (now.kind === "CompositeType") {
    if (!changed.includes("attributes")) return false;
    const isStored = stored.columnsOf(now.id).length + stored.viewsOf(now.id).length > 0;
    return isReordered(old, now) || (isRetyped(old, now) && isStored);
  }
  if (now.kind === "RangeType" || now.kind === "Collation") return changed.includes("definition");
  return (
    now.kind === "Domain" &&
    changed.some((property) => property === "type" || property === "collation")
  );
}

/** Whether ALTER TYPE, which appends new attributes, would give them another order. */
function isReordered(old: PostgresObject, now: PostgresObject): boolean {
  const [had, has] = [attributeNames(old), attributeNames(now)];
  const kept = had.filter((label) => has.includes(label));
  const added = has.filter((label) => !had.includes(label));
  return [...kept, ...added].join("\0") !== has.join("\0");
}

/** Whether a composite type gets new attributes, or another order of those that stay. */
export function isReshaped(old: PostgresObject, now: PostgresObject): boolean {
  const [had, has] = [attributeNames(old), attributeNames(now)];
  return had.filter((label) => has.includes(label)).join("\0") !== has.join("\0");
}

/** Whether an attribute that stays gets another type or collation. */
function isRetyped(old: PostgresObject, now: PostgresObject): boolean {
  const has = new Map((now.values.attributes ?? []).map((part) => [part.label, part]));
  return (old.values.attributes ?? []).some((part) => {
    const after = has.get(part.label);
    return after !== undefined && !sameValue([part], [after]);
  });
}

function attributeNames({ values }: PostgresObject): readonly string[] {
  return (values.attributes ?? []).map(({ label }) => label);
}

/** The temporary name of a type that is being replaced. */
export function oldName(name: string): string {
  return `_steward_old_${name}`.slice(0, 63);
}

/**
 * The statements that rename the objects which PostgreSQL created with a range type: its multirange
 * type, and the constructor functions of both, which have kept their original names.
 * @param renamed the range type's current name.
 */
export function constructorRoom(
  { name, values }: PostgresObject<"RangeType">,
  type: string,
  renamed: string,
): readonly string[] {
  const said = /^SUBTYPE = (.*?)(?:, .*)?, MULTIRANGE_TYPE_NAME = (.*)$/.exec(values.definition);
  const [, subtype, multirange] = said ?? [];
  assert(subtype !== undefined && multirange !== undefined, "a range type names its types");
  const room = quoteName(oldName(name));
  const other = quoteName(oldName(`${name}_multirange`));
  const makers = [`${type}(${subtype}, ${subtype})`, `${type}(${subtype}, ${subtype}, text)`];
  const others = ["", renamed, `VARIADIC ${renamed}[]`].map((each) => `${multirange}(${each})`);
  return [
    `ALTER TYPE ${multirange} RENAME TO ${other}`,
    ...makers.map((maker) => `ALTER FUNCTION ${maker} RENAME TO ${room}`),
    ...others.map((maker) => `ALTER FUNCTION ${maker} RENAME TO ${other}`),
  ];
}

/** The statements that change a composite type. */
export function alterAttributes(
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
): readonly Statement[] {
  const had = new Map((old.values.attributes ?? []).map((part) => [part.label, part]));
  const has = now.values.attributes ?? [];
  const changed = has.filter((part) => {
    const before = had.get(part.label);
    return before !== undefined && !sameValue([before], [part]);
  });
  return [
    ...dropAttributes(target, old, now),
    ...[
      ...has
        .filter((part) => !had.has(part.label))
        .map((part) => `ADD ATTRIBUTE ${attribute(part)}`),
      ...changed.map((part) => `ALTER ATTRIBUTE ${attribute(part, "TYPE ")}`),
    ].map((action) => alterType("alter", target, now, action)),
  ];
}

/** The statements that drop a composite type's attributes. */
export function dropAttributes(
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
): readonly Statement[] {
  const has = attributeNames(now);
  return attributeNames(old)
    .filter((label) => !has.includes(label))
    .map((label) => alterType("drop_attribute", target, now, `DROP ATTRIBUTE ${quoteName(label)}`));
}

function alterType(
  command: PlainCommand,
  target: PostgresSchema,
  type: PostgresObject,
  action: string,
): Statement {
  const sql = `ALTER TYPE ${qualified(target, type)} ${action} CASCADE`;
  return statement(command, sql, on(target, type));
}

/** The statements that alter a domain's constraints. */
export function alterDomain(
  target: PostgresSchema,
  domain: PostgresObject,
  changed: readonly PropertyName[],
  tables: LockedTables,
): readonly Statement[] {
  const preset = domain.values.default;
  const isStrict = domain.values.notNull === true;
  const alter = (action: string, others: readonly TableLock[] = []): Statement =>
    statement("alter_domain", `ALTER DOMAIN ${qualified(target, domain)} ${action}`, {
      ...on(target, domain),
      others,
    });
  return [
    ...(changed.includes("default") ? [alter(defaultAction(preset))] : []),
    ...(changed.includes("notNull")
      ? [isStrict ? alter("SET NOT NULL", tables.withColumnsOf(domain.id)) : alter("DROP NOT NULL")]
      : []),
  ];
}
