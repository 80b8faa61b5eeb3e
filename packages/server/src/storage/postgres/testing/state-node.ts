import { systemClock } from "@steward/kernel/clock.js";
import { ClonedRepositories } from "@steward/state";
import type { Origin } from "@steward/state/ports";
import { SqliteClones } from "../../sqlite/state/clones.js";
import { Database } from "../database.js";
import { PostgresOrigin } from "../state/state-origin.js";

/** A node that has only the state. */
export interface StateNode extends AsyncDisposable {
  readonly repositories: ClonedRepositories;
  readonly origin: Origin;
}

/**
 * Opens a node on a migrated store.
 * @param directory of its clones.
 * @param through wraps its origin, to inject faults.
 */
export function openStateNode(
  url: string,
  directory: string,
  { graceMs, through = (origin) => origin }: StateNodeOptions = {},
): StateNode {
  const db = new Database(url);
  const origin = through(new PostgresOrigin(db));
  const clones = new SqliteClones(directory, systemClock);
  const grace = graceMs === undefined ? {} : { graceMs };
  const repositories = new ClonedRepositories({ origin, clones, clock: systemClock, ...grace });
  return {
    repositories,
    origin,
    async [Symbol.asyncDispose]() {
      await repositories[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
    },
  };
}

/** Differences from a server's node. */
export interface StateNodeOptions {
  readonly graceMs?: number;
  readonly through?: (origin: Origin) => Origin;
}
