/**
 * PostgreSQL data sources.
 *
 * Glossary. **Session**: a connection, used by one step at a time. **Portal**: a running statement
 * whose rows are fetched in batches. **Marker**: a row that a write leaves in its own transaction.
 * **Stopper**: the deadline and cancellation of a statement. **Description** (`touched/`): the
 * tables and columns that a statement touches, under one version of the schema.
 */
export { PostgresTarget } from "./postgres-target.js";
