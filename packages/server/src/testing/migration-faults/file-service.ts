import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import { MigrationService } from "@steward/schema";
import { OwnRepositories } from "@steward/state";
import { SqliteBlockStores } from "../../storage/sqlite/state/block-stores.js";
import { SqliteStateUpkeep } from "../../storage/sqlite/state/state-upkeep.js";
import { SqliteSchemaDatabase } from "@steward/schema/sqlite-database";

/** How long a migration waits for a lock here, in ms: far longer than it takes to write a small table. */
const LOCK_MS = 300;

/** Where a database and the state of its service are. */
export interface FilePlaces {
  readonly path: string;
  readonly stateDirectory: string;
}

/** A database, and a service that keeps its records in files, as one of a process of its own. */
export interface FileService extends AsyncDisposable {
  readonly database: SqliteSchemaDatabase;
  readonly service: MigrationService;
}

export function openFileService({ path, stateDirectory }: FilePlaces): FileService {
  const database = new SqliteSchemaDatabase("shop", path, { lockMs: LOCK_MS });
  const repositories = new OwnRepositories(
    new SqliteBlockStores(stateDirectory, systemClock),
    new SqliteStateUpkeep(stateDirectory),
  );
  const service = new MigrationService({
    databases: new Map([["shop", database]]),
    repositories,
    clock: systemClock,
    ids: systemIds(systemClock),
  });
  return { database, service, [Symbol.asyncDispose]: () => repositories[Symbol.asyncDispose]() };
}
