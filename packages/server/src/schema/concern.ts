import { identify } from "./identify.js";
import type { Schema, SchemaObject, Scalar, Reference, Value } from "./schema.js";
import { textOf } from "./schema.js";
import { diffSchemas, type Operation } from "./schema-diff.js";

/** The objects that a script changes. */
export interface Concern {
  /** Each object that is made, changed or dropped, and the parts of those that are made or dropped. */
  readonly ids: ReadonlySet<string>;
  /** Those that are made or dropped as a whole. */
  readonly wholes: ReadonlySet<string>;
  /** What the objects of `ids` are parts of. */
  readonly above: ReadonlySet<string>;
}

/** What a script that leads from one schema to another is concerned with. */
export function concernOf(from: Schema, to: Schema): Concern {
  const ids = new Set<string>();
  const wholes = new Set<string>();
  const above = new Set<string>();
  for (const { action, id } of diffSchemas(from, to)) {
    ids.add(id);
    if (action === "create" || action === "drop") {
      wholes.add(id);
      for (const schema of [from, to]) for (const part of allPartsOf(schema, id)) ids.add(part.id);
    }
    for (const schema of [from, to]) for (const each of ancestorsOf(schema, id)) above.add(each);
  }
  return { ids, wholes, above };
}

/**
 * The relations that a script from one schema to another changes or drops.
 * @param recorded the schema as it was before, with the engine's own ids.
 * @returns native ids, of PostgreSQL.
 */
export function concernedRelations(
  { from, to }: { readonly from: Schema; readonly to: Schema },
  recorded: Schema,
): readonly string[] {
  const { ids, above } = concernOf(from, to);
  return [...ids, ...above].flatMap((id) => {
    const nativeId = textOf(recorded.find(id)?.values ?? {}, "nativeId");
    return nativeId?.startsWith("r:") === true ? [nativeId] : [];
  });
}

/** What differs between a schema and how it should be, as far as a script is concerned with it. */
export interface ConcernedDifferences {
  readonly live: Schema;
  readonly differences: readonly Operation[];
}

/**
 * Compares the objects of a concern. What others have done to other objects meanwhile is left out.
 * @param extras also name what others have made on, or have come to depend on, such an object: it would go
 * along with the object.
 */
export function concernedDifferences(
  expected: Schema,
  draft: Schema,
  concern: Concern,
  { extras }: { readonly extras: boolean },
): ConcernedDifferences {
  const live = identify(draft, expected);
  const differences = diffSchemas(expected, live).filter((operation) => {
    const { action, id } = operation;
    if (concern.ids.has(id)) return true;
    if ((action === "drop" || action === "rename") && concern.above.has(id)) return true;
    const object = live.find(id) ?? expected.find(id);
    return extras && object !== undefined && isTiedTo(live, object, concern);
  });
  return { live, differences };
}

function isTiedTo(schema: Schema, object: SchemaObject, { ids, wholes }: Concern): boolean {
  if (ancestorsOf(schema, object.id).some((id) => wholes.has(id))) return true;
  return [object, ...allPartsOf(schema, object.id)].some((each) =>
    referencesOf(each).some((id) => ids.has(id)),
  );
}

/** The ids of all objects that an object refers to. */
export function referencesOf({ values }: SchemaObject): readonly string[] {
  return Object.values(values).flatMap(referencesIn);
}

/** The ids of the objects that a value refers to. */
export function referencesIn(value: Value): readonly string[] {
  const one = (item: Scalar | Reference): readonly string[] =>
    typeof item === "object" ? [item.ref] : [];
  // A list is made of parts, which are made of plain values and references.
  return Array.isArray(value)
    ? (value as readonly Readonly<Record<string, Scalar | Reference>>[]).flatMap((part) =>
        Object.values(part).flatMap(one),
      )
    : one(value as Scalar | Reference);
}

/** The parts of an object, their parts, and so on. */
export function allPartsOf(schema: Schema, id: string): readonly SchemaObject[] {
  return schema.partsOf(id).flatMap((part) => [part, ...allPartsOf(schema, part.id)]);
}

function ancestorsOf(schema: Schema, id: string): readonly string[] {
  const parent = schema.find(id)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(schema, parent)];
}
