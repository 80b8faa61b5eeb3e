import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { indexBy, keyOf, type ObjectIndex } from "./index-by.js";
import type { Kind } from "./kinds.js";
import { Schema, type SchemaObject, withIds } from "./schema.js";
import { PROPERTIES, type PropertyName } from "./vocabulary.js";

/** Kinds of objects that a rename hint may name. */
export type HintedKind =
  "Schema" | "Table" | "Column" | "Constraint" | "Index" | "View" | "Trigger" | "Type" | "Sequence";

/**
 * Declares that an object of the new schema is an object of the old one, renamed or moved to
 * another schema.
 */
export interface RenameHint {
  readonly kind: HintedKind;
  /** The object's new schema, or the new schema of a part's table. Absent: any schema. */
  readonly schema?: string;
  /** For a column or a constraint: the new name of its table. */
  readonly table?: string;
  /** The old name of the schema that the object was in. Absent: the object was not moved. */
  readonly fromSchema?: string;
  readonly from: string;
  readonly to: string;
}

/** The kinds of objects that each word in a hint covers. */
const HINTED: Readonly<Record<HintedKind, readonly Kind[]>> = {
  Schema: ["Schema"],
  Sequence: ["Sequence"],
  Table: ["Table", "VirtualTable"],
  Column: ["Column"],
  Constraint: [
    ...(["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey"] as const),
    "ExclusionConstraint",
  ],
  Index: ["Index"],
  View: ["View", "MaterializedView"],
  Trigger: ["Trigger"],
  Type: ["EnumType", "CompositeType", "RangeType", "Domain"],
};

/**
 * Gives every object its IRI: the IRI of the same object in an earlier schema, or a new one.
 * Objects are matched by the engine's own id, then by hint, then by name; a constraint without a
 * name is matched by its content. A new IRI is a function of kind, parent and name.
 */
export function identify(
  draft: Schema,
  before: Schema | undefined,
  hints: readonly RenameHint[] = [],
): Schema {
  return withoutPauses(identifying(draft, before, hints));
}

/** Like {@link identify}, but pauses regularly to yield the event loop. */
export function identifying(
  draft: Schema,
  before: Schema | undefined,
  hints: readonly RenameHint[] = [],
): Pausing<Schema> {
  return new Identification(draft, before, hints).run();
}

/** Objects identified between two pauses, which takes a few milliseconds. */
const AT_ONCE = 2000;

class Identification {
  readonly #draft: Schema;
  readonly #before: Schema | undefined;
  readonly #hints: readonly RenameHint[];
  readonly #iris = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Objects of the old schema: by native id, by name, and by the columns that they are on. */
  #byNativeId: ObjectIndex = new Map();
  #byName: ObjectIndex = new Map();
  #byPlace: ObjectIndex = new Map();
  /** Objects of the new schema, by kind and name. */
  #nowByName: ObjectIndex = new Map();

  constructor(draft: Schema, before: Schema | undefined, hints: readonly RenameHint[]) {
    this.#draft = draft;
    this.#before = before;
    this.#hints = hints;
  }

  *#makeIndexes(): Pausing<void> {
    const objects = this.#before?.objects ?? [];
    this.#byNativeId = indexBy(objects, ({ values }) => values.nativeId);
    this.#byName = indexBy(objects, (object) => this.#nameKey(object, object.name));
    yield;
    this.#byPlace = indexBy(objects, (object) => {
      const place = placeOf(object, same);
      const home = isOwned(object) ? "" : object.parent;
      return place === undefined ? undefined : keyOf(object.kind, home, place);
    });
    yield;
    this.#nowByName = indexBy(this.#draft.objects, (object) =>
      keyOf(object.kind, "", nameTextOf(object)),
    );
  }

  /**
   * Whether both schemas were read from the same database. Native ids are meaningless in any other,
   * including a copy.
   */
  get #isSameDatabase(): boolean {
    return this.#draft.database.values.nativeId === this.#before?.database.values.nativeId;
  }

  *run(): Pausing<Schema> {
    yield* this.#makeIndexes();
    yield;
    const levels = levelsOf(this.#draft);
    yield;
    for (const level of levels) yield* this.#identifyNamed(level.filter(isNamed));
    yield;
    for (const object of levels.flat().filter((each) => !isNamed(each))) {
      const says = contentOf(object, (id) => this.#iriOf(id));
      this.#assign(object, this.#sameByContent(object, says));
      this.#assign(object, { id: this.#mint(object, says) });
    }
    yield;
    const identified: SchemaObject[] = [];
    for (const object of this.#draft.objects) {
      identified.push(this.#identified(object));
      if (identified.length % AT_ONCE === 0) yield;
    }
    yield;
    return new Schema(identified);
  }

  #identified<O extends SchemaObject>(object: O): O {
    return {
      ...object,
      id: this.#iriOf(object.id),
      parent: object.parent === undefined ? undefined : this.#iriOf(object.parent),
      values: withIds(object.values, (id) => this.#iriOf(id)),
    };
  }

  /**
   * Matches by native id or hint first, because another object may have taken over the name. A
   * serial column's sequence is matched by its column, so that its counter stays with the column.
   */
  *#identifyNamed(level: readonly SchemaObject[]): Pausing<void> {
    const left = (): readonly SchemaObject[] => level.filter(({ id }) => !this.#iris.has(id));
    const byPlace = (object: SchemaObject): SchemaObject | undefined => this.#sameByPlace(object);
    yield* this.#assignEach(level, (object) => this.#sameById(object));
    yield* this.#assignEach(left().filter(isOwned), byPlace);
    yield* this.#assignEach(left(), (object) => this.#sameByName(object));
    yield* this.#assignEach(left(), byPlace);
    yield* this.#assignEach(left(), (object) => ({ id: this.#mint(object, nameTextOf(object)) }));
  }

  *#assignEach(
    objects: readonly SchemaObject[],
    sameOf: (object: SchemaObject) => { readonly id: string } | undefined,
  ): Pausing<void> {
    for (const [index, object] of objects.entries()) {
      this.#assign(object, sameOf(object));
      if (index % AT_ONCE === AT_ONCE - 1) yield;
    }
  }

  /**
   * Matches an index, key or sequence of a renamed table by its columns, because PostgreSQL derives
   * the name of such an object from the table's name.
   */
  #sameByPlace(object: SchemaObject): SchemaObject | undefined {
    const place = placeOf(object, (id) => this.#iriOf(id));
    if (place === undefined || object.parent === undefined) return undefined;
    // A serial column's sequence moves to another schema together with its table.
    const home = isOwned(object) ? "" : this.#iriOf(object.parent);
    const there = this.#free(this.#byPlace.get(keyOf(object.kind, home, place)));
    if (isOwned(object)) return there.find(({ name }) => name === object.name) ?? there[0];
    return there.find((each) => !this.#isStillNamed(each));
  }

  /** Whether the new schema has an object with the same kind, name and parent. */
  #isStillNamed(object: SchemaObject): boolean {
    const namesakes = this.#nowByName.get(keyOf(object.kind, "", nameTextOf(object))) ?? [];
    return namesakes.some(
      (each) =>
        (each.parent === undefined ? undefined : this.#iriOf(each.parent)) === object.parent,
    );
  }

  /** The lookup key of a name below its parent. SQLite's names are case-insensitive. */
  #nameKey(
    { kind, parent }: Pick<SchemaObject, "kind" | "parent">,
    name: string | undefined,
  ): string | undefined {
    return name === undefined ? undefined : this.#keyOfName({ kind, parent }, name);
  }

  #keyOfName(
    { kind, parent }: { readonly kind: Kind; readonly parent: string | undefined },
    name: string,
  ): string {
    return keyOf(kind, parent, this.#draft.dialect === "sqlite" ? fold(name) : name);
  }

  /** The objects that are not matched with an object of the new schema yet. */
  #free(objects: readonly SchemaObject[] = []): readonly SchemaObject[] {
    return objects.filter(({ id }) => !this.#taken.has(id));
  }

  #iriOf(id: string): string {
    return this.#iris.get(id) ?? id;
  }

  #assign(object: SchemaObject, same: { readonly id: string } | undefined): void {
    if (same === undefined || this.#iris.has(object.id) || this.#taken.has(same.id)) return;
    this.#iris.set(object.id, same.id);
    this.#taken.add(same.id);
  }

  #sameById(object: SchemaObject): SchemaObject | undefined {
    const nativeId = object.values.nativeId;
    if (nativeId !== undefined && this.#isSameDatabase) {
      const [same] = this.#byNativeId.get(nativeId) ?? [];
      if (same?.kind === object.kind) return same;
    }
    const hint = this.#hints.find((each) => isHintAbout(each, object, this.#draft));
    if (hint?.fromSchema === undefined) {
      return hint === undefined ? undefined : this.#namesake(object, hint.from);
    }
    const place = this.#before?.all("Schema").find(({ name }) => name === hint.fromSchema);
    return place === undefined ? undefined : this.#namesake(object, hint.from, place.id);
  }

  #sameByName(object: SchemaObject): SchemaObject | undefined {
    if (object.parent === undefined) return this.#before?.database;
    return this.#namesake(object, nameTextOf(object));
  }

  #namesake(
    { kind, parent: above }: SchemaObject,
    name: string,
    parent = above === undefined ? undefined : this.#iriOf(above),
  ): SchemaObject | undefined {
    const there = this.#free(this.#byName.get(this.#keyOfName({ kind, parent }, name)));
    return there.find((each) => each.name === name) ?? there[0];
  }

  #sameByContent({ kind, parent }: SchemaObject, says: string): SchemaObject | undefined {
    if (parent === undefined) return undefined;
    const siblings = this.#before?.partsOf(this.#iriOf(parent), kind) ?? [];
    return siblings.find(
      (each) => !isNamed(each) && !this.#taken.has(each.id) && contentOf(each, same) === says,
    );
  }

  #mint({ kind, parent }: SchemaObject, what: string): string {
    for (let again = 0; ; again++) {
      const place = parent === undefined ? "" : this.#iriOf(parent);
      const seed = JSON.stringify([kind, place, what, ...(again === 0 ? [] : [again])]);
      const hash = createHash("sha256").update(seed).digest("hex").slice(0, 32);
      const iri = `urn:steward:schema:${kind.toLowerCase()}:${hash}`;
      if (!this.#taken.has(iri) && this.#before?.find(iri) === undefined) return iri;
    }
  }
}

/** Whether a hint names this object. */
export function isHintAbout(hint: RenameHint, object: SchemaObject, schema: Schema): boolean {
  const { kind, name, parent } = object;
  if (!HINTED[hint.kind].includes(kind) || !isSameName(hint.to, name)) return false;
  const above = schema.find(parent);
  const isPart = hint.kind === "Column" || hint.kind === "Constraint";
  if (isPart && !isSameName(above?.name, hint.table)) return false;
  const place = isPart ? schema.find(above?.parent) : above;
  return hint.schema === undefined || isSameName(hint.schema, place?.name);
}

function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && fold(one) === fold(other);
}

/**
 * The name in keys and in the seeds of IRIs. An unnamed object has an empty text there, which is
 * part of stored IRIs.
 */
function nameTextOf({ name }: SchemaObject): string {
  return name ?? "";
}

const same = (id: string): string => id;

/**
 * Whether an object can be matched by name. The database object cannot: it is matched by being the
 * only one.
 */
function isNamed(object: SchemaObject): boolean {
  return object.name !== undefined || object.parent === undefined;
}

/**
 * The columns that a key, an index or a sequence is on; undefined where these do not identify it.
 */
function placeOf({ values }: SchemaObject, idOf: (id: string) => string): string | undefined {
  const { columns, parts, ownedBy, columnName, target, isUnique, where } = values;
  if (values.definition === undefined && ownedBy === undefined) return undefined;
  if (columns === undefined && parts === undefined && ownedBy === undefined) return undefined;
  const place = { columns, parts, ownedBy, columnName, target, isUnique, where };
  const said = Object.entries(place).filter(([, value]) => value !== undefined);
  // Values consist of JSON types only.
  return canonicalJson(withIds(Object.fromEntries(said), idOf) as unknown as JsonValue);
}

/** The whole content of an object without its layout. */
function contentOf(object: SchemaObject, idOf: (id: string) => string): string {
  const entries = Object.entries(withIds(object.values, idOf)).filter(
    ([property]) => PROPERTIES[property as PropertyName].isLayout !== true,
  );
  // Values consist of JSON types only.
  return canonicalJson(Object.fromEntries(entries));
}

/**
 * The objects by level: the database, its parts, their parts, and so on. Objects that belong to a
 * column come last, because they are matched by the column when their name has changed.
 */
function levelsOf(schema: Schema): readonly (readonly SchemaObject[])[] {
  const levels: (readonly SchemaObject[])[] = [];
  for (let level: readonly SchemaObject[] = [schema.database]; level.length > 0;) {
    levels.push(level.filter((each) => !isOwned(each)));
    level = level.flatMap(({ id }) => schema.partsOf(id));
  }
  return [...levels, schema.objects.filter(isOwned)];
}

/** Whether the object is the sequence of a serial column. */
function isOwned({ values }: SchemaObject): boolean {
  return values.ownedBy !== undefined;
}

function fold(name: string): string {
  return name.toLowerCase();
}
