import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../kernel/canonical-json.js";
import type { Kind } from "./kinds.js";
import { Schema, type SchemaObject, withIds } from "./schema.js";
import { PROPERTIES, type PropertyName } from "./vocabulary.js";

/** That an object is one of before under another name. Its table is named as it is now. */
export interface RenameHint {
  readonly kind: "Table" | "Column" | "Index" | "View" | "Trigger" | "Type";
  /** The table of a column, by its name now. */
  readonly table?: string;
  readonly from: string;
  readonly to: string;
}

/** What a hint's word stands for. */
const HINTED: Readonly<Record<RenameHint["kind"], readonly Kind[]>> = {
  Table: ["Table"],
  Column: ["Column"],
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
  return new Identification(draft, before, hints).run();
}

class Identification {
  readonly #draft: Schema;
  readonly #before: Schema | undefined;
  readonly #hints: readonly RenameHint[];
  readonly #iris = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(draft: Schema, before: Schema | undefined, hints: readonly RenameHint[]) {
    this.#draft = draft;
    this.#before = before;
    this.#hints = hints;
  }

  /** Ids of the engine mean something only within one database, and not in a copy of it. */
  get #isSameDatabase(): boolean {
    return this.#draft.database.values.nativeId === this.#before?.database.values.nativeId;
  }

  run(): Schema {
    const levels = levelsOf(this.#draft);
    for (const level of levels) this.#identifyNamed(level.filter(isNamed));
    for (const object of levels.flat().filter((each) => !isNamed(each))) {
      const says = contentOf(object, (id) => this.#iriOf(id));
      this.#assign(object, this.#sameByContent(object, says));
      this.#assign(object, { id: this.#mint(object, says) });
    }
    return new Schema(
      this.#draft.objects.map((object) => ({
        ...object,
        id: this.#iriOf(object.id),
        parent: object.parent === undefined ? undefined : this.#iriOf(object.parent),
        values: withIds(object.values, (id) => this.#iriOf(id)),
      })),
    );
  }

  /**
   * Sameness by id or hint goes before sameness by name, which may have passed on to another. A serial
   * column's sequence goes with the column: the numbers that it has given out are the column's.
   */
  #identifyNamed(level: readonly SchemaObject[]): void {
    for (const object of level) this.#assign(object, this.#sameById(object));
    for (const object of level.filter(isOwned)) this.#assign(object, this.#sameByPlace(object));
    for (const object of level) this.#assign(object, this.#sameByName(object));
    for (const object of level) this.#assign(object, this.#sameByPlace(object));
    for (const object of level) this.#assign(object, { id: this.#mint(object, object.name ?? "") });
  }

  /**
   * PostgreSQL names keys, indexes and sequences after their table: when that was renamed, they are the
   * same if they are about the same columns.
   */
  #sameByPlace(object: SchemaObject): SchemaObject | undefined {
    const place = placeOf(object, (id) => this.#iriOf(id));
    if (place === undefined || object.parent === undefined) return undefined;
    const siblings = this.#before?.partsOf(this.#iriOf(object.parent), object.kind) ?? [];
    const free = siblings.filter(({ id }) => !this.#taken.has(id));
    const there = free.filter((each) => placeOf(each, same) === place);
    if (isOwned(object)) return there.find(({ name }) => name === object.name) ?? there[0];
    return there.find((each) => !this.#isStillNamed(each));
  }

  /** Whether some object of now has the name that this one had, in the same place. */
  #isStillNamed({ kind, name, parent }: SchemaObject): boolean {
    return this.#draft.objects.some(
      (each) =>
        each.kind === kind &&
        each.name === name &&
        (each.parent === undefined ? undefined : this.#iriOf(each.parent)) === parent,
    );
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
    const { nativeId } = object.values;
    if (nativeId !== undefined && this.#isSameDatabase) {
      const same = this.#before?.objects.find((each) => each.values.nativeId === nativeId);
      if (same?.kind === object.kind) return same;
    }
    const hint = this.#hints.find((each) => this.#isAbout(each, object));
    return hint === undefined ? undefined : this.#namesake(object, hint.from);
  }

  #isAbout(hint: RenameHint, { kind, name, parent }: SchemaObject): boolean {
    if (!HINTED[hint.kind].includes(kind) || fold(hint.to) !== fold(name ?? "")) return false;
    const table = parent === undefined ? undefined : this.#draft.find(parent);
    return hint.kind !== "Column" || fold(table?.name ?? "") === fold(hint.table ?? "");
  }

  #sameByName(object: SchemaObject): SchemaObject | undefined {
    if (object.parent === undefined) return this.#before?.database;
    return this.#namesake(object, object.name ?? "");
  }

  #namesake({ kind, parent }: SchemaObject, name: string): SchemaObject | undefined {
    if (parent === undefined) return undefined;
    const siblings = this.#before?.partsOf(this.#iriOf(parent), kind) ?? [];
    const free = siblings.filter(({ id }) => !this.#taken.has(id));
    return (
      free.find((each) => each.name === name) ??
      (this.#draft.dialect === "sqlite"
        ? free.find((each) => each.name !== undefined && fold(each.name) === fold(name))
        : undefined)
    );
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
