import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../kernel/canonical-json.js";
import { type Pausing, withoutPauses } from "../kernel/pausing.js";
import { indexBy, keyOf, type ObjectIndex } from "./index-by.js";
import type { Kind } from "./kinds.js";
import { Schema, type SchemaObject, textOf, withIds } from "./schema.js";
import { PROPERTIES, type PropertyName } from "./vocabulary.js";

/** What a rename hint may be about. */
export type HintedKind =
  "Schema" | "Table" | "Column" | "Constraint" | "Index" | "View" | "Trigger" | "Type" | "Sequence";

/** That an object is one of before under another name, or in another schema. */
export interface RenameHint {
  readonly kind: HintedKind;
  /** The schema of the object, or of a part's table, as it is now; any schema when absent. */
  readonly schema?: string;
  /** The table of a column or a constraint, by its name now. */
  readonly table?: string;
  /** The schema that the object was in, by its name then; the same one as now when absent. */
  readonly fromSchema?: string;
  readonly from: string;
  readonly to: string;
}

/** What a hint's word stands for. */
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
 * Gives every object its IRI: that of the same object in an earlier schema, and a new one otherwise.
 * An object is the same when its engine's own id is, when a hint says so, or when its name is; a
 * constraint without a name, when it says the same. A new IRI is a function of kind, place and name.
 */
export function identify(
  draft: Schema,
  before: Schema | undefined,
  hints: readonly RenameHint[] = [],
): Schema {
  return withoutPauses(identifying(draft, before, hints));
}

/** Gives every object its IRI as {@link identify} does, with pauses. */
export function identifying(
  draft: Schema,
  before: Schema | undefined,
  hints: readonly RenameHint[] = [],
): Pausing<Schema> {
  return new Identification(draft, before, hints).run();
}

/** Objects that are identified from one pause to the next: some milliseconds. */
const AT_ONCE = 2000;

class Identification {
  readonly #draft: Schema;
  readonly #before: Schema | undefined;
  readonly #hints: readonly RenameHint[];
  readonly #iris = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Objects of before: by the engine's own id, by name, and by what they are about. */
  #byNativeId: ObjectIndex = new Map();
  #byName: ObjectIndex = new Map();
  #byPlace: ObjectIndex = new Map();
  /** Objects of now, by kind and name. */
  #nowByName: ObjectIndex = new Map();

  constructor(draft: Schema, before: Schema | undefined, hints: readonly RenameHint[]) {
    this.#draft = draft;
    this.#before = before;
    this.#hints = hints;
  }

  *#makeIndexes(): Pausing<void> {
    const objects = this.#before?.objects ?? [];
    this.#byNativeId = indexBy(objects, ({ values }) => textOf(values, "nativeId"));
    this.#byName = indexBy(objects, (object) => this.#nameKey(object, object.name));
    yield;
    this.#byPlace = indexBy(objects, (object) => {
      const place = placeOf(object, same);
      const home = isOwned(object) ? "" : object.parent;
      return place === undefined ? undefined : keyOf(object.kind, home, place);
    });
    yield;
    this.#nowByName = indexBy(this.#draft.objects, ({ kind, name = "" }) => keyOf(kind, "", name));
  }

  /** Ids of the engine mean something only within one database, and not in a copy of it. */
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
      identified.push({
        ...object,
        id: this.#iriOf(object.id),
        parent: object.parent === undefined ? undefined : this.#iriOf(object.parent),
        values: withIds(object.values, (id) => this.#iriOf(id)),
      });
      if (identified.length % AT_ONCE === 0) yield;
    }
    yield;
    return new Schema(identified);
  }

  /**
   * Sameness by id or hint goes before sameness by name, which may have passed on to another. A serial
   * column's sequence goes with the column: the numbers that it has given out are the column's.
   */
  *#identifyNamed(level: readonly SchemaObject[]): Pausing<void> {
    const left = (): readonly SchemaObject[] => level.filter(({ id }) => !this.#iris.has(id));
    const byPlace = (object: SchemaObject): SchemaObject | undefined => this.#sameByPlace(object);
    yield* this.#assignEach(level, (object) => this.#sameById(object));
    yield* this.#assignEach(left().filter(isOwned), byPlace);
    yield* this.#assignEach(left(), (object) => this.#sameByName(object));
    yield* this.#assignEach(left(), byPlace);
    yield* this.#assignEach(left(), (object) => ({ id: this.#mint(object, object.name ?? "") }));
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
   * PostgreSQL names keys, indexes and sequences after their table: when that was renamed, they are the
   * same if they are about the same columns.
   */
  #sameByPlace(object: SchemaObject): SchemaObject | undefined {
    const place = placeOf(object, (id) => this.#iriOf(id));
    if (place === undefined || object.parent === undefined) return undefined;
    // A serial column's sequence follows its table into another schema.
    const home = isOwned(object) ? "" : this.#iriOf(object.parent);
    const there = this.#free(this.#byPlace.get(keyOf(object.kind, home, place)));
    if (isOwned(object)) return there.find(({ name }) => name === object.name) ?? there[0];
    return there.find((each) => !this.#isStillNamed(each));
  }

  /** Whether some object of now has the name that this one had, in the same place. */
  #isStillNamed({ kind, name = "", parent }: SchemaObject): boolean {
    const namesakes = this.#nowByName.get(keyOf(kind, "", name)) ?? [];
    return namesakes.some(
      (each) => (each.parent === undefined ? undefined : this.#iriOf(each.parent)) === parent,
    );
  }

  /** The key of a name in its place; SQLite does not tell names apart by case. */
  #nameKey(
    { kind, parent }: Pick<SchemaObject, "kind" | "parent">,
    name: string | undefined,
  ): string | undefined {
    if (name === undefined) return undefined;
    return keyOf(kind, parent, this.#draft.dialect === "sqlite" ? fold(name) : name);
  }

  /** Those that are not known to be another object of now. */
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
    const nativeId = textOf(object.values, "nativeId");
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
    return this.#namesake(object, object.name ?? "");
  }

  #namesake(
    { kind, parent: above }: SchemaObject,
    name: string,
    parent = this.#iriOf(above ?? ""),
  ): SchemaObject | undefined {
    const there = this.#free(this.#byName.get(this.#nameKey({ kind, parent }, name) ?? ""));
    return there.find((each) => each.name === name) ?? there[0];
  }

  #sameByContent({ kind, parent }: SchemaObject, says: string): SchemaObject | undefined {
    const siblings = this.#before?.partsOf(this.#iriOf(parent ?? ""), kind) ?? [];
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

/** Whether a hint is about an object of a schema. */
export function isHintAbout(hint: RenameHint, object: SchemaObject, schema: Schema): boolean {
  const { kind, name, parent = "" } = object;
  if (!HINTED[hint.kind].includes(kind) || fold(hint.to) !== fold(name ?? "")) return false;
  const above = schema.find(parent);
  const isPart = hint.kind === "Column" || hint.kind === "Constraint";
  if (isPart && fold(above?.name ?? "") !== fold(hint.table ?? "")) return false;
  const place = isPart ? schema.find(above?.parent ?? "") : above;
  return hint.schema === undefined || fold(place?.name ?? "") === fold(hint.schema);
}

const same = (id: string): string => id;

/** The database itself is found by its being the only one. */
function isNamed(object: SchemaObject): boolean {
  return object.name !== undefined || object.parent === undefined;
}

/** What a key, an index or a sequence is about; undefined where that does not tell which it is. */
function placeOf({ values }: SchemaObject, idOf: (id: string) => string): string | undefined {
  const { columns, parts, ownedBy, target, isUnique, where } = values;
  if (values.definition === undefined && ownedBy === undefined) return undefined;
  if (columns === undefined && parts === undefined && ownedBy === undefined) return undefined;
  const place = { columns, parts, ownedBy, target, isUnique, where };
  const said = Object.entries(place).filter(([, value]) => value !== undefined);
  // Values are made of what JSON has.
  return canonicalJson(withIds(Object.fromEntries(said), idOf) as unknown as JsonValue);
}

/** Everything that an object says, except where it is laid out. */
function contentOf(object: SchemaObject, idOf: (id: string) => string): string {
  const entries = Object.entries(withIds(object.values, idOf)).filter(
    ([property]) => PROPERTIES[property as PropertyName].isLayout !== true,
  );
  // Values are made of what JSON has.
  return canonicalJson(Object.fromEntries(entries) as unknown as JsonValue);
}

/**
 * The database, what it is made of, what that is made of, and so on. What goes with a column comes last:
 * it is known by the column where its name has changed.
 */
function levelsOf(schema: Schema): readonly (readonly SchemaObject[])[] {
  const levels: (readonly SchemaObject[])[] = [];
  for (let level: readonly SchemaObject[] = [schema.database]; level.length > 0;) {
    levels.push(level.filter((each) => !isOwned(each)));
    level = level.flatMap(({ id }) => schema.partsOf(id));
  }
  return [...levels, schema.objects.filter(isOwned)];
}

/** Whether it is a sequence of a serial column. */
function isOwned({ values }: SchemaObject): boolean {
  return values.ownedBy !== undefined;
}

function fold(name: string): string {
  return name.toLowerCase();
}
