import { changesBetween, sameValue } from "../schema-diff.js";
import { idIn, type Part, partsIn, type Schema, type SchemaObject, type Value } from "../schema.js";
import { isSign, isWord, type Token, tokensOf } from "../sql-tokens.js";
import type { PropertyName } from "../vocabulary.js";
import { needsOf } from "./dependency-order.js";
import { isRoutine, nameIn } from "./names.js";

/** New names by the old ones. */
type Names = ReadonlyMap<string, string>;

/** Names that texts of an object may hold: of its columns and those it needs, and of everything else. */
interface Scope {
  readonly all: Names;
  readonly wholes: Names;
}

/** Texts of the engine, which name other objects. */
const TEXTS: readonly PropertyName[] = [
  ...(["type", "returns", "signature", "collation", "schemaName", "default", "generated"] as const),
  ...(["expression", "where", "definition", "partitionKey", "partitionBound"] as const),
  // Lists whose parts have such texts.
  ...(["parts", "attributes"] as const),
];
/** Texts in which no column is named. */
const OF_TYPES: readonly PropertyName[] = [
  "type",
  "returns",
  "signature",
  "collation",
  "schemaName",
];

/**
 * What the engine makes of the texts of a base once everything has its new name: it knows what an object
 * needs by ids, and so calls it by its new name. Only what an object needs is renamed in it, for other
 * objects may have the same names.
 */
export class RenamedText {
  readonly #base: Schema;
  readonly #target: Schema;
  readonly #scopes = new Map<string, Scope>();
  readonly #isAny: boolean;

  constructor(base: Schema, target: Schema) {
    this.#base = base;
    this.#target = target;
    this.#isAny = base.objects.some((old) => this.#renaming(old) !== undefined);
  }

  /** The properties of an object that change by more than renames, its own or others'. */
  changedProperties(old: SchemaObject, now: SchemaObject): readonly PropertyName[] {
    const changed = changesBetween(old, now).map(({ property }) => property);
    // A text that is the same before and after may be another in between: names change places.
    const texts = this.#isAny ? TEXTS.filter((property) => property in now.values) : [];
    return [...new Set([...changed, ...texts])].flatMap((property) => {
      if (property === "name") return [];
      const [before, after] = [old.values[property], now.values[property]];
      return this.#isKept(old, property, before, after) ? [] : [property];
    });
  }

  #isKept(
    old: SchemaObject,
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

  #isPartKept(old: SchemaObject, before: Part, after: Part): boolean {
    const properties = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...properties].every((key) => {
      // The keys of parts are names of properties.
      const property = key as PropertyName;
      return this.#isKept(old, property, before[property], after[property]);
    });
  }

  /** Whether a text of an object of the base comes to be the text that the target wants. */
  #becomes(old: SchemaObject, property: PropertyName, before: string, after: string): boolean {
    if (!this.#isAny) return spelled(before) === spelled(after);
    const { all, wholes } = this.#scopeOf(old);
    const isView = old.kind === "View" || old.kind === "MaterializedView";
    // A view goes on calling its columns as it did, whatever they are called below.
    if (isView && property === "definition" && all.size > wholes.size) return false;
    const names = OF_TYPES.includes(property) ? wholes : all;
    // The columns of a foreign key are compared by themselves, and two of one name may meet in it.
    if (old.kind === "ForeignKey") return mayBecome(before, after, names);
    return renamed(before, names) === spelled(after);
  }

  /** What a routine is called, which its arguments' types are a part of. */
  nameOf(old: SchemaObject): string | undefined {
    if (!isRoutine(old) || old.name === undefined || !this.#isAny) return old.name;
    const { wholes } = this.#scopeOf(old);
    return wholes.size === 0 ? old.name : respelled(old.name, wholes);
  }

  #scopeOf(old: SchemaObject): Scope {
    const known = this.#scopes.get(old.id);
    if (known !== undefined) return known;
    const objects = new Set([old, ...needsOf(old).flatMap((id) => this.#base.find(id) ?? [])]);
    for (const each of [...objects]) this.#above(each).forEach((above) => objects.add(above));
    for (const each of this.#columnsBeside(old)) objects.add(each);
    const renamings = [...objects].flatMap((each) => {
      const to = this.#renaming(each);
      return to === undefined ? [] : [{ kind: each.kind, name: [each.name ?? "", to] as const }];
    });
    const scope = {
      all: new Map(renamings.map(({ name }) => name)),
      wholes: new Map(renamings.filter(({ kind }) => kind !== "Column").map(({ name }) => name)),
    };
    this.#scopes.set(old.id, scope);
    return scope;
  }

  #above({ parent }: SchemaObject): readonly SchemaObject[] {
    const above = parent === undefined ? undefined : this.#base.find(parent);
    return above === undefined ? [] : [above, ...this.#above(above)];
  }

  /** Columns that a table's own texts name, and those that a partition has from its parents. */
  #columnsBeside(old: SchemaObject): readonly SchemaObject[] {
    const table = old.kind === "Table" ? old : this.#base.find(old.parent ?? "");
    if (table?.kind !== "Table") return [];
    const parents = this.#parentsOf(table);
    const holders = old === table ? [table, ...parents] : parents;
    return holders.flatMap(({ id }) => this.#base.partsOf(id, "Column"));
  }

  #parentsOf({ values }: SchemaObject): readonly SchemaObject[] {
    return partsIn(values, "inherits").flatMap((part) => {
      const parent = this.#base.find(idIn(part, "table") ?? "");
      return parent === undefined ? [] : [parent, ...this.#parentsOf(parent)];
    });
  }

  #renaming(old: SchemaObject): string | undefined {
    if (isRoutine(old)) return undefined;
    const now = this.#target.find(old.id);
    return now === undefined || now.name === old.name ? undefined : now.name;
  }
}

/** SQL in one spelling: every name as it is without quotes, single spaces between tokens. */
function spelled(sql: string): string {
  return renamed(sql, new Map());
}

function renamed(sql: string, names: Names): string {
  return renamedTokens(tokensOf(sql, "postgres"), names).join(" ");
}

function renamedTokens(tokens: readonly Token[], names: Names): readonly string[] {
  return tokens.map((token, index) => {
    const name = nameIn(token);
    if (name !== undefined) return names.get(name) ?? name;
    const isObject = isSign(tokens[index + 1], "::") && isWord(tokens[index + 2], "REGCLASS");
    // A sequence is named in a text: nextval('s'::regclass).
    return isObject ? `'${renamed(token.text.slice(1, -1), names)}'` : token.text;
  });
}

/** Whether each token stays or is renamed. */
function mayBecome(before: string, after: string, names: Names): boolean {
  const old = renamedTokens(tokensOf(before, "postgres"), new Map());
  const now = renamedTokens(tokensOf(after, "postgres"), new Map());
  if (old.length !== now.length) return false;
  return old.every((token, index) => token === now[index] || names.get(token) === now[index]);
}

/** A text that is as it was but for its names. */
function respelled(sql: string, names: Names): string {
  let text = "";
  let end = 0;
  for (const token of tokensOf(sql, "postgres")) {
    const to = names.get(nameIn(token) ?? "");
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
