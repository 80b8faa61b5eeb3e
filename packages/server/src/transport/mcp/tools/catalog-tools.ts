import * as z from "zod";
import { catalog as operations } from "@steward/operations";
import { CATALOG_TOKENS_DEFAULT, CATALOG_TOKENS_MIN } from "../../../catalog/limits.js";
import { LLM_TABLES_MAX } from "../../limits.js";
import { catalogMessage, descriptionMessage, matchMessage } from "../../operations/catalog.js";
import { defineTool, type McpTool, type ToolScope } from "../tool.js";
import { catalogText } from "./catalog-text.js";
import { fitting, READS } from "./fields.js";
import { present } from "../../../kernel/present.js";

const input = z.strictObject({
  query: z.string().exactOptional().describe("A question or words"),
  tables: z.array(z.string()).min(1).max(LLM_TABLES_MAX).exactOptional(),
  data_source: z.string().exactOptional().describe("Only in this database"),
  joins: z.boolean().exactOptional().describe("With tables: also the ways to other tables"),
  tools: z.boolean().exactOptional().describe("List what tool_name may be"),
  limit: z.int().exactOptional().describe("Tables to find; default 10"),
  token_budget: z
    .int()
    .exactOptional()
    .describe(`For all descriptions; default ${String(CATALOG_TOKENS_DEFAULT)} each`),
});

type Asked = z.output<typeof input>;

const output = z.object({
  data_sources: z
    .array(z.object({ name: z.string(), dialect: z.enum(["sqlite", "postgres"]) }).loose())
    .readonly()
    .optional()
    .describe(
      "Databases that you may use, with the SQL dialect to write; with neither query nor tables",
    ),
  default_data_source: z
    .string()
    .optional()
    .describe("The database of statements that name neither data_source nor a listed tool"),
  tools: z
    .array(z.looseObject({ name: z.string(), data_source: z.string() }))
    .readonly()
    .optional()
    .describe("What tool_name may be, with the database of each"),
  budgets: z.array(z.string()).readonly().optional().describe("What is left of your budgets"),
  found: operations.searchCatalog.output.optional().describe("Tables that answer the query"),
  descriptions: z
    .array(operations.describeTable.output)
    .readonly()
    .optional()
    .describe("The tables that were asked for"),
});

/** What an LLM learns about the data. */
export type CatalogAnswer = z.output<typeof output>;

/** The tool that finds and describes tables. */
export const CATALOG_TOOLS: readonly McpTool[] = [
  defineTool({
    name: "explore_data",
    title: "Find and describe tables",
    description:
      "query finds tables for a question. tables describes them: columns, types, keys, values, ranges, sample rows. " +
      "With neither: the databases and what is left of your budget. Describe a table before you use it.",
    annotations: READS,
    operations: ["searchCatalog", "describeTable", "listCatalog"],
    usage: "read_select",
    input,
    output,
    text: catalogText,
    run: async (asked, scope) => ({
      ...(await listed(asked, scope)),
      ...(await found(asked, scope)),
      ...(await described(asked, scope)),
    }),
  }),
];

async function listed(
  { query, tables, tools }: Asked,
  { context, services: { catalog, usage } }: ToolScope,
): Promise<CatalogAnswer> {
  const isAlone = query === undefined && tables === undefined;
  if (!isAlone && tools !== true) return {};
  const listing = catalogMessage(await catalog.list(context));
  return {
    ...(tools === true ? { tools: [...fitting(listing.tools)] } : {}),
    ...(isAlone
      ? {
          data_sources: [...listing.data_sources],
          ...present({ default_data_source: listing.default_data_source }),
          ...present({ budgets: await usage.remainingBudgets(context) }),
        }
      : {}),
  };
}

async function found(
  { query, data_source: dataSource, limit }: Asked,
  { context, services: { catalog } }: ToolScope,
): Promise<CatalogAnswer> {
  if (query === undefined) return {};
  const search = { query, ...present({ dataSource, limit }) };
  const matches = await catalog.search(context, search, context.signal);
  return { found: fitting(matches.map(matchMessage)) };
}

async function described(
  { tables = [], data_source: dataSource, joins = false, token_budget: budget }: Asked,
  { context, services: { catalog } }: ToolScope,
): Promise<CatalogAnswer> {
  if (tables.length === 0) return {};
  const share = budget && Math.max(CATALOG_TOKENS_MIN, Math.floor(budget / tables.length));
  const descriptions = [];
  for (const table of tables) {
    const request = { table, withoutJoins: !joins, ...present({ dataSource, tokenBudget: share }) };
    descriptions.push(descriptionMessage(await catalog.describe(context, request, context.signal)));
  }
  return { descriptions: fitting(descriptions) };
}
