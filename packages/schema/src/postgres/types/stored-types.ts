import { isOf, type PostgresObject, type PostgresSchema } from "../../model/schema.js";
import { tokensOf } from "../../sql/sql-tokens.js";
import { needsOf } from "../objects/dependency-order.js";
import { isUnchecked } from "../objects/unchecked.js";
import { ownType, parseTypeName } from "./type-name.js";

/**
 * The columns that store values of a type: as they are, or within arrays, domains, ranges,
 * composite types and the row types of tables. PostgreSQL refuses some changes of a type while a
 * column stores it.
 */
export class StoredTypes {
  readonly #schema: PostgresSchema;
  /** The columns, types and views that use a type or the row type of a table, by its id. */
  readonly #users = new Map<string, PostgresObject[]>();
  readonly #heirs = new Map<string, PostgresObject[]>();

  constructor(schema: PostgresSchema) {
    this.#schema = schema;
    for (const user of [
      ...schema.all("Column").filter(({ values }) => values.type.includes(".")),
      ...(["CompositeType", "Domain", "RangeType"] as const).flatMap((kind) => schema.all(kind)),
    ]) {
      for (const id of needsOf(user)) if (id !== user.parent) add(this.#users, id, user);
    }
    for (const view of schema.all("MaterializedView")) {
      const types = (view.values.shownColumns ?? []).flatMap(({ type }) => type ?? []);
      for (const id of needsOf(view)) {
        const name = nameParts(schema, id);
        if (types.some((type) => name === partsIn(type))) add(this.#users, id, view);
      }
    }
    for (const table of schema.all("Table")) {
      for (const part of table.values.inherits ?? []) add(this.#heirs, part.table.ref, table);
    }
  }

  /** The columns that store a type, or the row type of a table or of one of its children. */
  columnsOf(id: string): readonly PostgresObject<"Column">[] {
    return this.#usersOf(id).filter((user) => isOf(user, ["Column"]));
  }

  /** The types over a type or row type. */
  typesOver(id: string): readonly PostgresObject[] {
    return this.#usersOf(id).filter((user) => !isOf(user, ["Column", "MaterializedView"]));
  }

  /** The materialized views that store a type or a row type. */
  viewsOf(id: string): readonly PostgresObject<"MaterializedView">[] {
    return this.#usersOf(id).filter((user) => isOf(user, ["MaterializedView"]));
  }

  #usersOf(id: string): readonly PostgresObject[] {
    const found = new Set<PostgresObject>();
    const seen = new Set([id]);
    for (const type of seen) {
      for (const user of this.#users.get(type) ?? []) {
        found.add(user);
        seen.add(user.kind === "Column" ? user.parent : user.id);
      }
      for (const heir of this.#heirs.get(type) ?? []) seen.add(heir.id);
    }
    return [...found];
  }

  /**
   * The columns that store a domain within something else than a domain. PostgreSQL does not check
   * their values, and therefore does not make the domain stricter.
   */
  containersOf(domain: string): readonly PostgresObject<"Column">[] {
    return this.columnsOf(domain).filter(({ values }) => !this.#isOfDomain(values.type, domain));
  }

  #isOfDomain(type: string, id: string): boolean {
    const own = parseTypeName(type).isArray ? undefined : ownType(this.#schema, type);
    if (own?.kind !== "Domain") return false;
    return own.id === id || this.#isOfDomain(own.values.type, id);
  }
}

/** Whether PostgreSQL checks the stored values of a domain, because it gets stricter. */
export function isStricter(
  base: PostgresSchema,
  target: PostgresSchema,
  { id, values }: PostgresObject,
  isAdded: (check: PostgresObject) => boolean,
): boolean {
  if (values.notNull !== true && target.get(id).values.notNull === true) return true;
  return target.partsOf(id, "CheckConstraint").some((check) => {
    if (isUnchecked(check)) return false;
    const before = base.find(check.id);
    return isAdded(check) || (before !== undefined && isUnchecked(before));
  });
}

/** The name of a type with its schema, in a form to be compared. */
function nameParts(schema: PostgresSchema, id: string): string | undefined {
  const type = schema.find(id);
  const home = schema.find(type?.parent);
  return home?.kind === "Schema" ? `${home.name}\0.\0${type?.name ?? ""}` : undefined;
}

function partsIn(type: string): string {
  const tokens = tokensOf(parseTypeName(type).name, "postgres");
  return tokens.map(({ value }) => value).join("\0");
}

function add<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
