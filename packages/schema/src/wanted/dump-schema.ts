import { identify } from "../model/identify.js";
import { sequenceRights } from "../postgres/objects/identity-sequences.js";
import { partsIn, Schema, type SchemaObject, type Values, idIn } from "../model/schema.js";
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
  const isPostgres = schema.dialect === "postgres";
  const made = isPostgres ? withoutSequenceGrants(schema) : schema;
  const alone = leftAloneIn(schema);
  const statements = [
    ...(isPostgres ? POSTGRES_SETTINGS : []),
    ...scriptFor(withoutUnmanaged(made)).flatMap((phase) => phase.statements),
    ...(isPostgres ? sequenceRights(schema) : []),
  ];
  return [
    `-- The whole schema of a ${isPostgres ? "PostgreSQL" : "SQLite"} database, to be proposed to Steward.`,
    ...statements.map((sql) => `${sql};`),
    ...schema.objects
      .filter(({ id, parent = "" }) => alone.has(id) && !alone.has(parent))
      .map((object) => `-- No migration makes this: ${oneLine(schema.pathOf(object))}`),
  ].join("\n\n");
}

/** The same objects in canonical order: sorted by path, as are lists without a meaningful order. */
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
  const objects = schema.objects.map((object) => ({
    ...object,
    values: withSortedNeeds(object.values, compare),
  }));
  return new Schema(objects.sort((a, b) => compare(a.id, b.id)));
}

function withSortedNeeds(
  values: Values,
  compare: (a: string, b: string) => number,
): SchemaObject["values"] {
  if (values.dependsOn === undefined) return values;
  const needs = partsIn(values, "dependsOn");
  return {
    ...values,
    dependsOn: [...needs].sort((a, b) => compare(idIn(a, "needs") ?? "", idIn(b, "needs") ?? "")),
  };
}

function withoutSequenceGrants(schema: Schema): Schema {
  return new Schema(
    schema.objects.map((object) => {
      const { sequenceGrants: _, ...values } = object.values;
      return { ...object, values };
    }),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
