import { changesBetween, sameValue } from "../model/schema-diff.js";
import {
  nameOf,
  type Part,
  type PostgresObject,
  type PostgresSchema,
  type Value,
} from "../model/schema.js";
import { isSign, isWord, type Token, tokensOf } from "../sql/sql-tokens.js";
import type { PropertyName } from "../model/vocabulary.js";
import { needsOf } from "./objects/dependency-order.js";
import { isRoutine, nameIn } from "./objects/names.js";

/** Renamed identifiers. */
interface Names {
  /** New names by old names. */
  readonly words: ReadonlyMap<string, string>;
  /** Qualified new names by qualified old names, for objects in other schemas. */
  readonly moved: ReadonlyMap<string, readonly [schema: string, name: string]>;
}

const NO_NAMES: Names = { words: new Map(), moved: new Map() };

/**
 * The renames that apply to an object's texts: of the columns and objects that it needs, and of all
 * other objects.
 */
interface Scope {
  readonly all: Names;
  readonly wholes: Names;
}

/** Properties that hold SQL printed by PostgreSQL, which names other objects. */
const TEXTS: readonly PropertyName[] = [
  ...(["type", "returns", "signature", "collation", "schemaName", "default", "generated"] as const),
  ...(["expression", "where", "definition", "partitionKey", "partitionBound"] as const),
  // Lists whose parts have such properties.
  ...(["parts", "attributes"] as const),
];
/** Properties that hold SQL in which no column is named. */
const OF_TYPES: readonly PropertyName[] = [
  "type",
  "returns",
  "signature",
  "collation",
  "schemaName",
];

/**
 * Predicts how PostgreSQL prints the SQL texts of a base schema after the renames. PostgreSQL
 * stores dependencies by id and prints current names. Only names of objects that the text depends
 * on are replaced, because unrelated objects may have the same names.
 */
export class RenamedText {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #scopes = new Map<string, Scope>();
  readonly #isAny: boolean;

  constructor(base: PostgresSchema, target: PostgresSchema) {
    this.#base = base;
    this.#target = target;
    this.#isAny = base.objects.some(
      (old) => this.#renaming(old) !== undefined || this.#moving(old).length > 0,
    );
  }

  /**
   * The properties of an object that change, apart from the object's own rename and renames of
   * others.
   */
  changedProperties(old: PostgresObject, now: PostgresObject): readonly PropertyName[] {
    const changed = changesBetween(old, now).map(({ property }) => property);
    // A text that is equal before and after may still change, when two objects have swapped their
    // names.
    const texts = this.#isAny ? TEXTS.filter((property) => property in now.values) : [];
    return [...new Set([...changed, ...texts])].flatMap((property) => {
      if (property === "name") return [];
      const [before, after] = [old.values[property], now.values[property]];
      return this.#isKept(old, property, before, after) ? [] : [property];
    });
  }

  #isKept(
    old: PostgresObject,
    property: PropertyName,
    before: Value | undefined,
    after: Value | undefined,
  ): boolean {
    if (typeof before === "string" && typeof after === "string") {
      return TEXTS.includes(property)
        ? this.#becomes(old, property, before, after)
        : before === after;
    }
    if (!isList(before) || !isList(after)) return sameValue(before, after);
    return (
      before.length === after.length &&
      before.every((part, index) => this.#isPartKept(old, part, after[index] ?? {}))
    );
  }

  #isPartKept(old: PostgresObject, before: Part, after: Part): boolean {
    const properties = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...properties].every((key) => {
      // The keys of parts are property names.
      const property = key as PropertyName;
      return this.#isKept(old, property, before[property], after[property]);
    });
  }

  /** Whether a base object's text equals the target's text after the renames. */
  #becomes(old: PostgresObject, property: PropertyName, before: string, after: string): boolean {
    if (!this.#isAny) return spelled(before) === spelled(after);
    const { all, wholes } = this.#scopeOf(old);
    const isView = old.kind === "View" || old.kind === "MaterializedView";
    // A view keeps its own column names when the columns of its tables are renamed.
    const hasColumns = all.words.size > wholes.words.size;
    if (isView && property === "definition" && hasColumns) return false;
    const names = OF_TYPES.includes(property) ? wholes : all;
    // A foreign key's columns are compared separately, because it may name two columns with the
    // same name.
    if (old.kind === "ForeignKey") return mayBecome(before, after, names);
    return renamed(before, names) === spelled(after);
  }

  /** The name of a routine, including its argument types. */
  nameOf(old: PostgresObject): string | undefined {
    if (!isRoutine(old) || old.name === undefined || !this.#isAny) return old.name;
    const { wholes } = this.#scopeOf(old);
    return respelled(old.name, wholes);
  }

  #scopeOf(old: PostgresObject): Scope {
    const known = this.#scopes.get(old.id);
    if (known !== undefined) return known;
    const objects = new Set([old, ...needsOf(old).flatMap((id) => this.#base.find(id) ?? [])]);
    for (const each of [...objects]) this.#above(each).forEach((above) => objects.add(above));
    for (const each of this.#columnsBeside(old)) objects.add(each);
    const renamings = [...objects].flatMap((each) => {
      const to = this.#renaming(each);
      return to === undefined ? [] : [{ kind: each.kind, name: [nameOf(each), to] as const }];
    });
    const moved = new Map([...objects].flatMap((each) => this.#moving(each)));
    const wholes = renamings.filter(({ kind }) => kind !== "Column");
    const scope = {
      all: { words: new Map(renamings.map(({ name }) => name)), moved },
      wholes: { words: new Map(wholes.map(({ name }) => name)), moved },
    };
    this.#scopes.set(old.id, scope);
    return scope;
  }

  #above({ parent }: PostgresObject): readonly PostgresObject[] {
    const above = parent === undefined ? undefined : this.#base.find(parent);
    return above === undefined ? [] : [above, ...this.#above(above)];
  }

  /** Columns that a table's own texts name, and inherited columns of a partition. */
  #columnsBeside(old: PostgresObject): readonly PostgresObject[] {
    const above = old.values.ownedBy?.ref ?? old.parent;
    const table = old.kind === "Table" ? old : this.#base.find(above);
    if (table?.kind !== "Table") return [];
    const parents = this.#parentsOf(table);
    const holders = old === table ? [table, ...parents] : parents;
    return holders.flatMap(({ id }) => this.#base.partsOf(id, "Column"));
  }

  #parentsOf({ values }: PostgresObject): readonly PostgresObject[] {
    return (values.inherits ?? []).flatMap((part) => {
      const parent = this.#base.find(part.table.ref);
      return parent === undefined ? [] : [parent, ...this.#parentsOf(parent)];
    });
  }

  /**
   * How other objects' texts name an object that moves to another schema, before and after the
   * move.
   */
  #moving(
    old: PostgresObject,
  ): readonly (readonly [string, readonly [schema: string, name: string]])[] {
    const now = this.#target.find(old.id);
    const [before, after] = [this.#base.find(old.parent), this.#target.find(now?.parent)];
    if (before?.kind !== "Schema" || now === undefined || after === undefined) return [];
    if (before.id === after.id) return [];
    return [[movedKey(before.name, nameOf(old)), [nameOf(after), nameOf(now)]]];
  }

  #renaming(old: PostgresObject): string | undefined {
    if (isRoutine(old)) return undefined;
    const now = this.#target.find(old.id);
    return now === undefined || now.name === old.name ? undefined : now.name;
  }
}

function movedKey(schema: string, name: string): string {
  return JSON.stringify([schema, name]);
}

/** SQL in a normalized form: names without quotes, tokens separated by single spaces. */
function spelled(sql: string): string {
  return renamed(sql, NO_NAMES);
}

function renamed(sql: string, names: Names): string {
  return renamedTokens(tokensOf(sql, "postgres"), names).join(" ");
}

function renamedTokens(tokens: readonly Token[], names: Names): readonly string[] {
  const found = newNames(tokens, names);
  return tokens.map((token, index) => {
    const name = found.get(index) ?? nameIn(token);
    if (name !== undefined) return name;
    const isObject = isSign(tokens[index + 1], "::") && isWord(tokens[index + 2], "REGCLASS");
    // A string literal that names a sequence: nextval('s'::regclass).
    return isObject ? `'${renamed(token.text.slice(1, -1), names)}'` : token.text;
  });
}

/** The tokens that are renamed, by index. */
function newNames(tokens: readonly Token[], names: Names): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [index, token] of tokens.entries()) {
    const name = nameIn(token);
    if (name === undefined || found.has(index)) continue;
    const next = isSign(tokens[index + 1], ".") ? tokens[index + 2] : undefined;
    const own = next === undefined ? undefined : nameIn(next);
    const moved = own === undefined ? undefined : names.moved.get(movedKey(name, own));
    if (moved !== undefined) found.set(index, moved[0]).set(index + 2, moved[1]);
    else if (names.words.has(name)) found.set(index, names.words.get(name) ?? name);
  }
  return found;
}

/** Whether `after` can result from `before` by renaming some of the tokens. */
function mayBecome(before: string, after: string, names: Names): boolean {
  const old = renamedTokens(tokensOf(before, "postgres"), { ...NO_NAMES, moved: names.moved });
  const now = renamedTokens(tokensOf(after, "postgres"), NO_NAMES);
  if (old.length !== now.length) return false;
  return old.every((token, index) => token === now[index] || names.words.get(token) === now[index]);
}

/** The text with the renamed names replaced. */
function respelled(sql: string, names: Names): string {
  const tokens = tokensOf(sql, "postgres");
  const found = newNames(tokens, names);
  let text = "";
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    const to = found.get(index);
    text += sql.slice(end, token.start) + (to === undefined ? token.text : quoted(to));
    end = token.start + token.text.length;
  }
  return text + sql.slice(end);
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function isList(value: Value | undefined): value is readonly Part[] {
  return Array.isArray(value);
}
