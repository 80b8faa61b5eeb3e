import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { type Fault, type Hash, log, TripleStore } from "@steward/state";
import type { BlockStore } from "@steward/state/ports";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";

/**
 * Each driver has a branch of its own. They share the state, and each collects the other's garbage.
 */
const BRANCHES = ["main", "other"];
/** How long drivers work before they are killed, in ms, counted from their first commit. */
const WORK_MS = 400;

/** A state with drivers to kill. */
export interface KillPlace extends AsyncDisposable {
  /** The driver module, with the arguments `...args seed branch`. */
  readonly driver: URL;
  readonly args: (branch: string) => readonly string[];
  /** Called when all drivers are dead. */
  settle(): Promise<void>;
  check(): Promise<readonly Fault[]>;
  read(work: (store: BlockStore) => void): Promise<void>;
}

/**
 * Kills processes that commit, merge and collect garbage in one state, `rounds` times, and checks
 * each time that every ref leads to complete and undamaged trees, and that the history of each
 * branch contains every acknowledged commit.
 */
export async function stateKillRounds(
  place: KillPlace,
  rounds: number,
  seed: number,
): Promise<void> {
  const random = seededRandom(seed);
  const acknowledged = new Map<string, Hash>();
  for (let round = 0; round < rounds; round++) {
    const drivers = BRANCHES.map((branch) => start(place, seed + round, branch, acknowledged));
    await Promise.all(drivers.map(({ begun }) => begun));
    await delay(random() * WORK_MS);
    for (const { process } of drivers) process.kill("SIGKILL");
    await Promise.all(drivers.map(({ ended }) => ended));
    await place.settle();
    expect(await place.check()).toEqual([]);
    await place.read((store) => {
      expectAcknowledged(store, acknowledged);
    });
  }
  expect([...acknowledged.keys()]).toEqual(expect.arrayContaining(BRANCHES));
}

interface Driver {
  readonly process: ChildProcess;
  /** Resolves with its first commit. */
  readonly begun: Promise<unknown>;
  readonly ended: Promise<unknown>;
}

function start(
  { driver, args }: KillPlace,
  seed: number,
  branch: string,
  acknowledged: Map<string, Hash>,
): Driver {
  const child = spawn(
    process.execPath,
    [fileURLToPath(driver), ...args(branch), String(seed), branch],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, name = "", hash = ""] = line.split(" ");
      // The driver printed the hash that its commit returned.
      acknowledged.set(name, hash as Hash);
    }
  });
  const ended = once(child, "close");
  return { process: child, begun: Promise.race([once(child.stdout, "data"), ended]), ended };
}

function expectAcknowledged(store: BlockStore, acknowledged: ReadonlyMap<string, Hash>): void {
  for (const branch of BRANCHES) {
    const head = store.ref(`heads/${branch}`);
    const last = acknowledged.get(branch);
    if (last === undefined) continue;
    const history = head === undefined ? [] : [...log(store, head)].map(({ hash }) => hash);
    expect(history).toContain(last);
    // Journaled changes without a commit can be read again, including long texts.
    const { now } = new TripleStore(store, systemClock, branch);
    expect([...now.match()]).toHaveLength(now.size);
  }
}
