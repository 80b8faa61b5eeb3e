import type { PostgresObject, PostgresSchema, SchemaObject } from "../../model/schema.js";

/** The objects that must exist before an object can be created. */
export function needsOf({
  values,
  parent,
}: Pick<SchemaObject, "values" | "parent">): readonly string[] {
  const needs = (values.dependsOn ?? []).map(({ needs }) => needs.ref);
  const inherited = (values.inherits ?? []).map(({ table }) => table.ref);
  // A sequence is dropped with its owning column, but is created before it.
  const owner = values.ownedBy?.ref;
  return [...needs, ...inherited, ...(parent === undefined ? [] : [parent])].filter(
    (id) => id !== owner,
  );
}

/**
 * Sorts objects after the objects that they need.
 * @param isIncluded whether a part is created or dropped with the whole, which then needs
 * everything that the part needs.
 * @param needs what must exist before the statements that create an object or a part.
 */
export function inDependencyOrder(
  schema: PostgresSchema,
  objects: readonly PostgresObject[],
  isIncluded: (part: PostgresObject) => boolean = isColumn,
  needs: (object: PostgresObject) => readonly string[] = needsOf,
): PostgresObject[] {
  const wanted = new Map(objects.map((object) => [object.id, object]));
  const ordered: PostgresObject[] = [];
  const seen = new Set<string>();
  const visit = (object: PostgresObject): void => {
    if (seen.has(object.id)) return;
    seen.add(object.id);
    const parts = object.kind === "Schema" ? [] : schema.partsOf(object.id);
    for (const id of [object, ...parts.filter(isIncluded)].flatMap(needs)) {
      const needed = schema.find(id);
      const unit = needed?.kind === "Column" ? schema.find(needed.parent) : needed;
      const found = wanted.get(id) ?? (unit === undefined ? undefined : wanted.get(unit.id));
      if (found !== undefined) visit(found);
      if (needed?.kind === "Domain" && id !== object.parent) {
        for (const { id: rule } of schema.partsOf(id)) {
          const check = wanted.get(rule);
          if (check !== undefined) visit(check);
        }
      }
    }
    ordered.push(object);
  };
  objects.forEach(visit);
  return ordered;
}

function isColumn({ kind }: PostgresObject): boolean {
  return kind === "Column";
}
