import type { Relation } from "@steward/schema";
import type { KnownTables } from "../schema/known-tables.js";
import type { CodeToken, Query } from "./code.js";
import { isName, type Select, selectOf, type Source } from "./select.js";

/** A column of a table that a `*` includes. */
export interface Origin {
  readonly table: Relation;
  readonly column: string;
}

/** The columns of a common table expression or of a query in FROM, as those of a table. */
export interface DerivedTable extends Relation {
  /** The columns that come from a star, which the statement does not name, by name in lower case. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** A common table expression, with the names that it gives to its columns. */
interface Definition {
  readonly name: string;
  readonly query: Query;
  readonly names: readonly string[];
}

/** Queries inside each other whose columns are followed; a recursive one names itself. */
const DEPTH_MAX = 8;
/**
 * Columns of one expression that are followed. `SELECT a.*, b.*` doubles them with each expression that is made of the
 * one before.
 */
const COLUMNS_FOLLOWED_MAX = 1000;

/** The tables that a statement defines for itself. Each query is read once, whatever names it. */
export class DerivedTables {
  readonly #tables: KnownTables;
  /** Undefined for a query whose columns are not known, and for one that is being read. */
  readonly #read = new Map<Query, DerivedTable | undefined>();
  /** The expressions that each query defines, by name in lower case. */
  readonly #definitions = new Map<Query, ReadonlyMap<string, Definition>>();

  constructor(tables: KnownTables) {
    this.#tables = tables;
  }

  /** The columns of a source that is no table of the database; undefined when they are not known. */
  of(source: Source, inside: Query): DerivedTable | undefined {
    return this.#of(source, inside, 0);
  }

  /** The common table expressions that a query defines. */
  definedIn(query: Query): readonly DerivedTable[] {
    return [...this.#definitionsIn(query).values()].flatMap(
      (definition) => this.#defined(definition, 0) ?? [],
    );
  }

  #of({ table, query, written }: Source, inside: Query, depth: number): DerivedTable | undefined {
    if (query !== undefined) return this.#columnsOf(query, written, [], depth);
    const definition = table === undefined ? undefined : this.#definitionFor(table, inside);
    return definition && this.#defined(definition, depth);
  }

  /** The expression of this name that a query or one around it defines; the inner one counts. */
  #definitionFor(name: string, inside: Query): Definition | undefined {
    const lower = name.toLowerCase();
    for (let query: Query | undefined = inside; query !== undefined; query = query.outer) {
      const definition = this.#definitionsIn(query).get(lower);
      if (definition !== undefined) return definition;
    }
    return undefined;
  }

  #definitionsIn(query: Query): ReadonlyMap<string, Definition> {
    const known = this.#definitions.get(query);
    if (known !== undefined) return known;
    const definitions = new Map<string, Definition>();
    for (const definition of definitionsIn(query.tokens)) {
      const lower = definition.name.toLowerCase();
      if (!definitions.has(lower)) definitions.set(lower, definition);
    }
    this.#definitions.set(query, definitions);
    return definitions;
  }

  #defined({ name, query, names }: Definition, depth: number): DerivedTable | undefined {
    return this.#columnsOf(query, name, names, depth);
  }

  #columnsOf(
    query: Query,
    name: string,
    names: readonly string[],
    depth: number,
  ): DerivedTable | undefined {
    if (this.#read.has(query)) return this.#read.get(query);
    if (depth >= DEPTH_MAX) return undefined;
    this.#read.set(query, undefined);
    const select = selectOf(query);
    const items = itemsOf(select.clauses.get("select") ?? []);
    const columns = items.map((item) => this.#itemColumns(item, select, depth + 1));
    if (columns.length === 0 || columns.some((each) => each === undefined)) return undefined;
    const found = columns.flatMap((each) => each ?? []);
    if (found.length > COLUMNS_FOLLOWED_MAX) return undefined;
    const derived = derivedTable(name, names.length > 0 ? renamed(found, names) : found);
    this.#read.set(query, derived);
    return derived;
  }

  /** The columns that one item of a SELECT list gives; undefined for a star of unknown columns. */
  #itemColumns(
    item: readonly CodeToken[],
    select: Select,
    depth: number,
  ): readonly Column[] | undefined {
    const last = item.at(-1);
    if (last?.text !== "*" || (item.length > 1 && item.at(-2)?.text !== ".")) {
      const name = isName(last) && (item.length === 1 || namesItem(item)) ? last : undefined;
      return [{ name: name === undefined ? "" : unquoted(name) }];
    }
    const qualifier = item.at(-3)?.lower;
    const sources = select.sources.filter(
      ({ alias }) => qualifier === undefined || alias === qualifier,
    );
    const tables = sources.map((source) => this.#tableOf(source, select.query, depth));
    if (tables.length === 0 || tables.some((table) => table === undefined)) return undefined;
    return tables.flatMap((table) => (table === undefined ? [] : starColumns(table)));
  }

  #tableOf(source: Source, inside: Query, depth: number): Relation | undefined {
    const derived = this.#of(source, inside, depth);
    return derived ?? (source.table === undefined ? undefined : this.#tables.find(source.table));
  }
}

/** Whether a correction may name these columns: those of a star belong to tables of the database. */
export function partsOf(
  table: Relation | DerivedTable,
  columns: readonly string[],
): readonly { readonly table: Relation; readonly columns: readonly string[] }[] {
  if (!("origins" in table)) return [{ table, columns }];
  return columns.flatMap((name) => {
    const origin = table.origins.get(name.toLowerCase());
    return origin === undefined ? [] : [{ table: origin.table, columns: [origin.column] }];
  });
}

interface Column {
  /** Empty for an expression without a name, which nothing can refer to. */
  readonly name: string;
  readonly origin?: Origin;
}

function starColumns(table: Relation | DerivedTable): readonly Column[] {
  return table.columns.map(({ name }) => {
    const [part] = partsOf(table, [name]);
    return part === undefined
      ? { name }
      : { name, origin: { table: part.table, column: part.columns[0] ?? name } };
  });
}

function renamed(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  return columns.map((column, index) => ({ name: names[index] ?? column.name }));
}

function derivedTable(name: string, columns: readonly Column[]): DerivedTable {
  const nameable = columns.filter((column) => column.name !== "");
  return {
    ...{ name, bareName: name, kind: "view", primaryKey: [], uniqueKeys: [], foreignKeys: [] },
    checks: [],
    columns: nameable.map((column) => ({ name: column.name, type: "", isNotNull: false })),
    origins: new Map(
      nameable.flatMap(({ name: own, origin }) =>
        origin === undefined ? [] : [[own.toLowerCase(), origin] as const],
      ),
    ),
  };
}

/** `WITH name (columns) AS (query), …`; the tokens of a query in parentheses are one token. */
function definitionsIn(tokens: readonly CodeToken[]): readonly Definition[] {
  if (tokens[0]?.lower !== "with" || tokens[0].kind !== "word") return [];
  return tokens.flatMap((token, index) => {
    if (token.query === undefined) return [];
    let before = index - 1;
    while (/^(?:not|materialized)$/.test(tokens[before]?.lower ?? "")) before -= 1;
    if (tokens[before]?.lower !== "as") return [];
    before -= 1;
    const names: string[] = [];
    if (tokens[before]?.text === ")") {
      for (before -= 1; before > 0 && tokens[before]?.text !== "("; before -= 1) {
        const column = tokens[before];
        if (isName(column)) names.unshift(unquoted(column));
      }
      before -= 1;
    }
    const name = tokens[before];
    return isName(name) ? [{ name: unquoted(name), query: token.query, names }] : [];
  });
}

/** The items of a SELECT list. */
function itemsOf(tokens: readonly CodeToken[]): readonly (readonly CodeToken[])[] {
  const items: CodeToken[][] = [[]];
  for (const token of tokens) {
    if (/^(?:distinct|all)$/.test(token.lower) && token.kind === "word") continue;
    if (token.text === "," && token.depth === 0) items.push([]);
    else items.at(-1)?.push(token);
  }
  return items.filter((item) => item.length > 0);
}

/** Whether the last name of an item is its alias, or the column that it is. */
function namesItem(item: readonly CodeToken[]): boolean {
  const before = item.at(-2);
  if (before === undefined || before.lower === "as") return true;
  const isPath = item.every((token, index) =>
    index % 2 === 1 ? token.text === "." : isName(token),
  );
  const endsOperand =
    before.text === ")" ||
    before.lower === "end" ||
    ["text", "number", "query"].includes(before.kind) ||
    isName(before);
  return isPath || endsOperand;
}

function unquoted({ kind, text }: CodeToken): string {
  return kind === "name" ? text.slice(1, -1) : text;
}
