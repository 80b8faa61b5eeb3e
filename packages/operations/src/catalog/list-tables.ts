import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";

const columnNames = z.array(z.string()).readonly();

/** A table or view, as far as the caller may read it. */
const table = z
  .object({
    table: z.string().describe("Name of the table, as a statement names it"),
    kind: z.enum(["table", "view"]).describe("Whether it is a table or a view"),
    description: z.string().exactOptional().describe("What its owner or the database says of it"),
    columns: z
      .array(
        z.object({
          name: z.string().describe("Name of the column"),
          type: z.string().describe("Declared type; empty when it has none"),
          not_null: z.boolean().describe("Whether it refuses NULL"),
          description: z
            .string()
            .exactOptional()
            .describe("What its owner or the database says of it"),
        }),
      )
      .readonly()
      .describe("Columns that you may read"),
    primary_key: columnNames.describe("Columns of the primary key; empty when there is none"),
    foreign_keys: z
      .array(
        z.object({
          columns: columnNames.describe("Columns of this table"),
          table: z.string().describe("The table that they refer to"),
          references: columnNames.describe("Its columns, in the same order"),
        }),
      )
      .readonly()
      .describe("Its foreign keys"),
  })
  .meta({ id: "CatalogTable", description: "A table or view" });

export type CatalogTable = Infer<typeof table>;

export const listTables = operation({
  name: "listTables",
  action: "catalog:read",
  summary: "List the tables of a data source",
  description:
    "Tables and views by name, with their columns and foreign keys. What your policies forbid to read is left out.",
  tag: "Catalog",
  input: z
    .strictObject({
      data_source: z.string().describe("Data source whose tables are listed"),
      name: z.string().exactOptional().describe("Only tables whose names contain this text"),
      around: z
        .string()
        .exactOptional()
        .describe("Only this table and those that foreign keys join with it, in either direction"),
      limit: pageLimit(500).describe("Tables on the page"),
      cursor: cursor.describe("The next_cursor of the page before"),
    })
    .meta({ examples: [{ data_source: "shop" }] }),
  output: z
    .object({
      tables: z.array(table).readonly().describe("In the order of their names"),
      next_cursor: nextCursor.describe("Cursor of the next page; absent on the last"),
    })
    .meta({
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
    }),
  errors: [403, 404],
  rest: { method: "GET", path: "/api/catalog/tables", answered: "A page of tables" },
});
