import { rdfCodec } from "./adapters/rdf/index.js";
import { OxigraphEngine } from "./adapters/sparql-oxigraph/index.js";
import { sqliteFile, stateDirectory, type Config } from "./config/index.js";
import type { Clock } from "./kernel/clock.js";
import type { DisposalStack } from "./kernel/disposal.js";
import type { Log } from "./kernel/log.js";
import {
  GarbageSchedule,
  noBlockStores,
  noStateUpkeep,
  StateService,
  type BlockStores,
} from "./state/index.js";
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
  readonly stores: BlockStores;
}

/**
 * Opens the state. Files are opened when they are asked for, and threads are started when they have something to
 * do: a server whose state nobody uses holds nothing of it. Without an embedded store, it says so.
 */
export function openState({ config, clock, log }: StateOptions, opened: DisposalStack): OpenState {
  // Several servers may share another engine, and would not share a file of one's own.
  const isKept = config.databaseUrl !== undefined && sqliteFile(config.databaseUrl) !== undefined;
  const directory = stateDirectory(config.dataDir);
  const stores = isKept ? new SqliteBlockStores(directory, clock) : noBlockStores;
  const upkeep = opened.use(isKept ? new SqliteStateUpkeep(directory) : noStateUpkeep);
  const sparql = opened.use(new OxigraphEngine());
  const service = opened.use(new StateService({ stores, rdf: rdfCodec, sparql, upkeep, clock }));
  opened.use(new GarbageSchedule({ stores, service, log }));
  return { service, stores };
}
