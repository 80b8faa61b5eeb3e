import { PostgresSchemaDatabase } from "./adapters/introspect-postgres/index.js";
import { SqliteSchemaDatabase } from "./adapters/introspect-sqlite/index.js";
import { type Config, sqliteFile } from "./config/index.js";
import type { Clock } from "./kernel/clock.js";
import type { DataSourceAccess } from "./kernel/data-source-access.js";
import type { Ids } from "./kernel/ids.js";
import type { Log } from "./kernel/log.js";
import { Turns } from "./kernel/turns.js";
import {
  KnownSchemas,
  type MayDefineCode,
  MigrationService,
  ownDatabaseKey,
  RelatedTables,
  StepRecorder,
} from "./schema/index.js";
import type { SchemaDatabase } from "./schema/ports.js";
import type { Repositories } from "./state/ports.js";

/** What migrations are opened with. */
export interface MigrationOptions {
  readonly config: Pick<Config, "dataSources" | "migrationWaits">;
  readonly access: DataSourceAccess;
  readonly mayDefineCode: MayDefineCode;
  /** Where the organizations keep their state. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** What changes the schemas of the data sources, and what keeps their history. */
export interface OpenMigrations {
  readonly service: MigrationService;
  readonly recorder: StepRecorder;
  readonly relatedTables: RelatedTables;
}

/** Migrations of the data sources. Everything is opened when it is used. */
export function openMigrations(options: MigrationOptions): OpenMigrations {
  const { config, access, mayDefineCode, repositories, clock, ids, log } = options;
  const databases = new Map<string, SchemaDatabase>();
  const databaseAt = (name: string, url: string): SchemaDatabase => {
    const path = sqliteFile(url);
    return path === undefined
      ? new PostgresSchemaDatabase(name, url, config.migrationWaits)
      : new SqliteSchemaDatabase(name, path, config.migrationWaits);
  };
  for (const { name, url, migrationUrl, organizations = [] } of config.dataSources) {
    databases.set(name, databaseAt(name, migrationUrl ?? url));
    for (const { orgId, url: own } of organizations) {
      if (own !== undefined) databases.set(ownDatabaseKey(name, orgId), databaseAt(name, own));
    }
  }
  const known = new KnownSchemas({ databases, clock, log });
  const turns = new Turns();
  const parts = { databases: known.databases, access, repositories, clock, ids, turns };
  return {
    service: new MigrationService({ ...parts, mayDefineCode }),
    recorder: new StepRecorder(parts),
    relatedTables: new RelatedTables(known, access),
  };
}
