import type { PostgresObject, PostgresSchema } from "../../model/schema.js";

/** The parent object that a partition's index or constraint is attached to. */
export function attachedTo({ values }: PostgresObject): string | undefined {
  return values.attachedTo?.ref;
}

/**
 * The indexes and constraints of partitions, grouped by the parent object that they are attached
 * to.
 */
export class Attachments {
  readonly #schema: PostgresSchema;
  readonly #parts = new Map<string, PostgresObject[]>();

  constructor(schema: PostgresSchema) {
    this.#schema = schema;
    for (const object of schema.objects) {
      const whole = attachedTo(object);
      if (whole === undefined) continue;
      const parts = this.#parts.get(whole);
      if (parts === undefined) this.#parts.set(whole, [object]);
      else parts.push(object);
    }
  }

  /** The objects attached directly to an index or a constraint. */
  partsOf(id: string): readonly PostgresObject[] {
    return this.#parts.get(id) ?? [];
  }

  /** An index or constraint with everything attached to it, recursively. */
  allOf(object: PostgresObject): readonly PostgresObject[] {
    return [object, ...this.partsOf(object.id).flatMap((part) => this.allOf(part))];
  }

  /**
   * The topmost object that an index or a constraint is attached to; the object itself when it is
   * attached to nothing.
   */
  rootOf(object: PostgresObject): PostgresObject {
    const whole = this.#schema.find(attachedTo(object));
    return whole === undefined ? object : this.rootOf(whole);
  }

  /**
   * Whether partition indexes must be attached one by one. That is so for an index that stays
   * invalid because it lacks partition indexes, and where PostgreSQL would otherwise attach another
   * equivalent index of a partition.
   */
  isAttachedOneByOne(index: PostgresObject): boolean {
    if (index.kind === "ForeignKey") return false;
    if (index.values.isInvalid === true) return true;
    return this.partsOf(index.id).some((part) => {
      const siblings = this.#schema.partsOf(part.parent, "Index", part.kind);
      return siblings.some(
        (each) =>
          each.id !== part.id &&
          each.values.definition === part.values.definition &&
          each.values.isUnique === part.values.isUnique,
      );
    });
  }
}
