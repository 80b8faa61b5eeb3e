import { identify } from "../model/identify.js";
import { sequenceRights } from "../postgres/objects/identity-sequences.js";
import { isPostgres, Schema, type SchemaObject, without, withValues } from "../model/schema.js";
import { scriptFor } from "../scripts/script.js";
import { leftAloneIn, withoutUnmanaged } from "../postgres/objects/unmanaged.js";

/** Settings under which the dumped statements must run: every name in them is qualified. */
const POSTGRES_SETTINGS = ["SET search_path = ''", "SET check_function_bodies = off"];

/**
 * A schema as SQL that can be proposed again: proposing it for its own database changes nothing.
 * The text depends only on the schema and its column positions, not on creation order or former
 * names.
 * @param draft the introspected schema.
 */
export function dumpSchema(draft: Schema): string {
  const schema = canonical(identify(draft, undefined));
  const engine = isPostgres(schema) ? "PostgreSQL" : "SQLite";
  const made = isPostgres(schema) ? withoutSequenceGrants(schema) : schema;
  const alone = leftAloneIn(schema);
  const statements = [
    ...(isPostgres(schema) ? POSTGRES_SETTINGS : []),
    ...scriptFor(withoutUnmanaged(made)).flatMap((phase) => phase.statements),
    ...(isPostgres(schema) ? sequenceRights(schema) : []),
  ];
  return [
    `-- The whole schema of a ${engine} database, to be proposed to Steward.`,
    ...statements.map((sql) => `${sql};`),
    ...schema.objects
      .filter(({ id, parent }) => alone.has(id) && (parent === undefined || !alone.has(parent)))
      .map((object) => `-- No migration makes this: ${oneLine(schema.pathOf(object))}`),
  ].join("\n\n");
}

/**
 * The objects in canonical order: sorted by path. Lists without a meaningful order are sorted too.
 */
function canonical(schema: Schema): Schema {
  const keys = new Map(
    schema.objects.map((object) => [
      object.id,
      `${schema.pathOf(object)}\0${object.kind}\0${object.id}`,
    ]),
  );
  const compare = (a: string, b: string): number => {
    const [one = "", other = ""] = [keys.get(a), keys.get(b)];
    return one === other ? 0 : one < other ? -1 : 1;
  };
  const objects = schema.objects.map((object) => withSortedNeeds(object, compare));
  return new Schema(objects.sort((a, b) => compare(a.id, b.id)));
}

function withSortedNeeds(
  object: SchemaObject,
  compare: (a: string, b: string) => number,
): SchemaObject {
  const { dependsOn } = object.values;
  if (dependsOn === undefined) return object;
  const sorted = [...dependsOn].sort((a, b) => compare(a.needs.ref, b.needs.ref));
  return withValues(object, { ...object.values, dependsOn: sorted });
}

function withoutSequenceGrants(schema: Schema): Schema {
  return new Schema(schema.objects.map((object) => without(object, "sequenceGrants")));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
