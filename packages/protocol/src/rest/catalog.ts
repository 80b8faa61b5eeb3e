import * as z from "zod";
import type { Message } from "./envelope.js";

const intents = z.array(z.string()).readonly().describe("Intents that your policies permit");

const dataSourceShape = {
  name: z.string().describe("Name of the data source"),
  dialect: z.enum(["sqlite", "postgres"]).describe("SQL dialect of its statements"),
  description: z.string().exactOptional().describe("What its owner says of it"),
  intents,
};

/** A data source that the caller may use. */
export interface CatalogDataSource extends Message<typeof dataSourceShape> {}

const dataSourceSchema: z.ZodType<CatalogDataSource> = z
  .object(dataSourceShape)
  .meta({ id: "CatalogDataSource", description: "A data source that you may use" });

const toolShape = {
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
    .describe("What the tool of another MCP server does, in that server's words"),
  input_schema: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe(
      "JSON Schema of the arguments of another MCP server's tool: the JSON object in query_template",
    ),
};

/** A tool that the tools file lists. */
export interface CatalogTool extends Message<typeof toolShape> {}

const toolSchema: z.ZodType<CatalogTool> = z
  .object(toolShape)
  .meta({ id: "CatalogTool", description: "A tool that the tools file lists" });

const catalogShape = {
  data_sources: z.array(dataSourceSchema).readonly().describe("Data sources that you may use"),
  tools: z.array(toolSchema).readonly().describe("Listed tools that you may use"),
  /** Absent when only the listed tools can be called. */
  default_data_source: z
    .string()
    .exactOptional()
    .describe("Data source of all other tool names; absent when other names are refused"),
};

/** The tools and data sources that the caller may use. */
export interface Catalog extends Message<typeof catalogShape> {}

export const catalogSchema: z.ZodType<Catalog> = z.object(catalogShape).meta({
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

const dataSourceCheckShape = {
  name: z.string().describe("Name of the data source"),
  dialect: z.enum(["sqlite", "postgres"]).describe("SQL dialect of its statements"),
  answers: z.boolean().describe("Whether it has just run a query for you"),
  duration_ms: z
    .int()
    .describe("Milliseconds until the query ended, including the wait for its turn"),
};

/** Whether a data source answers now. */
export interface CatalogDataSourceCheck extends Message<typeof dataSourceCheckShape> {}

export const catalogDataSourceCheckSchema: z.ZodType<CatalogDataSourceCheck> = z
  .object(dataSourceCheckShape)
  .meta({
    id: "CatalogDataSourceCheck",
    description: "Whether a data source answers now",
    examples: [{ name: "shop", dialect: "sqlite", answers: true, duration_ms: 2 }],
  });

const tableQueryShape = {
  data_source: z.string().describe("Data source whose tables are listed"),
  name: z.string().exactOptional().describe("Only tables whose names contain this text"),
  around: z
    .string()
    .exactOptional()
    .describe("Only this table and those that foreign keys join with it, in either direction"),
  limit: z.coerce.number().int().min(1).max(500).exactOptional().describe("Tables on the page"),
  cursor: z.string().exactOptional().describe("The next_cursor of the page before"),
};

/** Conditions and position of a page of tables. */
export interface CatalogTableQuery extends Message<typeof tableQueryShape> {}

export const catalogTableQuerySchema: z.ZodType<CatalogTableQuery> =
  z.strictObject(tableQueryShape);

const columnNames = z.array(z.string()).readonly();

const tableColumnShape = {
  name: z.string().describe("Name of the column"),
  type: z.string().describe("Declared type; empty when it has none"),
  not_null: z.boolean().describe("Whether it refuses NULL"),
  description: z.string().exactOptional().describe("What its owner or the database says of it"),
};

/** A column of a table. */
export interface CatalogTableColumn extends Message<typeof tableColumnShape> {}

const foreignKeyShape = {
  columns: columnNames.describe("Columns of this table"),
  table: z.string().describe("The table that they refer to"),
  references: columnNames.describe("Its columns, in the same order"),
};

/** A foreign key of a table. */
export interface CatalogForeignKey extends Message<typeof foreignKeyShape> {}

const tableShape = {
  table: z.string().describe("Name of the table, as a statement names it"),
  kind: z.enum(["table", "view"]).describe("Whether it is a table or a view"),
  description: z.string().exactOptional().describe("What its owner or the database says of it"),
  columns: z.array(z.object(tableColumnShape)).readonly().describe("Columns that you may read"),
  primary_key: columnNames.describe("Columns of the primary key; empty when there is none"),
  foreign_keys: z.array(z.object(foreignKeyShape)).readonly().describe("Its foreign keys"),
};

/** A table or view, as far as the caller may read it. */
export interface CatalogTable extends Message<typeof tableShape> {}

const tablePageShape = {
  tables: z
    .array(z.object(tableShape).meta({ id: "CatalogTable", description: "A table or view" }))
    .readonly()
    .describe("In the order of their names"),
  next_cursor: z.string().exactOptional().describe("Cursor of the next page; absent on the last"),
};

/** A page of the tables of a data source. */
export interface CatalogTablePage extends Message<typeof tablePageShape> {}

export const catalogTablePageSchema: z.ZodType<CatalogTablePage> = z.object(tablePageShape).meta({
  id: "CatalogTablePage",
  description: "A page of the tables of a data source",
  examples: [
    {
      tables: [
        {
          table: "orders",
          kind: "table",
          columns: [{ name: "customer_id", type: "INTEGER", not_null: true }],
          primary_key: ["id"],
          foreign_keys: [{ columns: ["customer_id"], table: "customers", references: ["id"] }],
        },
      ],
    },
  ],
});

const dataSource = z.string().exactOptional();

// The schemas of requests check shapes only; the service checks the values.
const searchRequestShape = {
  query: z.string().describe("A question or words, at most 4096 characters"),
  data_source: dataSource.describe("Only tables of this data source; default: all you may use"),
  limit: z
    .number()
    .meta({ type: "integer" })
    .exactOptional()
    .describe("Tables at most, 1 to 50; default 10"),
};

/** The body of `POST /api/catalog/search`. */
export interface CatalogSearchRequest extends Message<typeof searchRequestShape> {}

export const catalogSearchRequestSchema: z.ZodType<CatalogSearchRequest> = z
  .strictObject(searchRequestShape)
  .meta({
    id: "CatalogSearchRequest",
    description: "A search for tables",
    examples: [{ query: "unpaid orders by customer", limit: 5 }],
  });

const columnShape = {
  name: z.string().describe("Name of the column"),
  type: z.string().describe("Declared type; empty when it has none"),
};

/** A column that matches a search. */
interface CatalogColumn extends Message<typeof columnShape> {}

const columnSchema: z.ZodType<CatalogColumn> = z.object(columnShape);

const matchShape = {
  data_source: z.string().describe("Data source of the table"),
  table: z.string().describe("Name of the table, as a statement names it"),
  kind: z.enum(["table", "view"]).describe("Whether it is a table or a view"),
  score: z.number().describe("Higher is better; only the order means something"),
  description: z
    .string()
    .exactOptional()
    .describe("What its owner or the database's comment says of it"),
  columns: z.array(columnSchema).readonly().describe("Columns that match, the best first"),
  earlier_statement: z
    .string()
    .exactOptional()
    .describe("A successful statement about it that resembles the question"),
};

/** A table or view that a search found. */
export interface CatalogMatch extends Message<typeof matchShape> {}

export const catalogMatchSchema: z.ZodType<CatalogMatch> = z.object(matchShape).meta({
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

const describeRequestShape = {
  table: z.string().describe("Name of the table or view, in any case"),
  data_source: dataSource.describe(
    "Data source of the table; default: the only one with such a table",
  ),
  token_budget: z
    .number()
    .meta({ type: "integer" })
    .exactOptional()
    .describe("Tokens that the text may have, 100 to 100000; default 2000"),
};

/** The body of `POST /api/catalog/describe`. */
export interface DescribeTableRequest extends Message<typeof describeRequestShape> {}

export const describeTableRequestSchema: z.ZodType<DescribeTableRequest> = z
  .strictObject(describeRequestShape)
  .meta({
    id: "DescribeTableRequest",
    description: "A table to be described",
    examples: [{ table: "orders", token_budget: 500 }],
  });

const descriptionShape = {
  data_source: z.string().describe("Data source of the table"),
  table: z.string().describe("Name of the table"),
  text: z.string().describe("The description, for an LLM"),
  tokens: z.int().describe("Tokens of the text, conservatively counted"),
  left_out: z.array(z.string()).readonly().describe("Parts that did not fit, wholly or partly"),
  schema_version: z.string().describe("Changes when anything in the schema changes"),
};

/** A table's description for an LLM. */
export interface CatalogDescription extends Message<typeof descriptionShape> {}

export const catalogDescriptionSchema: z.ZodType<CatalogDescription> = z
  .object(descriptionShape)
  .meta({
    id: "CatalogDescription",
    description: "A table described within a budget of tokens",
    examples: [
      {
        data_source: "shop",
        table: "orders",
        text: "table orders in shop, 120 rows\nColumns:\n- id INTEGER\n- status TEXT",
        tokens: 29,
        left_out: [],
        schema_version: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
      },
    ],
  });
