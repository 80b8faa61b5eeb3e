import { catalog as operations, type CatalogMatch, type OutputOf } from "@steward/operations";
import type {
  CatalogListing,
  CatalogTable,
  CheckedSource,
  DescribedResult,
  FoundTable,
} from "../../catalog/index.js";
import { CATALOG_TABLE_PAGE_DEFAULT } from "../../catalog/limits.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations of the catalog do. */
export function catalogOperations({ catalog }: Pick<Services, "catalog">): readonly Implemented[] {
  return [
    implement(operations.listCatalog, async ({ context }) =>
      catalogMessage(await catalog.list(context)),
    ),
    implement(operations.checkDataSources, async ({ context }) =>
      (await catalog.check(context, context.signal)).map(checkMessage),
    ),
    implement(operations.listTables, async ({ input, context }) => {
      const { data_source: dataSource, name, around, cursor: after } = input;
      const { limit = CATALOG_TABLE_PAGE_DEFAULT } = input;
      const asked = { dataSource, limit, ...present({ name, around, after }) };
      const page = await catalog.tables(context, asked);
      return { tables: page.tables.map(tableMessage), ...present({ next_cursor: page.next }) };
    }),
    implement(operations.searchCatalog, async ({ input, context }) => {
      const { query, data_source: dataSource, limit } = input;
      const asked = { query, ...present({ dataSource, limit }) };
      return (await catalog.search(context, asked, context.signal)).map(matchMessage);
    }),
    implement(operations.describeTable, async ({ input, context }) => {
      const { table, data_source: dataSource, token_budget: tokenBudget } = input;
      const asked = { table, ...present({ dataSource, tokenBudget }) };
      return descriptionMessage(await catalog.describe(context, asked, context.signal));
    }),
  ];
}

/** The data sources and tools that a caller may use. */
export function catalogMessage(listing: CatalogListing): OutputOf<typeof operations.listCatalog> {
  const { dataSources, tools, defaultDataSource } = listing;
  return {
    data_sources: dataSources,
    tools: tools.map(({ name, dataSource, intents, description, inputSchema }) => ({
      ...{ name, data_source: dataSource, intents },
      ...present({ description, input_schema: inputSchema }),
    })),
    ...present({ default_data_source: defaultDataSource }),
  };
}

/** Whether a data source answers now. */
function checkMessage({
  durationMs,
  ...rest
}: CheckedSource): OutputOf<typeof operations.checkDataSources>[number] {
  return { ...rest, duration_ms: durationMs };
}

/** A table, as far as the caller may read it. */
function tableMessage(
  table: CatalogTable,
): OutputOf<typeof operations.listTables>["tables"][number] {
  const { name, kind, description, columns, primaryKey, foreignKeys } = table;
  return {
    ...{ table: name, kind },
    ...present({ description }),
    columns: columns.map((column) => ({
      ...{ name: column.name, type: column.type, not_null: column.isNotNull },
      ...present({ description: column.description }),
    })),
    primary_key: primaryKey,
    foreign_keys: foreignKeys.map((key) => ({
      ...{ columns: key.columns, table: key.target, references: key.targetColumns },
    })),
  };
}

/** A table that a search found. */
export function matchMessage(found: FoundTable): CatalogMatch {
  const { dataSource, earlierStatement, ...rest } = found;
  return {
    data_source: dataSource,
    ...rest,
    ...present({ earlier_statement: earlierStatement }),
  };
}

/** A described table. */
export function descriptionMessage(
  described: DescribedResult,
): OutputOf<typeof operations.describeTable> {
  const { dataSource, leftOut, schemaVersion, ...rest } = described;
  return {
    data_source: dataSource,
    ...rest,
    left_out: leftOut,
    schema_version: schemaVersion,
  };
}
