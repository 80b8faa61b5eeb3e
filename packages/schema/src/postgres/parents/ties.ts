import { assert } from "@steward/kernel/assert.js";
import type { Statement } from "../../model/commands.js";
import { perPair } from "../../model/per-pair.js";
import { sameValue } from "../../model/schema-diff.js";
import {
  isPostgres,
  type PostgresObject,
  type PostgresSchema,
  type Schema,
  without,
} from "../../model/schema.js";
import { lock, on, statement } from "../commands.js";
import { copiedPartSettings } from "../copies.js";
import { LockedTables } from "../locks/locked-tables.js";
import { qualified } from "../objects/names.js";
import { rebuildPlanBetween } from "../rebuild-plan.js";
import { inheritedPart } from "./inheritance.js";
import { canStandAlone, type IdOfPart, inheritedParts, standingAlone } from "./standing-alone.js";

/**
 * Two schemas in which the tables that change their parents stand alone, and the statements that
 * cut the ties in the base, and make those of the target.
 */
export interface ChangedTies<S extends Schema = PostgresSchema> {
  readonly base: S;
  readonly target: S;
  readonly cut: readonly Statement[];
  readonly make: readonly Statement[];
  /** The statements of `make` for tables whose parents stay the same. */
  readonly restore: readonly Statement[];
}

/**
 * Splits off the changes of parents, so that a table keeps its rows: a partition is detached or
 * attached, and inheritance ends or begins. The rest of the migration is planned between the two
 * schemas in which these tables stand alone.
 */
export const changedTies: (base: PostgresSchema, target: PostgresSchema) => ChangedTies = perPair(
  (base: PostgresSchema, target: PostgresSchema) => {
    const moving = target.all("Table").flatMap((now) => {
      const old = base.find(now.id);
      if (old?.kind !== "Table" || !canStandAlone(base, old) || !canStandAlone(target, now))
        return [];
      const isMoved = !hasSameParents(old, now);
      return isMoved || isAlteredAlone(base, target, old, now) ? [{ old, now, isMoved }] : [];
    });
    if (moving.length === 0) return { base, target, cut: [], make: [], restore: [] };
    const made = (isMoved: boolean): readonly Statement[] =>
      moving.filter((each) => each.isMoved === isMoved).flatMap(({ now }) => make(target, now));
    const [before, after] = [moving.map(({ old }) => old), moving.map(({ now }) => now)];
    return {
      base: standingAlone(
        base,
        before,
        idIn(base, target, (source) => source.name),
      ),
      target: standingAlone(
        target,
        after,
        idIn(target, base, ({ id, kind, name, parent }) => {
          const isReused = base.partsOf(parent, kind).some((part) => part.name === name);
          return base.find(id)?.name ?? (isReused ? undefined : name);
        }),
      ),
      cut: before.flatMap((table) => cut(base, table)),
      make: made(true),
      restore: made(false),
    };
  },
);

/** Like {@link changedTies} for schemas of any engine. */
export function withoutChangedTies(
  base: Schema,
  target: Schema,
): Pick<ChangedTies<Schema>, "base" | "target"> {
  return isPostgres(base) && isPostgres(target) ? changedTies(base, target) : { base, target };
}

function hasSameParents(old: PostgresObject, now: PostgresObject): boolean {
  return (["inherits", "partitionBound"] as const).every((property) =>
    sameValue(old.values[property], now.values[property]),
  );
}

/**
 * Whether a table with `INHERITS` is altered apart from its parents. When a parent's column gets another
 * type, PostgreSQL fails for a child that inherits the column twice or has a NOT NULL of its own, and
 * what goes from a parent stays in a child that declares it too. A column that moves keeps its values.
 */
function isAlteredAlone(
  base: PostgresSchema,
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
): boolean {
  if (old.values.inherits === undefined || old.values.partitionBound !== undefined) return false;
  const rebuild = rebuildPlanBetween(base, target);
  const own = base.partsOf(old.id, "Column");
  // A column with an identity of its own may be inherited too.
  const above = own.flatMap(({ name }) => inheritedPart(base, old, "Column", name) ?? []);
  const names = new Set(own.map(({ name }) => name));
  return (
    parentsOf(base, old).some((parent) => rebuild.isDropped(parent)) ||
    [...inheritedParts(base, old), ...above].some((part) => {
      const isLoose = part.values.notNull === true && target.find(part.id)?.values.notNull !== true;
      return rebuild.isGone(part.id) || isLoose;
    }) ||
    inheritedParts(target, now).some(
      ({ id, kind, name = "" }) =>
        kind === "Column" && base.find(id) === undefined && names.has(name),
    )
  );
}

/**
 * The ids of inherited parts that become a table's own: those of the table's parts of that name in
 * the other schema, or ids by the name, which are then the same in both schemas.
 * @param nameThere the part's name in the base; undefined when it is new and has taken the name of
 * another part.
 */
function idIn(
  schema: PostgresSchema,
  other: PostgresSchema,
  nameThere: (source: PostgresObject) => string | undefined,
): IdOfPart {
  return (table, kind, source) => {
    const name = nameThere(source);
    const there = other.partsOf(table.id, kind).find((part) => part.name === name);
    const isFree = there !== undefined && schema.find(there.id) === undefined;
    return isFree ? there.id : `${table.id}/${kind}/${name ?? source.id}`;
  };
}

function parentsOf(schema: PostgresSchema, table: PostgresObject): readonly PostgresObject[] {
  return (table.values.inherits ?? []).map((part) => schema.get(part.table.ref));
}

function cut(schema: PostgresSchema, table: PostgresObject): readonly Statement[] {
  const tables = LockedTables.of(schema);
  return parentsOf(schema, table).map((parent) => {
    if (table.values.partitionBound !== undefined) {
      return detachPartition(schema, parent, table, tables);
    }
    return inheritance(schema, table, `NO INHERIT ${qualified(schema, parent)}`);
  });
}

function make(schema: PostgresSchema, table: PostgresObject): readonly Statement[] {
  const tables = LockedTables.of(schema);
  const ties = parentsOf(schema, table).map((parent) => {
    if (table.values.partitionBound !== undefined) {
      return attachPartition(schema, parent, table, tables);
    }
    const others = [lock(schema.pathOf(parent), "SHARE UPDATE EXCLUSIVE")];
    return inheritance(schema, table, `INHERIT ${qualified(schema, parent)}`, others);
  });
  // The comments of checks are those of the table's own checks.
  const copies = copiedPartSettings(schema, undefined, without(table, "constraintDetails"), {
    labelNow: (_kind, label) => label,
    isFresh: () => true,
    firing: (label) => inheritedPart(schema, table, "Trigger", label)?.values.enabled,
  });
  return [...ties, ...copies];
}

function inheritance(
  schema: PostgresSchema,
  table: PostgresObject,
  action: string,
  others: Statement["command"]["locks"] = [],
): Statement {
  const sql = `ALTER TABLE ${qualified(schema, table)} ${action}`;
  return statement("set_inheritance", sql, { ...on(schema, table), others });
}

/** ALTER TABLE … ATTACH PARTITION. */
export function attachPartition(
  schema: PostgresSchema,
  parent: PostgresObject,
  table: PostgresObject,
  tables: LockedTables,
): Statement {
  const bound = table.values.partitionBound;
  assert(bound !== undefined, `the table ${table.id} is a partition`);
  const sql = `ALTER TABLE ${qualified(schema, parent)} ATTACH PARTITION ${qualified(schema, table)} ${bound}`;
  const others = [
    lock(schema.pathOf(parent), "SHARE UPDATE EXCLUSIVE"),
    ...tables.defaultOf(parent.id, "scan"),
  ];
  return statement("attach_partition", sql, { ...on(schema, table), rows: "scan", others });
}

/** ALTER TABLE … DETACH PARTITION. */
export function detachPartition(
  schema: PostgresSchema,
  parent: PostgresObject,
  table: PostgresObject,
  tables: LockedTables,
): Statement {
  const sql = `ALTER TABLE ${qualified(schema, parent)} DETACH PARTITION ${qualified(schema, table)}`;
  const others = [lock(schema.pathOf(parent), "ACCESS EXCLUSIVE"), ...tables.defaultOf(parent.id)];
  return statement("detach_partition", sql, { ...on(schema, table), others });
}

/**
 * PostgreSQL does not drop an attached partition of a table that foreign keys reference, so the
 * partition is detached first.
 * @param renamed the base schema with the names of the moment.
 */
export function detachedFirst(
  base: PostgresSchema,
  renamed: PostgresSchema,
  { id, values }: PostgresObject,
  isDropped: (table: PostgresObject) => boolean,
  tables: LockedTables,
): readonly Statement[] {
  if (values.partitionBound === undefined) return [];
  return (values.inherits ?? []).flatMap((part) => {
    const parent = base.find(part.table.ref);
    const isThere = parent !== undefined && !isDropped(parent);
    if (!isThere || !isReferredTo(base, parent)) return [];
    return [detachPartition(renamed, renamed.get(parent.id), renamed.get(id), tables)];
  });
}

/** Whether a foreign key references a partitioned table or one of its ancestors. */
function isReferredTo(schema: PostgresSchema, { id, values }: PostgresObject): boolean {
  const keys = schema.all("ForeignKey");
  if (keys.some((key) => key.values.target?.ref === id)) return true;
  return (values.inherits ?? []).some((part) => {
    const above = schema.find(part.table.ref);
    return above !== undefined && isReferredTo(schema, above);
  });
}
