import * as z from "zod";
import { operation, type Infer } from "../operation.js";

const intents = z.array(z.string()).readonly().describe("Intents that your policies permit");

const dataSource = z
  .object({
    name: z.string().describe("Name of the data source"),
    dialect: z.enum(["sqlite", "postgres"]).describe("SQL dialect of its statements"),
    description: z.string().exactOptional().describe("What its owner says of it"),
    intents,
  })
  .meta({ id: "CatalogDataSource", description: "A data source that you may use" });

const tool = z
  .object({
    name: z.string().describe("Name of the tool"),
    data_source: z
      .string()
      .describe(
        "Data source that its statements run on; the tool of another MCP server is its own data source",
      ),
    intents,
    description: z
      .string()
      .exactOptional()
      .describe(
        "What a tool does that takes arguments: of another MCP server, or with a statement of its own",
      ),
    input_schema: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .describe("JSON Schema of the arguments of such a tool: the JSON object in query_template"),
  })
  .meta({ id: "CatalogTool", description: "A tool that the tools file lists" });

const listing = z
  .object({
    data_sources: z.array(dataSource).readonly().describe("Data sources that you may use"),
    tools: z.array(tool).readonly().describe("Listed tools that you may use"),
    default_data_source: z
      .string()
      .exactOptional()
      .describe(
        "The default data source: of all other tool names, unless data_source of the step names another one; absent when other names are refused",
      ),
  })
  .meta({
    id: "Catalog",
    description: "The tools and data sources that you may use",
    examples: [
      {
        data_sources: [{ name: "shop", dialect: "sqlite", intents: ["read_select"] }],
        tools: [{ name: "shop.select", data_source: "shop", intents: ["read_select"] }],
        default_data_source: "shop",
      },
    ],
  });

export type CatalogListing = Infer<typeof listing>;

export const listCatalog = operation({
  name: "listCatalog",
  action: "catalog:read",
  summary: "List the tools and data sources that you may use",
  description: "A data source is listed when your policies permit at least one intent on it.",
  tag: "Catalog",
  input: z.strictObject({}),
  output: listing,
  rest: { method: "GET", path: "/api/catalog", answered: "What you may use" },
});
