import { writeSync } from "node:fs";
import { systemClock } from "@steward/kernel/clock.js";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { collectGarbage, mergeIntoBranch, TripleStore } from "@steward/state";
import { anyQuad } from "../../testing/any-quad.js";
import { openSqliteBlockStore } from "../state/block-store.js";

/**
 * Works on a store until it is killed: commits on a branch, creates branches, merges, deletes
 * branches, and collects garbage. Prints `commit <branch> <hash>` after each commit.
 */
const [path = "", seed = "0", branch = "main"] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const store = openSqliteBlockStore(path, systemClock);
const note = { author: "driver", message: "a change" };
/** Younger blocks are kept, because another process may be about to refer to them. */
const GRACE_MS = 1000;

for (let round = 0; ; round++) {
  const choice = random();
  if (choice < 0.15 && store.ref(`heads/${branch}`) !== undefined) mergeSide(round);
  else if (choice < 0.25) collectGarbage(store, systemClock, GRACE_MS);
  else commit(branch, 1 + Math.floor(random() * 200));
}

function commit(name: string, changes: number): void {
  const triples = new TripleStore(store, systemClock, name);
  for (let change = 0; change < changes; change++) {
    if (random() < 0.3) triples.delete(anyQuad(random));
    else triples.add(anyQuad(random));
  }
  const hash = triples.commit(note);
  // A synchronous write, which survives a kill of this process.
  writeSync(1, `commit ${name} ${hash}\n`);
}

function mergeSide(round: number): void {
  const side = `${branch}-side-${round}`;
  const head = store.ref(`heads/${branch}`);
  if (head === undefined) return;
  store.move({ name: `heads/${side}`, expected: undefined, next: head }, new Map());
  commit(side, 20);
  commit(branch, 20);
  const theirs = store.ref(`heads/${side}`);
  if (theirs === undefined) return;
  const order = { ...note, branch, theirs, singleValued: new Set<string>() };
  const { commit: merged, conflicts } = mergeIntoBranch(store, systemClock, order, false);
  if (conflicts.length === 0) writeSync(1, `commit ${branch} ${merged}\n`);
  store.move({ name: `heads/${side}`, expected: theirs, next: undefined }, new Map());
}
