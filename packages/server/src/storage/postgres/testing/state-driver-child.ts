import { writeSync } from "node:fs";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { type Hash, mergeIntoBranch, TripleStore } from "@steward/state";
import type { BlockStore } from "@steward/state/ports";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { anyQuad } from "../../testing/any-quad.js";
import { openStateNode } from "./state-node.js";

/**
 * Works as a node until it is killed: commits on a branch, creates branches, merges, deletes
 * branches, and collects garbage without a grace period. Prints `commit <branch> <hash>` after each
 * acknowledged commit.
 */
const [url = "", directory = "", seed = "0", branch = "main"] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const { repositories } = openStateNode(url, directory, { graceMs: 0 });
const note = { author: "driver", message: "a change" };

for (let round = 0; ; round++) {
  const choice = random();
  if (choice < 0.2) await mergeSide(`${branch}-side-${String(round)}`);
  else if (choice < 0.4) await collect();
  else acknowledge(branch, await write((store) => commit(store, branch)));
}

function write<T>(work: (store: BlockStore) => T): Promise<T> {
  return repositories.write(NIL_ORG_ID, ({ store }) => work(store));
}

function commit(store: BlockStore, name: string): Hash {
  const triples = new TripleStore(store, systemClock, name);
  const changes = 1 + Math.floor(random() * 200);
  for (let change = 0; change < changes; change++) {
    if (random() < 0.3) triples.delete(anyQuad(random));
    else triples.add(anyQuad(random));
  }
  return triples.commit(note);
}

function acknowledge(name: string, hash: Hash): void {
  // A synchronous write, which survives a kill of this process.
  writeSync(1, `commit ${name} ${hash}\n`);
}

async function mergeSide(side: string): Promise<void> {
  await write((store) => {
    const head = store.ref(`heads/${branch}`);
    if (head !== undefined && store.ref(`heads/${side}`) === undefined) {
      store.move({ name: `heads/${side}`, expected: undefined, next: head }, new Map());
    }
  });
  await write((store) => commit(store, side));
  acknowledge(branch, await write((store) => commit(store, branch)));
  const merged = await write((store) => {
    const theirs = store.ref(`heads/${side}`);
    if (theirs === undefined) return undefined;
    const order = { ...note, branch, theirs, singleValued: new Set<string>() };
    const outcome = mergeIntoBranch(store, systemClock, order, false);
    store.move({ name: `heads/${side}`, expected: theirs, next: undefined }, new Map());
    return outcome.conflicts.length === 0 ? outcome.commit : undefined;
  });
  if (merged !== undefined) acknowledge(branch, merged);
}

async function collect(): Promise<void> {
  try {
    await repositories.collect(NIL_ORG_ID);
  } catch (error) {
    // The other driver is collecting.
    if (AppError.from(error).code !== "STATE_CONFLICT") throw error;
  }
}
