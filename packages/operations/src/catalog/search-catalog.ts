import * as z from "zod";
import { operation, type Infer } from "../operation.js";

/** A table or view that a search found. */
const match = z
  .object({
    data_source: z.string().describe("Data source of the table"),
    table: z.string().describe("Name of the table, as a statement names it"),
    kind: z.enum(["table", "view"]).describe("Whether it is a table or a view"),
    score: z.number().describe("Higher is better; only the order means something"),
    description: z
      .string()
      .exactOptional()
      .describe("What its owner or the database's comment says of it"),
    columns: z
      .array(
        z.object({
          name: z.string().describe("Name of the column"),
          type: z.string().describe("Declared type; empty when it has none"),
        }),
      )
      .readonly()
      .describe("Columns that match, the best first"),
    earlier_statement: z
      .string()
      .exactOptional()
      .describe("A successful statement about it that resembles the question"),
  })
  .meta({
    id: "CatalogMatch",
    description: "A table that a search found",
    examples: [
      {
        data_source: "shop",
        table: "orders",
        kind: "table",
        score: 0.8125,
        columns: [{ name: "customer_id", type: "INTEGER" }],
      },
    ],
  });

export type CatalogMatch = Infer<typeof match>;

export const searchCatalog = operation({
  name: "searchCatalog",
  action: "catalog:read",
  summary: "Find the tables that answer a question",
  description:
    "Tables and views by words and by meaning: names, comments, owners' descriptions, values that were read, and " +
    "earlier successful statements. What your policies forbid to read is neither shown nor searched.",
  tag: "Catalog",
  // The schema checks shapes only; the service checks the values.
  input: z
    .strictObject({
      query: z.string().describe("A question or words, at most 4096 characters"),
      data_source: z
        .string()
        .exactOptional()
        .describe("Only tables of this data source; default: all you may use"),
      limit: z
        .number()
        .meta({ type: "integer" })
        .exactOptional()
        .describe("Tables at most, 1 to 50; default 10"),
    })
    .meta({
      id: "CatalogSearchRequest",
      description: "A search for tables",
      examples: [{ query: "unpaid orders by customer", limit: 5 }],
    }),
  output: z.array(match).readonly(),
  errors: [403, 404],
  rest: { method: "POST", path: "/api/catalog/search", answered: "The tables, best first" },
  grpc: { method: "CatalogService/SearchCatalog", response: "tables" },
  cli: {
    command: "catalog search",
    summary: "Finds the tables that answer a question.",
    arguments: [{ member: "query", name: "question", description: "A question or words." }],
    options: [
      {
        member: "data_source",
        flags: "--data-source <name>",
        description: "Only tables of this data source.",
      },
      {
        member: "limit",
        flags: "--limit <n>",
        description: "Maximum number of tables, 1 to 50.",
        isNumber: true,
      },
    ],
    columns: [
      { title: "SCORE", member: "score", align: "right" },
      { title: "DATA SOURCE", member: "data_source" },
      { title: "TABLE", member: "table", whole: true },
      { title: "COLUMNS", member: "columns" },
    ],
    empty: "no table matches",
  },
  retry: true,
});
