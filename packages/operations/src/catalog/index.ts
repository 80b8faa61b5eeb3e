import { operationTable } from "../operation.js";
import { checkDataSources } from "./check-data-sources.js";
import { describeTable } from "./describe-table.js";
import { listCatalog } from "./list-catalog.js";
import { listTables } from "./list-tables.js";
import { searchCatalog } from "./search-catalog.js";

/** What an agent must know of the data before it writes a statement (Decision §18). */
export const catalog = operationTable({
  listCatalog,
  checkDataSources,
  listTables,
  searchCatalog,
  describeTable,
});
