import type { Pausing } from "../kernel/pausing.js";
import { identifying } from "./identify.js";
import type { Schema, SchemaObject, Value } from "./schema.js";
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
export function* concernedDifferences(
  expected: Schema,
  draft: Schema,
  concern: Concern,
  { extras }: { readonly extras: boolean },
): Pausing<ConcernedDifferences> {
  const live = yield* identifying(draft, expected);
  yield;
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
  const found: string[] = [];
  for (const value of Object.values(values)) addReferences(value, found);
  return found;
}

/** The ids of the objects that a value refers to. */
export function referencesIn(value: Value): readonly string[] {
  const found: string[] = [];
  addReferences(value, found);
  return found;
}

/** Schemas of a thousand tables are searched for references: this makes no lists on the way. */
function addReferences(value: Value, found: string[]): void {
  if (typeof value !== "object") return;
  if ("ref" in value) {
    found.push(value.ref);
    return;
  }
  for (const part of value) for (const item of Object.values(part)) addReferences(item, found);
}

/** The parts of an object, their parts, and so on. */
export function allPartsOf(schema: Schema, id: string): readonly SchemaObject[] {
  return schema.partsOf(id).flatMap((part) => [part, ...allPartsOf(schema, part.id)]);
}

function ancestorsOf(schema: Schema, id: string): readonly string[] {
  const parent = schema.find(id)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(schema, parent)];
}
