import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { createTarget } from "../dist/plans/server.js";
import { startLangGraph } from "./langgraph.js";
import { compare } from "./rounds.js";
import { startSteward } from "./steward.js";
import { load, sqliteReader } from "./workload.js";

const dir = mkdtempSync(join(tmpdir(), "steward-peers-"));
createTarget(dir);
const target = join(dir, "target.db");
const customers = new Database(target, { readonly: true });
const read = sqliteReader(customers);

const steward = await startSteward(dir, target);
const peers = {
  // Its SQLite does not write a commit through to the disk, so that a power failure can lose steps.
  "LangGraph, as installed": startLangGraph(saver("checkpoints.db"), read),
  "LangGraph, durable": startLangGraph(saver("durable.db", "FULL"), read),
};
const systems = { "Steward in process": steward, ...peers };
await compare(
  Object.fromEntries(
    Object.entries(systems).map(([name, { onePlan }]) => [name, (order) => load(order, onePlan)]),
  ),
);
await steward.stop();
customers.close();
rmSync(dir, { recursive: true });

/** Checkpoints in a file of their own. */
function saver(name, synchronous) {
  const db = new Database(join(dir, name));
  if (synchronous !== undefined) db.pragma(`synchronous = ${synchronous}`);
  return new SqliteSaver(db);
}
