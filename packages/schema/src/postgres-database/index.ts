export { PostgresSchemaDatabase } from "./postgres-schema-database.js";
