import type {
  Catalog,
  CatalogDataSourceCheck,
  CatalogDescription,
  CatalogMatch,
  CatalogTable as CatalogTableMessage,
} from "@steward/protocol/rest";
import type {
  CatalogListing,
  CatalogTable,
  CheckedSource,
  DescribedResult,
  FoundTable,
} from "../../../catalog/index.js";
import { present } from "../../present.js";

/** The data sources and tools that a caller may use. */
export function catalogMessage(listing: CatalogListing): Catalog {
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
export function checkMessage({ durationMs, ...rest }: CheckedSource): CatalogDataSourceCheck {
  return { ...rest, duration_ms: durationMs };
}

/** A table, as far as the caller may read it. */
export function tableMessage(table: CatalogTable): CatalogTableMessage {
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
export function descriptionMessage(described: DescribedResult): CatalogDescription {
  const { dataSource, leftOut, schemaVersion, ...rest } = described;
  return {
    data_source: dataSource,
    ...rest,
    left_out: leftOut,
    schema_version: schemaVersion,
  };
}
