/**
 * The schema of a live database: what reading it needs, and what tells two readings apart. A process that runs
 * statements loads this instead of the whole room, which also plans and proves migrations.
 */
export { identify } from "../identify.js";
export { castElements } from "../postgres/array-casts.js";
export { Schema, type SchemaObject } from "../schema.js";
export { type CatalogRow, readSqliteCatalog } from "../sqlite/read-catalog.js";
export { tableDeltas } from "../table-deltas.js";
