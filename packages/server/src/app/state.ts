import { openRdfCodec } from "@steward/state/rdf";
import { OxigraphEngine } from "@steward/state/sparql";
import { clonesDirectory, stateDirectory, type Config } from "../config/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DisposalStack } from "../kernel/disposal.js";
import type { Log } from "@steward/kernel/log.js";
import {
  ClonedRepositories,
  GarbageSchedule,
  noRepositories,
  type Origin,
  OwnRepositories,
  type Repositories,
  StateService,
} from "@steward/state";
import { SqliteBlockStores } from "../storage/sqlite/state/block-stores.js";
import { SqliteClones } from "../storage/sqlite/state/clones.js";
import { SqliteStateUpkeep } from "../storage/sqlite/state/state-upkeep.js";

/** What the state is opened with. */
export interface StateOptions {
  readonly config: Pick<Config, "databaseUrl" | "dataDir">;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the state is kept together with other servers. */
  readonly origin: Origin | undefined;
}

/** The state, and where it is kept, for rooms that keep something there themselves. */
export interface OpenState {
  readonly service: StateService;
  readonly repositories: Repositories;
}

/**
 * Opens the state. Files are opened when they are asked for, and threads are started when they have something to
 * do: a server whose state nobody uses holds nothing of it. Without a store, it says so.
 */
export function openState(options: StateOptions, opened: DisposalStack): OpenState {
  const { clock, log } = options;
  const repositories = opened.use(openRepositories(options));
  const rdf = opened.use(openRdfCodec());
  const sparql = opened.use(new OxigraphEngine());
  opened.use(new GarbageSchedule({ repositories, log }));
  const service = new StateService({ repositories, rdf, sparql, clock });
  return { service, repositories };
}

function openRepositories({ config, clock, origin }: StateOptions): Repositories {
  const { databaseUrl, dataDir } = config;
  if (origin !== undefined) {
    const clones = new SqliteClones(clonesDirectory(dataDir), clock);
    return new ClonedRepositories({ origin, clones, clock });
  }
  if (databaseUrl === undefined) return noRepositories;
  const directory = stateDirectory(dataDir);
  return new OwnRepositories(
    new SqliteBlockStores(directory, clock),
    new SqliteStateUpkeep(directory),
  );
}
