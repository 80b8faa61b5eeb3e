import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { MigrationService } from "../index.js";
import type { SchemaDatabase } from "../ports.js";
import { proposed } from "./proposed.js";

/** Proposes a wanted schema and applies the migration, without accepting data loss. */
export async function migrationOn(database: SchemaDatabase, wanted: string): Promise<void> {
  const service = new MigrationService({
    databases: new Map([["shop", database]]),
    repositories: memoryRepositories(),
    clock: systemClock,
    ids: systemIds(systemClock),
  });
  const order = { database: "shop", sql: wanted, message: "as wanted" };
  const { id } = proposed(await service.propose(ADMIN, order));
  await service.apply(ADMIN, id);
}
