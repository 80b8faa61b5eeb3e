/**
 * Catalog: what an agent must know of the data before it writes a statement.
 *
 * Glossary. **Snapshot**: the tables of one version of a schema, ready to be searched. **Profile**:
 * what the rows of a table look like. **Description**: a table for an LLM, within a budget of
 * tokens. **Notes**: what owners write about their tables. **Visible**: permitted to be read by the
 * caller's policies; nothing else is shown, searched or sampled.
 */
export type { CatalogListing, ListedSource, ListedTool } from "./catalog-listing.js";
export {
  type CatalogSearch,
  CatalogService,
  type CatalogServiceParts,
  type DescribedResult,
  type DescribeRequest,
  type FoundTable,
} from "./catalog-service.js";
export type { DescriptionPart } from "./table-description.js";
