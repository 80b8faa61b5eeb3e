import {
  catalogDataSourceCheckSchema,
  catalogDescriptionSchema,
  catalogMatchSchema,
  catalogSchema,
  catalogSearchRequestSchema,
  catalogTablePageSchema,
  catalogTableQuerySchema,
  dataOf,
  describeTableRequestSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { CatalogService } from "../../../catalog/index.js";
import { CATALOG_TABLE_PAGE_DEFAULT } from "../../../catalog/limits.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import {
  catalogMessage,
  checkMessage,
  descriptionMessage,
  matchMessage,
  tableMessage,
} from "./catalog-messages.js";
import { present } from "../../present.js";

const tags = ["Catalog"];

/** The catalog endpoints (Decision §18). */
export function addCatalogRoutes(app: RestApp, catalog: CatalogService): void {
  const list = {
    operationId: "listCatalog",
    summary: "List the tools and data sources that you may use",
    description: "A data source is listed when your policies permit at least one intent on it.",
    tags,
    response: { 200: json("What you may use", dataOf(catalogSchema)) },
  };
  app.get("/api/catalog", { schema: list }, async ({ context }) => ({
    data: catalogMessage(await catalog.list(context)),
  }));
  const check = {
    operationId: "checkDataSources",
    summary: "Check whether the data sources answer",
    description:
      "Runs a small query on each data source that you may read, in the way a step would: under your role and your " +
      "organization's turn. When a data source does not answer, its operator finds the reason with `steward doctor`.",
    tags,
    response: {
      200: json("The data sources", dataOf(z.array(catalogDataSourceCheckSchema).readonly())),
    },
  };
  app.get("/api/catalog/check", { schema: check }, async ({ context }) => ({
    data: (await catalog.check(context, context.signal)).map(checkMessage),
  }));
  addTables(app, catalog);
  const search = {
    operationId: "searchCatalog",
    summary: "Find the tables that answer a question",
    description:
      "Tables and views by words and by meaning: names, comments, owners' descriptions, values that were read, and " +
      "earlier successful statements. What your policies forbid to read is neither shown nor searched.",
    tags,
    body: catalogSearchRequestSchema,
    response: {
      200: json("The tables, best first", dataOf(z.array(catalogMatchSchema).readonly())),
      ...errors(403, 404),
    },
  };
  app.post("/api/catalog/search", { schema: search }, async ({ body, context }) => {
    const { query, data_source: dataSource, limit } = body;
    const request = {
      query,
      ...present({ dataSource, limit }),
    };
    const found = await catalog.search(context, request, context.signal);
    return { data: found.map(matchMessage) };
  });
  const describe = {
    operationId: "describeTable",
    summary: "Describe a table for an LLM",
    description:
      "Columns, keys, values of columns with few of them, joins to other tables, sample rows and earlier statements, " +
      "in this order as far as the token budget allows. What your policies forbid to read is not in it.",
    tags,
    body: describeTableRequestSchema,
    response: {
      200: json("The description", dataOf(catalogDescriptionSchema)),
      ...errors(403, 404),
    },
  };
  app.post("/api/catalog/describe", { schema: describe }, async ({ body, context }) => {
    const { table, data_source: dataSource, token_budget: tokenBudget } = body;
    const request = {
      table,
      ...present({ dataSource, tokenBudget }),
    };
    return { data: descriptionMessage(await catalog.describe(context, request, context.signal)) };
  });
}

function addTables(app: RestApp, catalog: CatalogService): void {
  const schema = {
    operationId: "listTables",
    summary: "List the tables of a data source",
    description:
      "Tables and views by name, with their columns and foreign keys. What your policies forbid to read is left out.",
    tags,
    querystring: catalogTableQuerySchema,
    response: {
      200: json("A page of tables", dataOf(catalogTablePageSchema)),
      ...errors(403, 404),
    },
  };
  app.get("/api/catalog/tables", { schema }, async ({ query, context }) => {
    const { data_source: dataSource, name, around, limit, cursor: after } = query;
    const asked = { dataSource, limit: limit ?? CATALOG_TABLE_PAGE_DEFAULT };
    const page = await catalog.tables(context, { ...asked, ...present({ name, around, after }) });
    const next = present({ next_cursor: page.next });
    return { data: { tables: page.tables.map(tableMessage), ...next } };
  });
}
