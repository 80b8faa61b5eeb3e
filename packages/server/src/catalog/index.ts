/**
 * Catalog: lists, searches and describes tables, so that an agent can write correct statements.
 * Glossary. **Snapshot**: the tables of one version of a schema, ready to be searched. **Profile**:
 * statistics of a sample of a table's rows. **Description**: a text about a table for an LLM,
 * within a budget of tokens. **Notes**: texts by owners about their tables. **Visible**: permitted
 * to be read by the caller's policies; nothing else is shown, searched or sampled.
 */
export type {
  CatalogListing,
  ListedSource,
  ListedTool,
  TablePage,
  TableQuery,
} from "./catalog-listing.js";
export {
  type CatalogSearch,
  CatalogService,
  type CatalogServiceParts,
  type CheckedSource,
  type DescribedResult,
  type DescribeRequest,
  type FoundTable,
} from "./catalog-service.js";
export type { DescriptionPart } from "./table-description.js";
export type { CatalogTable } from "./catalog-table.js";
export { relatedWords, wordsOf } from "./search/words.js";
