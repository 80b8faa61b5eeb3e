/** The parts of the server that are measured. */
export { NIL_ORG_ID } from "@steward/kernel/caller.js";
export { systemClock } from "@steward/kernel/clock.js";
export { systemIds } from "@steward/kernel/ids.js";
export { PostgresSchemaDatabase } from "@steward/schema/postgres-database";
export { MigrationService } from "@steward/schema";
export { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
