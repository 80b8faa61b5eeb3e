import * as z from "zod";
import { operation } from "../operation.js";

const check = z
  .object({
    name: z.string().describe("Name of the data source"),
    dialect: z.enum(["sqlite", "postgres"]).describe("SQL dialect of its statements"),
    answers: z.boolean().describe("Whether it has just run a query for you"),
    duration_ms: z
      .int()
      .describe("Milliseconds until the query ended, including the wait for its turn"),
  })
  .meta({
    id: "CatalogDataSourceCheck",
    description: "Whether a data source answers now",
    examples: [{ name: "shop", dialect: "sqlite", answers: true, duration_ms: 2 }],
  });

export const checkDataSources = operation({
  name: "checkDataSources",
  action: "catalog:read",
  summary: "Check whether the data sources answer",
  description:
    "Runs a small query on each data source that you may read, in the way a step would: under your role and your " +
    "organization's turn. When a data source does not answer, its operator finds the reason with `steward doctor`.",
  tag: "Catalog",
  input: z.strictObject({}),
  output: z.array(check).readonly(),
  rest: { method: "GET", path: "/api/catalog/check", answered: "The data sources" },
});
