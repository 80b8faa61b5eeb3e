import { rdfCodec } from "./adapters/rdf/index.js";
import { OxigraphEngine } from "./adapters/sparql-oxigraph/index.js";
import { sqliteFile, stateDirectory, type Config } from "./config/index.js";
import type { Clock } from "./kernel/clock.js";
import type { DisposalStack } from "./kernel/disposal.js";
import type { Log } from "./kernel/log.js";
import { GarbageSchedule, noRepositories, OwnRepositories, StateService } from "./state/index.js";
import type { Repositories } from "./state/ports.js";
import { SqliteBlockStores } from "./storage/sqlite/block-stores.js";
import { SqliteStateUpkeep } from "./storage/sqlite/state-upkeep.js";

/** What the state is opened with. */
export interface StateOptions {
  readonly config: Pick<Config, "databaseUrl" | "dataDir">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The state, and where it is kept, for rooms that keep something there themselves. */
export interface OpenState {
  readonly service: StateService;
  readonly repositories: Repositories;
}

/**
 * Opens the state. Files are opened when they are asked for, and threads are started when they have something to
 * do: a server whose state nobody uses holds nothing of it. Without an embedded store, it says so.
 */
export function openState({ config, clock, log }: StateOptions, opened: DisposalStack): OpenState {
  const repositories = opened.use(openRepositories(config, clock));
  const sparql = opened.use(new OxigraphEngine());
  opened.use(new GarbageSchedule({ repositories, log }));
  const service = new StateService({ repositories, rdf: rdfCodec, sparql, clock });
  return { service, repositories };
}

function openRepositories(
  { databaseUrl, dataDir }: StateOptions["config"],
  clock: Clock,
): Repositories {
  // Several servers may share another engine, and would not share a file of one's own.
  if (databaseUrl === undefined || sqliteFile(databaseUrl) === undefined) return noRepositories;
  const directory = stateDirectory(dataDir);
  return new OwnRepositories(
    new SqliteBlockStores(directory, clock),
    new SqliteStateUpkeep(directory),
  );
}
