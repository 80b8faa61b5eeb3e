import { type Config, sqliteFile } from "../../config/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import {
  KnownSchemas,
  type MayMigrate,
  MigrationService,
  type MigrationWaits,
  ownDatabaseKey,
  RelatedTables,
  type SchemaDatabase,
  StepRecorder,
} from "@steward/schema";
import type { Repositories } from "@steward/state/ports";
import { migrationStatement } from "../../adapters/migration-statement.js";
import { OperationApprovalRequired } from "../../governance/index.js";
import type { Authorizer } from "../../policies/index.js";

/** Dependencies of migrations. */
export interface MigrationOptions {
  readonly config: Pick<Config, "dataSources" | "migrationWaits">;
  readonly access: DataSourceAccess;
  readonly policy: Authorizer;
  /** The repositories of the organizations' state. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** The services that change the data sources' schemas and record their history. */
export interface OpenMigrations {
  readonly service: MigrationService;
  readonly recorder: StepRecorder;
  readonly relatedTables: RelatedTables;
  readonly known: KnownSchemas;
}

/** Migrations of the data sources. Each part is opened when it is first used. */
export async function openMigrations(options: MigrationOptions): Promise<OpenMigrations> {
  const { config, access, policy, repositories, clock, ids, log } = options;
  const databases = new Map<string, SchemaDatabase>();
  const databaseAt = (name: string, url: string): Promise<SchemaDatabase> =>
    schemaDatabase(name, url, config.migrationWaits);
  for (const { name, url, migrationUrl, organizations = [] } of config.dataSources) {
    databases.set(name, await databaseAt(name, migrationUrl ?? url));
    for (const { orgId, url: own } of organizations) {
      if (own !== undefined)
        databases.set(ownDatabaseKey(name, orgId), await databaseAt(name, own));
    }
  }
  const known = new KnownSchemas({ databases, clock, log });
  const mutex = new KeyedMutex();
  const parts = { databases: known.databases, access, repositories, clock, ids, mutex };
  return {
    service: new MigrationService({
      ...parts,
      mayDefineCode: async (caller) => policy.authorize(caller, "migrations:code"),
      mayMigrate: (...asked) => permitMigration(policy, ...asked),
    }),
    recorder: new StepRecorder(parts),
    relatedTables: new RelatedTables(known, access),
    known,
  };
}

async function permitMigration(
  policy: Authorizer,
  ...[caller, { way, ...change }]: Parameters<MayMigrate>
): Promise<void> {
  const statement = await migrationStatement(policy, caller, change);
  try {
    await policy.authorizeStatement(caller, `migrations:${way}`, statement);
  } catch (refusal) {
    // A proposal changes nothing yet: it waits when it is applied.
    if (way !== "propose" || !(refusal instanceof OperationApprovalRequired)) throw refusal;
  }
}

/** Loads only the modules of the data source's engine. */
async function schemaDatabase(
  name: string,
  url: string,
  waits: MigrationWaits,
): Promise<SchemaDatabase> {
  const path = sqliteFile(url);
  if (path === undefined) {
    const { PostgresSchemaDatabase } = await import("@steward/schema/postgres-database");
    return new PostgresSchemaDatabase(name, url, waits);
  }
  const { SqliteSchemaDatabase } = await import("@steward/schema/sqlite-database");
  return new SqliteSchemaDatabase(name, path, waits);
}
