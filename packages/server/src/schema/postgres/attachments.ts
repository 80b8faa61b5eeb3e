import { idIn, isSet, type Schema, type SchemaObject } from "../schema.js";

/** What a partition's index or constraint is attached to. */
export function attachedTo({ values }: SchemaObject): string | undefined {
  return idIn(values, "attachedTo");
}

/** The indexes and constraints of partitions, by the parent's that they are attached to. */
export class Attachments {
  readonly #schema: Schema;
  readonly #parts = new Map<string, SchemaObject[]>();

  constructor(schema: Schema) {
    this.#schema = schema;
    for (const object of schema.objects) {
      const whole = attachedTo(object);
      if (whole === undefined) continue;
      const parts = this.#parts.get(whole);
      if (parts === undefined) this.#parts.set(whole, [object]);
      else parts.push(object);
    }
  }

  /** What is attached to an index or a constraint. */
  partsOf(id: string): readonly SchemaObject[] {
    return this.#parts.get(id) ?? [];
  }

  /** An index or constraint with its parts, their parts, and so on. */
  allOf(object: SchemaObject): readonly SchemaObject[] {
    return [object, ...this.partsOf(object.id).flatMap((part) => this.allOf(part))];
  }

  /** What an index or a constraint is attached to in the end; itself when to nothing. */
  rootOf(object: SchemaObject): SchemaObject {
    const whole = this.#schema.find(attachedTo(object) ?? "");
    return whole === undefined ? object : this.rootOf(whole);
  }

  /**
   * Whether parts must be attached one by one: to an index that stays invalid, for it lacks some, and where
   * the engine would rather take another index of a partition that says the same.
   */
  isAttachedOneByOne(index: SchemaObject): boolean {
    if (index.kind === "ForeignKey") return false;
    if (isSet(index.values, "isInvalid")) return true;
    return this.partsOf(index.id).some((part) => {
      const siblings = this.#schema.partsOf(part.parent ?? "", "Index", part.kind);
      return siblings.some(
        (each) =>
          each.id !== part.id &&
          each.values.definition === part.values.definition &&
          each.values.isUnique === part.values.isUnique,
      );
    });
  }
}
