import { PostgresSchemaDatabase } from "./adapters/introspect-postgres/index.js";
import { SqliteSchemaDatabase } from "./adapters/introspect-sqlite/index.js";
import { type Config, sqliteFile } from "./config/index.js";
import type { Clock } from "./kernel/clock.js";
import type { Ids } from "./kernel/ids.js";
import { MigrationService } from "./schema/index.js";
import type { SchemaDatabase } from "./schema/ports.js";
import type { Repositories } from "./state/ports.js";

/** What migrations are opened with. */
export interface MigrationOptions {
  readonly config: Pick<Config, "dataSources">;
  /** Where the organizations keep their state. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Migrations of the data sources. Everything is opened when it is used. */
export function openMigrations(options: MigrationOptions): MigrationService {
  const { config, repositories, clock, ids } = options;
  const databases = new Map<string, SchemaDatabase>();
  for (const { name, url } of config.dataSources) {
    const path = sqliteFile(url);
    const database =
      path === undefined
        ? new PostgresSchemaDatabase(name, url)
        : new SqliteSchemaDatabase(name, path);
    databases.set(name, database);
  }
  return new MigrationService({ databases, repositories, clock, ids });
}
