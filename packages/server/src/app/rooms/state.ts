import { openRdfCodec } from "@steward/state/rdf";
import { OxigraphEngine } from "@steward/state/sparql";
import { inDataDirectory, type Config } from "../../config/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Log } from "@steward/kernel/log.js";
import type { StorageGate } from "@steward/kernel/storage-gate.js";
import {
  ClonedRepositories,
  GarbageSchedule,
  noRepositories,
  OwnRepositories,
  StateService,
} from "@steward/state";
import type { Origin, Repositories, StateErasure } from "@steward/state/ports";
import { SqliteBlockStores } from "../../storage/sqlite/state/block-stores.js";
import { SqliteClones } from "../../storage/sqlite/state/clones.js";
import { SqliteStateUpkeep } from "../../storage/sqlite/state/state-upkeep.js";

/** Dependencies of the state. */
export interface StateOptions {
  readonly config: Pick<Config, "databaseUrl" | "dataDir">;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked before a caller's commit. */
  readonly storage: StorageGate;
  /** The shared origin of the state, when several servers use it. */
  readonly origin: Origin | undefined;
}

/** The state service, and the repositories for other services that store data in it. */
export interface OpenState {
  readonly service: StateService;
  readonly repositories: Repositories;
  /** Absent without a store. */
  readonly erasure?: StateErasure;
}

/**
 * Opens the state. Files are opened on demand and threads started when there is work, so an unused
 * state needs no resources. Without a store, every operation returns an error that names the
 * missing setting.
 */
export function openState(options: StateOptions, opened: DisposalStack): OpenState {
  const { clock, log, storage } = options;
  const own = openRepositories(options);
  const repositories = opened.use(own ?? noRepositories);
  const rdf = opened.use(openRdfCodec());
  const sparql = opened.use(new OxigraphEngine());
  opened.use(new GarbageSchedule({ repositories, log }));
  const service = new StateService({ repositories, rdf, sparql, storage, clock });
  return { service, repositories, ...(own && { erasure: own }) };
}

/** @returns undefined without a store. */
function openRepositories({
  config,
  clock,
  origin,
}: StateOptions): (Repositories & StateErasure) | undefined {
  const { databaseUrl, dataDir } = config;
  if (origin !== undefined) {
    const clones = new SqliteClones(inDataDirectory(dataDir, "clones"), clock);
    return new ClonedRepositories({ origin, clones, clock });
  }
  if (databaseUrl === undefined) return undefined;
  const directory = inDataDirectory(dataDir, "state");
  return new OwnRepositories(
    new SqliteBlockStores(directory, clock),
    new SqliteStateUpkeep(directory),
  );
}
