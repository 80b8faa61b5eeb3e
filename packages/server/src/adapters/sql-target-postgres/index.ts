/**
 * PostgreSQL databases that agents work on.
 *
 * Glossary. **Session**: a connection, used by one step at a time. **Portal**: a statement under way
 * whose rows are fetched bit by bit. **Marker**: the row that a write leaves beside what it did.
 * **Stopper**: until when a statement is worth running. **Description** (`touched/`): the tables and columns that a
 * statement touches, under one version of the schema.
 */
export { PostgresTarget, type PostgresTargetOptions } from "./postgres-target.js";
