import { assert } from "@steward/kernel/assert.js";
import type { Statement, TableLock } from "../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import type { PropertyName } from "../model/vocabulary.js";
import { defaultAction } from "./alter-column.js";
import { on, type PlainCommand, statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { qualified, quoteName } from "./objects/names.js";
import { attribute, labelsOf } from "./statements.js";

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
): boolean {
  if (now.kind === "EnumType") {
    const had = labelsOf(old);
    const kept = labelsOf(now).filter((label) => had.includes(label));
    return kept.join("\0") !== had.join("\0");
  }
  if (now.kind === "RangeType" || now.kind === "Collation") return changed.includes("definition");
  return (
    now.kind === "Domain" &&
    changed.some((property) => property === "type" || property === "collation")
  );
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
  const had = old.values.attributes ?? [];
  const has = now.values.attributes ?? [];
  const labels = had.map((part) => part.label);
  const wanted = has.map((part) => part.label);
  const alter =
    (command: PlainCommand) =>
    (action: string): Statement => {
      const sql = `ALTER TYPE ${qualified(target, now)} ${action} CASCADE`;
      return statement(command, sql, on(target, now));
    };
  const changed = has.filter((part) => {
    const before = had.find((each) => each.label === part.label);
    return before !== undefined && JSON.stringify(before) !== JSON.stringify(part);
  });
  return [
    ...labels
      .filter((label) => !wanted.includes(label))
      .map((label) => `DROP ATTRIBUTE ${quoteName(label)}`)
      .map(alter("drop_attribute")),
    ...[
      ...has
        .filter((part) => !labels.includes(part.label))
        .map((part) => `ADD ATTRIBUTE ${attribute(part)}`),
      ...changed.map((part) => `ALTER ATTRIBUTE ${attribute(part, "TYPE ")}`),
    ].map(alter("alter")),
  ];
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
