import type { Statement } from "../../model/commands.js";
import { nameOf, type PostgresObject, type PostgresSchema } from "../../model/schema.js";
import { constructorRoom, dropAttributes, isReshaped, oldName } from "../alter-type.js";
import { on, statement } from "../commands.js";
import { inDependencyOrder, needsOf } from "../objects/dependency-order.js";
import { onOf, qualified, quoteName, wordOf } from "../objects/names.js";
import type { RebuildPlan } from "../rebuild-plan.js";
import { isStricter } from "./stored-types.js";

/** Kinds of types over other types. */
const CONTAINERS = ["Domain", "CompositeType", "RangeType"] as const;

/**
 * The types that are recreated because of what has been found so far: domains that get stricter
 * where PostgreSQL could not check what is stored, and types over recreated types, which would keep
 * the old ones.
 */
export function replacedTypes(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
): ReadonlySet<string> {
  const isAdded = (check: PostgresObject): boolean => rebuild.isFresh(check);
  const stricter = base
    .all("Domain")
    .filter(({ id }) => target.find(id) !== undefined)
    .filter((domain) => isStricter(base, target, domain, isAdded))
    .filter(({ id }) => rebuild.stored.containersOf(id).length > 0);
  const found = new Set([...rebuild.replaced, ...stricter.map(({ id }) => id)]);
  const types = CONTAINERS.flatMap((kind) => base.all(kind));
  for (const type of inDependencyOrder(base, types)) {
    const isOver = needsOf(type).some((id) => found.has(id));
    if (isOver && target.find(type.id) !== undefined) found.add(type.id);
  }
  return found;
}

/** The recreated composite types that have other attributes than before, or in another order. */
export function reshapedTypes(rebuild: RebuildPlan): readonly PostgresObject[] {
  return rebuild.matched
    .filter(({ now }) => now.kind === "CompositeType" && rebuild.replaced.has(now.id))
    .filter(({ old, now }) => isReshaped(old, now))
    .map(({ now }) => now);
}

/** The columns that keep their type and store a composite type with other attributes. */
export function reshapedColumns(target: PostgresSchema, rebuild: RebuildPlan): ReadonlySet<string> {
  const columns = reshapedTypes(rebuild).flatMap(({ id }) => rebuild.stored.columnsOf(id));
  const kept = columns.filter(({ id, values }) => {
    const now = target.find(id);
    return now?.kind === "Column" && now.values.type === values.type;
  });
  return new Set(kept.map(({ id }) => id));
}

/** Renames the types that are recreated, so that the new ones can have their names. */
export function makeRoom(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
): readonly Statement[] {
  // The functions of a range type are named by its subtype, which gets another name later.
  const replaced = [...rebuild.replaced].map((id) => base.get(id));
  return inDependencyOrder(base, replaced)
    .reverse()
    .flatMap((old) => {
      const type = target.get(old.id);
      const [name, room] = [qualified(target, type), oldName(nameOf(type))];
      const rename = `ALTER ${wordOf(type)} ${name} RENAME TO ${quoteName(room)}`;
      const renamed = `${onOf(target, type)}.${quoteName(room)}`;
      const others = old.kind === "RangeType" ? constructorRoom(old, name, renamed) : [];
      return [
        ...(type.kind === "CompositeType" ? dropAttributes(target, old, type) : []),
        ...[rename, ...others].map((sql) => statement("rename", sql, on(target, type))),
      ];
    });
}

/** Drops the old version of a type, which nothing uses any longer. */
export function dropReplaced(target: PostgresSchema, type: PostgresObject): Statement {
  const name = `${onOf(target, type)}.${quoteName(oldName(nameOf(type)))}`;
  return statement("drop", `DROP ${wordOf(type)} ${name}`, on(target, type));
}
