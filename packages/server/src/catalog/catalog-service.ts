import { type BatchEmbeddingProvider } from "../embedding/index.js";
import type { StatementPolicy } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { invalidField } from "@steward/kernel/errors.js";
import {
  CATALOG_JOIN_PATHS_MAX,
  CATALOG_JOIN_STEPS_MAX,
  CATALOG_QUESTION_LENGTH_MAX,
  CATALOG_RESULTS_DEFAULT,
  CATALOG_RESULTS_MAX,
  CATALOG_TOKENS_DEFAULT,
  CATALOG_TOKENS_MAX,
  CATALOG_TOKENS_MIN,
} from "./limits.js";
import type { Log } from "@steward/kernel/log.js";
import { CallerCatalog } from "./caller-catalog.js";
import {
  type CatalogListing,
  listCatalog,
  type ListedTool,
  listTables,
  type TablePage,
  type TableQuery,
} from "./catalog-listing.js";
import { EarlierUses } from "./search/earlier-uses.js";
import { joinGraph, joinPathsFrom } from "./join-paths.js";
import type {
  CatalogMcpTool,
  CatalogRows,
  CatalogSchemas,
  CatalogSource,
  CatalogTool,
  EarlierStatements,
  SourceNotes,
} from "./ports.js";
import { Profiles } from "./profiles.js";
import { Snapshots } from "./snapshots.js";
import { describeWithin, type TableDescription } from "./table-description.js";
import { bestTables, type RankedTable, type VisibleOf } from "./search/table-search.js";
import { questionWords } from "./search/words.js";

/** A search for tables. */
export interface CatalogSearch {
  /** A question or words. */
  readonly query: string;
  /** Absent: every data source that the caller may use. */
  readonly dataSource?: string;
  /** 1 to 50; absent: 10. */
  readonly limit?: number;
}

/** A table that a search found. */
export interface FoundTable {
  readonly dataSource: string;
  readonly table: string;
  readonly kind: "table" | "view";
  /** Higher is better. The value has no other meaning. */
  readonly score: number;
  readonly description?: string;
  /** Columns that match, the best first. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** An earlier successful statement about the table that resembles the question. */
  readonly earlierStatement?: string;
}

/** Whether a data source answers now. */
export interface CheckedSource extends CatalogSource {
  readonly answers: boolean;
  /** Until the query ended, including the wait for its turn. */
  readonly durationMs: number;
}

/** A table to be described. */
export interface DescribeRequest {
  /** Absent: the only data source that has such a table. */
  readonly dataSource?: string;
  readonly table: string;
  /** Tokens that the description may have; absent: 2000. */
  readonly tokenBudget?: number;
  /** Whether the paths to other tables are not asked for. */
  readonly withoutJoins?: boolean;
}

/** A described table. */
export interface DescribedResult extends TableDescription {
  readonly dataSource: string;
  readonly table: string;
  /** Changes when anything changes in the data source's schema. */
  readonly schemaVersion: string;
}

/** Dependencies of {@link CatalogService}. */
export interface CatalogServiceParts {
  readonly sources: readonly CatalogSource[];
  readonly tools: readonly CatalogTool[];
  readonly mcpTools: readonly CatalogMcpTool[];
  /** Whether tool names that the tools file does not list are refused. */
  readonly isStrict: boolean;
  readonly access: DataSourceAccess;
  readonly policy: StatementPolicy;
  readonly schemas: CatalogSchemas;
  readonly rows: CatalogRows;
  readonly earlier: EarlierStatements;
  readonly provider: BatchEmbeddingProvider;
  /** By data source. */
  readonly notes: ReadonlyMap<string, SourceNotes>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Lists the tools, data sources and tables that the caller may use, searches tables, and describes
 * them.
 */
export class CatalogService implements AsyncDisposable {
  readonly #parts: CatalogServiceParts;
  readonly #snapshots: Snapshots;
  readonly #profiles: Profiles;
  readonly #catalog: CallerCatalog;
  readonly #earlier: EarlierUses;

  constructor(parts: CatalogServiceParts) {
    this.#parts = parts;
    this.#snapshots = new Snapshots(parts);
    this.#profiles = new Profiles(parts.rows, parts.clock);
    this.#catalog = new CallerCatalog(parts, this.#snapshots);
    this.#earlier = new EarlierUses(parts.earlier, parts.tools, parts.sources);
  }

  /** The tools and data sources that the caller may use. */
  list(caller: Caller): Promise<CatalogListing> {
    return listCatalog(this.#parts, this.#catalog.sourcesFor(caller), caller);
  }

  /** The tools with a statement of their own that the caller may use. */
  async vettedTools(caller: Caller): Promise<readonly ListedTool[]> {
    const vetted = this.#parts.tools.filter((tool) => tool.vetted !== undefined);
    // Most servers have none, and then no policy is asked.
    if (vetted.length === 0) return [];
    const names = new Set(vetted.map(({ name }) => name));
    const { tools } = await this.list(caller);
    return tools.filter(({ name }) => names.has(name));
  }

  /**
   * Runs a small query on each data source on which the caller may read, all at the same time.
   * @throws the signal's reason when the signal was aborted.
   */
  async check(caller: Caller, signal: AbortSignal): Promise<readonly CheckedSource[]> {
    const { rows, clock } = this.#parts;
    const { dataSources } = await this.list(caller);
    const readable = dataSources.filter(({ intents }) => intents.includes("read_select"));
    return Promise.all(
      readable.map(async ({ name, dialect }) => {
        const startedMs = clock.nowMs();
        const answer = await rows.read(caller, name, "SELECT 1 AS one", signal);
        return {
          ...{ name, dialect, answers: answer !== undefined },
          durationMs: clock.nowMs() - startedMs,
        };
      }),
    );
  }

  /**
   * One page of a data source's tables, by name, with what the caller may read of them.
   * @throws AppError `INVALID_ARGUMENT`; `NOT_FOUND`, `POLICY_DENIED` for the data source;
   * `NOT_FOUND` for the table `around`.
   */
  async tables(caller: Caller, { dataSource, around, ...page }: TableQuery): Promise<TablePage> {
    const sources = await this.#catalog.known(caller, this.#catalog.named(caller, dataSource));
    const visibleOf: VisibleOf = (source, number) =>
      this.#catalog.visibleOf(caller, source, number);
    const middle =
      around === undefined
        ? undefined
        : (await this.#catalog.tableOf(caller, sources, around)).table.name;
    const [source] = sources;
    return source === undefined
      ? { tables: [] }
      : listTables(source, visibleOf, {
          ...page,
          ...(middle === undefined ? {} : { around: middle }),
        });
  }

  /**
   * The tables that answer a question best, by words and by meaning.
   * @throws AppError `INVALID_ARGUMENT`; `NOT_FOUND`, `POLICY_DENIED` for the data source; the
   * signal's reason when that was aborted.
   */
  async search(
    caller: Caller,
    { query, dataSource, limit = CATALOG_RESULTS_DEFAULT }: CatalogSearch,
    signal: AbortSignal,
  ): Promise<readonly FoundTable[]> {
    checkQuery(query);
    checkInteger("limit", limit, [1, CATALOG_RESULTS_MAX]);
    const sources = await this.#catalog.known(caller, this.#catalog.named(caller, dataSource));
    const visibleOf: VisibleOf = (source, number) =>
      this.#catalog.visibleOf(caller, source, number);
    const [vector, earlier] = await Promise.all([
      this.#vectorOf(query, signal),
      this.#earlier.like(caller, query, { sources, visibleOf }, signal),
    ]);
    const question = {
      words: questionWords(query),
      ...(vector === undefined ? {} : { vector }),
      earlier: earlier.scores,
    };
    const ranked = await bestTables(sources, question, limit, visibleOf);
    return ranked.map((each) => {
      return foundTable(each, this.#earlier.about(earlier.uses, each.source, each.number)[0]);
    });
  }

  /**
   * Describes a table within a budget of tokens. The description contains only what the caller may
   * read.
   * @throws AppError `INVALID_ARGUMENT`; `NOT_FOUND` when the table does not exist or the caller
   * may not read it; `STORE_UNAVAILABLE` while the schema cannot be read; the signal's reason when
   * the signal was aborted.
   */
  async describe(
    caller: Caller,
    {
      dataSource,
      table: name,
      tokenBudget = CATALOG_TOKENS_DEFAULT,
      withoutJoins = false,
    }: DescribeRequest,
    signal: AbortSignal,
  ): Promise<DescribedResult> {
    checkInteger("token_budget", tokenBudget, [CATALOG_TOKENS_MIN, CATALOG_TOKENS_MAX]);
    const named = this.#catalog.named(caller, dataSource);
    const sources = await this.#catalog.known(caller, named);
    const { source, table, number, visible } = await this.#catalog.tableOf(caller, sources, name);
    const { snapshot } = source;
    const visibleOf: VisibleOf = (at, other) => this.#catalog.visibleOf(caller, at, other);
    const about = `${table.name} ${table.description ?? ""}`;
    const [profile, earlier, neighbours] = await Promise.all([
      this.#profileOf(caller, { source, number, visible }, signal),
      this.#earlier.like(caller, about, { sources: [source], visibleOf }, signal),
      this.#catalog.neighboursOf(caller, source, number),
    ]);
    signal.throwIfAborted();
    const shown = neighbours.find((each) => each.name === table.name) ?? table;
    const description = describeWithin(
      {
        dataSource: source.dataSource,
        dialect: snapshot.dialect,
        table: shown,
        ...(profile === undefined ? {} : { profile }),
        joinPaths: withoutJoins ? [] : joinPathsFrom(joinGraph(neighbours), table.name, PATHS),
        statements: this.#earlier.about(earlier.uses, source, number),
      },
      tokenBudget,
    );
    return {
      ...description,
      dataSource: source.dataSource,
      table: table.name,
      schemaVersion: snapshot.version,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#snapshots[Symbol.asyncDispose]();
  }

  /**
   * Reads a sample of a table's rows. Later searches of the organization find the table by the
   * values in the sample.
   */
  async #profileOf(
    caller: Caller,
    { source, number, visible }: Pick<RankedTable, "source" | "number" | "visible">,
    signal: AbortSignal,
  ): ReturnType<Profiles["of"]> {
    const { dataSource, snapshot } = source;
    const table = snapshot.tables[number];
    if (table === undefined) return undefined;
    const asked = { dataSource, dialect: snapshot.dialect, table, visible };
    const profile = await this.#profiles.of(caller, asked, signal);
    if (profile !== undefined) snapshot.learn(number, profile.values);
    return profile;
  }

  /** Undefined when the provider is unavailable: the search then compares words only. */
  async #vectorOf(query: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    try {
      return await this.#parts.provider.embed(query, { inputType: "query", signal });
    } catch (error) {
      signal.throwIfAborted();
      this.#parts.log.debug({ err: error }, "a question is searched for by its words alone");
      return undefined;
    }
  }
}

const PATHS = { stepsMax: CATALOG_JOIN_STEPS_MAX, pathsMax: CATALOG_JOIN_PATHS_MAX };
/** Maximum number of matching columns that the answer lists for a table. */
const MATCHING_COLUMNS_MAX = 8;

function foundTable(ranked: RankedTable, statement: string | undefined): FoundTable {
  const { source, number, score, columns, visible } = ranked;
  const table = source.snapshot.tables[number];
  const { name = "", kind = "table", description } = table ?? {};
  const types = new Map(table?.columns.map((column) => [column.name, column.type]));
  return {
    dataSource: source.dataSource,
    table: name,
    kind,
    score: Math.round(score * 1e4) / 1e4,
    ...(description === undefined ? {} : { description }),
    columns: columns
      .filter((column) => visible.has(column))
      .slice(0, MATCHING_COLUMNS_MAX)
      .map((column) => ({ name: column, type: types.get(column) ?? "" })),
    ...(statement === undefined ? {} : { earlierStatement: statement }),
  };
}

function checkQuery(query: string): void {
  if (query.trim() === "") throw invalidField("query", "must not be empty");
  if (query.length <= CATALOG_QUESTION_LENGTH_MAX) return;
  const most = String(CATALOG_QUESTION_LENGTH_MAX);
  throw invalidField("query", `must have at most ${most} characters`);
}

function checkInteger(
  field: string,
  value: number,
  [least, most]: readonly [number, number],
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalidField(field, `must be an integer from ${String(least)} to ${String(most)}`);
}
