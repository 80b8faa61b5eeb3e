import type { Kind } from "../../model/kinds.js";
import { nameOf, type PostgresObject, type PostgresSchema } from "../../model/schema.js";
import { rebuildPlanBetween } from "../rebuild-plan.js";
import { Renames } from "../renames.js";

const RELATIONS: readonly Kind[] = ["Table", "View", "MaterializedView"];

/**
 * Resolves the names in a script's statements. Scripts rename objects first, so a name is looked up
 * in the target, then among the renamed objects, then in the base.
 */
export class RelationNames {
  readonly #schemas: readonly PostgresSchema[];
  readonly #byName = new Map<string, PostgresObject>();
  readonly #indexes = new Map<string, string>();

  constructor(base: PostgresSchema, target: PostgresSchema) {
    const { renamed } = new Renames(base, target, rebuildPlanBetween(base, target));
    this.#schemas = [target, renamed, base];
    for (const schema of this.#schemas) {
      for (const relation of RELATIONS.flatMap((kind) => schema.all(kind))) {
        const path = schema.pathOf(relation);
        if (!this.#byName.has(path)) this.#byName.set(path, relation);
      }
      for (const index of schema.all("Index")) this.#addIndex(schema, index);
    }
  }

  /** An index is qualified by its table's schema. */
  #addIndex(schema: PostgresSchema, { name, parent }: PostgresObject<"Index">): void {
    const home = schema.find(schema.find(parent)?.parent);
    if (home === undefined) return;
    const path = `${nameOf(home)}.${name}`;
    if (!this.#indexes.has(path)) this.#indexes.set(path, parent);
  }

  /** The table or view with a qualified name. */
  relation(name: string): PostgresObject | undefined {
    return this.#byName.get(name);
  }

  /** The name of a table: its target name if the target has the table. */
  nameOf(id: string): string {
    for (const schema of this.#schemas) {
      const object = schema.find(id);
      if (object !== undefined) return schema.pathOf(object);
    }
    return "";
  }

  /** A table's column or foreign key, by name. */
  partOf<K extends Kind>(table: string, name: string, kind: K): PostgresObject<K> | undefined {
    const id = this.relation(table)?.id;
    for (const schema of this.#schemas) {
      const part = schema.partsOf(id, kind).find((each) => each.name === name);
      if (part !== undefined) return part;
    }
    return undefined;
  }

  domain(name: string): PostgresObject | undefined {
    for (const schema of this.#schemas) {
      const domain = schema.all("Domain").find((each) => schema.pathOf(each) === name);
      if (domain !== undefined) return domain;
    }
    return undefined;
  }

  /** The table that an index is on. */
  tableOfIndex(name: string): string | undefined {
    const table = this.#indexes.get(name);
    return table === undefined ? undefined : this.nameOf(table);
  }

  /** The partitions or inheritance children of a table. */
  partitionsOf(name: string): readonly PostgresObject[] {
    const id = this.relation(name)?.id;
    const [, , base] = this.#schemas;
    return (base?.all("Table") ?? []).filter(({ values }) =>
      (values.inherits ?? []).some((part) => part.table.ref === id),
    );
  }
}
