import { INTENTS, type Intent, type StatementPolicy } from "../governance/index.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import type { CatalogMcpTool, CatalogSource, CatalogTool, SourceNotes } from "./ports.js";

import type { CatalogTable } from "./catalog-table.js";
import type { KnownSource } from "./snapshots.js";
import type { VisibleOf } from "./search/table-search.js";
import type { VisibleColumns } from "./visible-parts.js";
import { visibleTable } from "./visible-table.js";

/** A data source, with the intents for which the caller may use it. */
export interface ListedSource extends CatalogSource {
  readonly description?: string;
  /**
   * Intents that the policies permit the caller on the data source. Single tables and columns may
   * still be forbidden.
   */
  readonly intents: readonly Intent[];
}

/** A tool, with the intents for which the caller may use it. */
export interface ListedTool {
  readonly name: string;
  /** The tool of another MCP server is its own data source. */
  readonly dataSource: string;
  readonly intents: readonly Intent[];
  /** What the tool does, in words that an operator has written or accepted; absent: a step gives it a statement. */
  readonly description?: string;
  /** JSON Schema of its arguments; absent: a step gives it a statement. */
  readonly inputSchema?: Readonly<Record<string, JsonValue>>;
}

/** The data sources and tools that a caller may use. */
export interface CatalogListing {
  readonly dataSources: readonly ListedSource[];
  /** The tools that the tools file names. */
  readonly tools: readonly ListedTool[];
  /** The data source of every other tool name; absent when other names are refused. */
  readonly defaultDataSource?: string;
}

/** Input of {@link listCatalog}. */
interface ListingParts {
  /** In the order configured; the first one is the default. */
  readonly sources: readonly CatalogSource[];
  readonly tools: readonly CatalogTool[];
  readonly mcpTools: readonly CatalogMcpTool[];
  readonly access: DataSourceAccess;
  readonly isStrict: boolean;
  readonly policy: StatementPolicy;
  readonly notes: ReadonlyMap<string, SourceNotes>;
}

/** Lists the data sources and tools on which the policies permit the caller something. */
export async function listCatalog(
  { sources, tools, isStrict, policy, notes, ...parts }: ListingParts,
  open: readonly CatalogSource[],
  caller: Caller,
): Promise<CatalogListing> {
  const dataSources: ListedSource[] = [];
  for (const source of open) {
    const intents = await intentsOn(policy, caller, source.name);
    if (intents.length === 0) continue;
    const description = notes.get(source.name)?.description;
    dataSources.push({ ...source, intents, ...(description === undefined ? {} : { description }) });
  }
  const usable = new Map(dataSources.map(({ name, intents }) => [name, intents]));
  const [first] = sources;
  const isDefaultUsable = !isStrict && first !== undefined && usable.has(first.name);
  return {
    dataSources,
    tools: [
      ...tools.flatMap(({ name, dataSource, allowedIntents = INTENTS, vetted }) => {
        if (parts.access.toolRefusal(caller, name) !== undefined) return [];
        const permitted = usable.get(dataSource) ?? [];
        const intents = permitted.filter((each) => allowedIntents.includes(each));
        return intents.length === 0 ? [] : [{ name, dataSource, intents, ...vetted }];
      }),
      ...(await usableMcpTools({ ...parts, policy }, caller)),
    ],
    ...(isDefaultUsable ? { defaultDataSource: first.name } : {}),
  };
}

/** Tools without an accepted definition are left out: nobody may call them yet. */
async function usableMcpTools(
  { mcpTools, access, policy }: Pick<ListingParts, "mcpTools" | "access" | "policy">,
  caller: Caller,
): Promise<readonly ListedTool[]> {
  const usable: ListedTool[] = [];
  for (const { name, intent, ...tool } of mcpTools) {
    const definition = tool.definition();
    if (definition === undefined || access.refusal(caller, name) !== undefined) continue;
    if (!(await permits(policy, caller, name, intent))) continue;
    const { description, inputSchema } = definition;
    usable.push({ name, dataSource: name, intents: [intent], description, inputSchema });
  }
  return usable;
}

async function intentsOn(
  policy: StatementPolicy,
  caller: Caller,
  dataSource: string,
): Promise<readonly Intent[]> {
  const intents: Intent[] = [];
  for (const intent of INTENTS) {
    if (await permits(policy, caller, dataSource, intent)) intents.push(intent);
  }
  return intents;
}

async function permits(
  policy: StatementPolicy,
  caller: Caller,
  dataSource: string,
  intent: Intent,
): Promise<boolean> {
  try {
    await policy.permit(caller, { dataSource, intent });
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // An agent may request an operation that needs an approval, so it is listed.
    if (error.code === "APPROVAL_REQUIRED") return true;
    if (error.code === "POLICY_DENIED") return false;
    throw error;
  }
}

/** Which of a data source's tables are listed. */
export interface TableQuery {
  readonly dataSource: string;
  /** Only tables whose names contain it, in any case. */
  readonly name?: string;
  /** Only this table, and those that foreign keys join with it. */
  readonly around?: string;
  readonly limit: number;
  /** Only tables after this name. */
  readonly after?: string;
}

/** Tables in the order of their names. */
export interface TablePage {
  readonly tables: readonly CatalogTable[];
  /** The name after which the next page begins; absent on the last. */
  readonly next?: string;
}

/** One page of a data source's tables, reduced to what the caller may read. */
export async function listTables(
  source: KnownSource,
  visibleOf: VisibleOf,
  { name = "", around, limit, after }: Omit<TableQuery, "dataSource">,
): Promise<TablePage> {
  const { snapshot } = source;
  const visible = new Map<string, NonNullable<VisibleColumns>>();
  const asked = new Set<string>();
  const see = async (table: string): Promise<VisibleColumns> => {
    if (!asked.has(table)) {
      asked.add(table);
      const columns = await visibleOf(source, snapshot.find(table) ?? -1);
      if (columns !== undefined) visible.set(table, columns);
    }
    return visible.get(table);
  };
  const near = around && [around, ...(snapshot.joins.get(around) ?? []).map(({ to }) => to)];
  const candidates = snapshot.tables
    .filter((table) => near === undefined || near.includes(table.name))
    .filter((table) => table.name.toLowerCase().includes(name.toLowerCase()))
    .filter((table) => after === undefined || table.name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const tables: CatalogTable[] = [];
  for (const table of candidates) {
    const columns = await see(table.name);
    if (columns === undefined) continue;
    const last = tables.at(-1);
    if (tables.length === limit && last !== undefined) return { tables, next: last.name };
    for (const { target } of table.foreignKeys) await see(target);
    tables.push(visibleTable(table, columns, visible));
  }
  return { tables };
}
