import * as z from "zod";
import { operation } from "../operation.js";

export const describeTable = operation({
  name: "describeTable",
  action: "catalog:read",
  summary: "Describe a table for an LLM",
  description:
    "Columns with the ranges of numbers and dates, keys, values of columns with few of them, joins to other tables, " +
    "sample rows and earlier statements, in this order as far as the token budget allows. What your policies forbid to read is not in it.",
  tag: "Catalog",
  // The schema checks shapes only; the service checks the values.
  input: z
    .strictObject({
      table: z.string().describe("Name of the table or view, in any case"),
      data_source: z
        .string()
        .exactOptional()
        .describe("Data source of the table; default: the only one with such a table"),
      token_budget: z
        .number()
        .meta({ type: "integer" })
        .exactOptional()
        .describe("Tokens that the text may have, 100 to 100000; default 2000"),
    })
    .meta({
      id: "DescribeTableRequest",
      description: "A table to be described",
      examples: [{ table: "orders", token_budget: 500 }],
    }),
  output: z
    .object({
      data_source: z.string().describe("Data source of the table"),
      table: z.string().describe("Name of the table"),
      text: z.string().describe("The description, for an LLM"),
      tokens: z.int().describe("Tokens of the text, estimated rather too high"),
      left_out: z.array(z.string()).readonly().describe("Parts that did not fit, wholly or partly"),
      schema_version: z.string().describe("Changes when anything in the schema changes"),
    })
    .meta({
      id: "CatalogDescription",
      description: "A table described within a budget of tokens",
      examples: [
        {
          data_source: "shop",
          table: "orders",
          text: "table orders in shop (sqlite), 120 rows\nColumns:\n- id INTEGER\n- total NUMERIC, 5 to 98",
          tokens: 33,
          left_out: [],
          schema_version: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
        },
      ],
    }),
  errors: [403, 404],
  rest: { method: "POST", path: "/api/catalog/describe", answered: "The description" },
  grpc: { method: "CatalogService/DescribeTable" },
  cli: {
    command: "catalog show",
    summary: "Describes a table as an agent sees it.",
    arguments: [{ member: "table", description: "Name of the table or view." }],
    options: [
      {
        member: "data_source",
        flags: "--data-source <name>",
        description: "Data source of the table.",
      },
      {
        member: "token_budget",
        flags: "--tokens <n>",
        description: "Tokens that the description may have, 100 to 100000.",
        isNumber: true,
      },
    ],
    print: "{text}",
  },
  retry: true,
});
