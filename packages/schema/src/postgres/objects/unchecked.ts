import type { SchemaObject } from "../../model/schema.js";

/**
 * Whether existing rows may violate a constraint. PostgreSQL's catalog ends the definition of such
 * a constraint with NOT VALID or NOT ENFORCED.
 */
export function isUnchecked({ values }: Pick<SchemaObject, "values">): boolean {
  const { definition } = values;
  return (
    definition?.endsWith(" NOT VALID") === true || definition?.endsWith(" NOT ENFORCED") === true
  );
}
