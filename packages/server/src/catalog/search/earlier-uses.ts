import type { Caller } from "@steward/kernel/caller.js";
import type { CatalogSource, CatalogTool, EarlierStatements } from "../ports.js";
import type { SchemaSnapshot } from "../schema-snapshot.js";
import type { KnownSource } from "../snapshots.js";
import type { VisibleOf } from "./table-search.js";

/** A statement that ran earlier, and the tables that it names. */
export interface EarlierUse {
  readonly dataSource: string;
  readonly statement: string;
  /** Numbers of the tables in the data source's snapshot. */
  readonly tables: readonly number[];
}

/** Earlier statements that resemble a question. */
export interface EarlierMatches {
  readonly uses: readonly EarlierUse[];
  /** By data source and table, the best similarity of a statement that names the table. */
  readonly scores: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/**
 * A data source whose earlier statements are searched, and the tables and columns that the caller
 * may read there.
 */
interface Searched {
  readonly sources: readonly KnownSource[];
  readonly visibleOf: VisibleOf;
}

/** Minimum similarity. Statements below it are about something else. */
const SCORE_MIN = 0.3;
/** Maximum number of statements shown for one table. */
const SHOWN_MAX = 3;

/** Relates statements from the memory to the tables that they name. */
export class EarlierUses {
  readonly #statements: EarlierStatements;
  readonly #sourceOf: ReadonlyMap<string, string>;
  /** The tools whose calls have arguments in place of a statement. */
  readonly #vetted: ReadonlySet<string>;
  /** The data source used by tools that the tools file does not list. */
  readonly #otherwise: string | undefined;

  constructor(
    statements: EarlierStatements,
    tools: readonly CatalogTool[],
    sources: readonly CatalogSource[],
  ) {
    this.#statements = statements;
    this.#sourceOf = new Map(tools.map(({ name, dataSource }) => [name, dataSource]));
    this.#vetted = new Set(tools.flatMap(({ name, vetted }) => (vetted ? [name] : [])));
    this.#otherwise = sources[0]?.name;
  }

  /**
   * Statements on these data sources that resemble a question. A statement that names a table or
   * column which the caller may not read is left out, so that it does not influence the ranking
   * either.
   */
  async like(
    caller: Caller,
    question: string,
    { sources, visibleOf }: Searched,
    signal: AbortSignal,
  ): Promise<EarlierMatches> {
    const known = new Map(sources.map((source) => [source.dataSource, source]));
    const scores = new Map<string, Map<number, number>>();
    const uses: EarlierUse[] = [];
    for (const found of await this.#statements.like(caller, question, signal)) {
      if (this.#vetted.has(found.toolName)) continue;
      const ofTool = this.#sourceOf.get(found.toolName) ?? this.#otherwise ?? "";
      const { dataSource = ofTool } = found;
      const source = known.get(dataSource);
      if (source === undefined || found.score < SCORE_MIN) continue;
      const words = wordsIn(found.statement);
      const tables = tablesIn(words, source.snapshot);
      if (!(await isVisible({ words, tables }, source, visibleOf))) continue;
      uses.push({ dataSource, statement: found.statement, tables });
      const own = scores.get(dataSource) ?? new Map<number, number>();
      scores.set(dataSource, own);
      for (const table of tables) own.set(table, Math.max(own.get(table) ?? 0, found.score));
    }
    return { uses, scores };
  }

  /** The statements about a table, best first. */
  about(uses: readonly EarlierUse[], source: KnownSource, number: number): readonly string[] {
    const own = uses.filter(
      ({ dataSource, tables }) => dataSource === source.dataSource && tables.includes(number),
    );
    return [...new Set(own.map(({ statement }) => statement))].slice(0, SHOWN_MAX);
  }
}

async function isVisible(
  { words, tables }: { readonly words: ReadonlySet<string>; readonly tables: readonly number[] },
  source: KnownSource,
  visibleOf: VisibleOf,
): Promise<boolean> {
  for (const number of tables) {
    const visible = await visibleOf(source, number);
    if (visible === undefined) return false;
    const { columns = [] } = source.snapshot.tables[number] ?? {};
    const isHidden = columns.some(
      ({ name }) => !visible.has(name) && words.has(name.toLowerCase()),
    );
    if (isHidden) return false;
  }
  return true;
}

/** The tables whose names a statement contains as words. */
function tablesIn(words: ReadonlySet<string>, snapshot: SchemaSnapshot): readonly number[] {
  return snapshot.tables.flatMap(({ name }, number) => {
    const parts = name.toLowerCase().match(WORD) ?? [];
    return parts.length > 0 && parts.every((part) => words.has(part)) ? [number] : [];
  });
}

const WORD = /[\p{L}\p{N}_$]+/gu;

function wordsIn(statement: string): ReadonlySet<string> {
  return new Set(statement.toLowerCase().match(WORD) ?? []);
}
