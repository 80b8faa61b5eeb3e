/**
 * PostgreSQL databases that agents work on.
 *
 * Glossary. **Session**: a connection, used by one step at a time. **Portal**: a statement under way
 * whose rows are fetched bit by bit. **Marker**: the row that a write leaves beside what it did.
 * **Stopper**: until when a statement is worth running.
 */
export { PostgresTarget, type PostgresTargetOptions } from "./postgres-target.js";
