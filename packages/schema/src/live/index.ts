/**
 * The schema of a live database: what reading it needs, and what tells two readings apart. A process that runs
 * statements loads this instead of the whole room, which also plans and proves migrations.
 */
export { identify } from "../model/identify.js";
export { castElements } from "../postgres/objects/array-casts.js";
export { checkedObject } from "../model/checked-object.js";
export { type PostgresObject, Schema, type SchemaObject, type Values } from "../model/schema.js";
export { type CatalogRow, readSqliteCatalog } from "../sqlite/read-catalog.js";
export { tableDeltas } from "../changes/table-deltas.js";
