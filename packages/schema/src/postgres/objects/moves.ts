import type { Kind } from "../../model/kinds.js";
import { nameOf, type PostgresObject, type PostgresSchema } from "../../model/schema.js";

/**
 * Kinds that share a namespace within a schema of PostgreSQL: relations, their indexes, and types.
 */
const RELATIONS: readonly Kind[] = [
  ...(["Table", "View", "MaterializedView", "Sequence", "Index"] as const),
  ...(["PrimaryKey", "UniqueConstraint", "ExclusionConstraint"] as const),
  ...(["EnumType", "CompositeType", "RangeType", "Domain"] as const),
];
const INDEXED: readonly Kind[] = [
  ...(["Index", "PrimaryKey", "UniqueConstraint", "ExclusionConstraint"] as const),
];

/**
 * The PostgreSQL schema that contains an object or its table; undefined for objects outside of
 * schemas.
 */
export function homeOf(schema: PostgresSchema, object: PostgresObject): string | undefined {
  if (object.kind === "Schema") return undefined;
  const above = schema.find(object.parent);
  return above?.kind === "Schema" ? above.id : above && homeOf(schema, above);
}

/** Objects that ALTER … SET SCHEMA moves to another schema together with their rows. */
export class Moves {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #recreated: ReadonlySet<string>;
  readonly #places: ReadonlyMap<string, readonly Place[]>;
  /**
   * Objects moved by statements of their own. Indexes and serial columns' sequences move with their
   * table.
   */
  readonly moved: readonly PostgresObject[];
  /**
   * Temporary names for objects whose final name is still in use in the schema that they move to.
   */
  readonly between: ReadonlyMap<string, string>;

  constructor(base: PostgresSchema, target: PostgresSchema, recreated: ReadonlySet<string>) {
    this.#base = base;
    this.#target = target;
    this.#recreated = recreated;
    this.moved = base.objects.filter((old) => this.#isMovedItself(old));
    this.#places = this.moved.length === 0 ? new Map() : this.#findPlaces();
    this.between = this.moved.length === 0 ? new Map() : this.#findBetween();
  }

  /** The schema that contains an object of the base after all moves. */
  parentOf(old: PostgresObject): string | undefined {
    if (this.#base.find(old.parent)?.kind !== "Schema") return old.parent;
    if (this.#isMovedItself(old)) return this.#target.get(old.id).parent;
    const table = this.#ownerOf(old);
    return table === undefined ? old.parent : this.parentOf(table);
  }

  #isMovedItself(old: PostgresObject): boolean {
    const now = this.#target.find(old.id);
    if (now === undefined || now.parent === old.parent || this.#recreated.has(old.id)) return false;
    if (this.#base.find(old.parent)?.kind !== "Schema") return false;
    return this.#ownerOf(old) === undefined;
  }

  /** The table that owns a serial column's sequence. */
  #ownerOf({ values }: PostgresObject): PostgresObject | undefined {
    const owner = this.#base.find(values.ownedBy?.ref);
    return owner?.kind === "Column" ? this.#base.above(owner) : owner;
  }

  #findBetween(): ReadonlyMap<string, string> {
    const between = new Map<string, string>();
    for (const old of this.#base.objects) {
      if (!RELATIONS.includes(old.kind) || !this.#isInTheWay(old)) continue;
      between.set(old.id, `_steward_move_${between.size}`);
    }
    return between;
  }

  #isInTheWay(old: PostgresObject): boolean {
    const [from, to] = [homeOf(this.#base, old), this.#homeAfter(old)];
    const name = this.#isKept(old) ? this.#target.get(old.id).name : old.name;
    if (from !== to) {
      return this.#others(old).some(
        (each) => [old.name, name].includes(each.name) && [from, to].includes(each.home),
      );
    }
    if (this.#isKept(old) || !INDEXED.includes(old.kind)) return false;
    return this.#others(old).some(
      (each) => each.isMovedHere && each.name === old.name && each.home === to,
    );
  }

  #others({ id, name }: PostgresObject): readonly Place[] {
    const after = this.#target.find(id)?.name;
    return [name, after]
      .flatMap((each) => (each === undefined ? [] : (this.#places.get(each) ?? [])))
      .filter((place) => place.id !== id);
  }

  /** The schemas that contain objects before and after the moves, by the objects' names. */
  #findPlaces(): ReadonlyMap<string, readonly Place[]> {
    const places = [
      ...this.#relations(this.#base).map((old) => ({
        id: old.id,
        name: nameOf(old),
        home: homeOf(this.#base, old),
        isMovedHere: false,
      })),
      ...this.#relations(this.#target).map((now) => {
        const home = homeOf(this.#target, now);
        const old = this.#base.find(now.id);
        const isMovedHere = old !== undefined && homeOf(this.#base, old) !== home;
        return { id: now.id, name: nameOf(now), home, isMovedHere };
      }),
    ];
    const byName = new Map<string, Place[]>();
    for (const place of places) {
      byName.set(place.name, [...(byName.get(place.name) ?? []), place]);
    }
    return byName;
  }

  #relations(schema: PostgresSchema): readonly PostgresObject[] {
    return schema.objects.filter(({ kind }) => RELATIONS.includes(kind));
  }

  #homeAfter(old: PostgresObject): string | undefined {
    const above = this.#base.find(old.parent);
    return above?.kind === "Schema" ? this.parentOf(old) : above && this.#homeAfter(above);
  }

  #isKept({ id }: PostgresObject): boolean {
    return this.#target.find(id) !== undefined && !this.#recreated.has(id);
  }
}

interface Place {
  readonly id: string;
  readonly name: string;
  readonly home: string | undefined;
  readonly isMovedHere: boolean;
}
