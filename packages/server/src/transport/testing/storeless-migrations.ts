import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { MigrationService } from "@steward/schema";
import { noRepositories } from "@steward/state";

/** Migrations of a server without a store. */
export function storelessMigrations(): MigrationService {
  return new MigrationService({
    databases: new Map(),
    repositories: noRepositories,
    clock: systemClock,
    ids: systemIds(systemClock),
  });
}
