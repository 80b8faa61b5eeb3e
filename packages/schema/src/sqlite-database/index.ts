export { SqliteSchemaDatabase } from "./sqlite-schema-database.js";
