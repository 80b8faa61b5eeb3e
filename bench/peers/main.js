import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { BenchChild } from "../dist/plans/bench-child.js";
import { postgresStore } from "../dist/plans/postgres-store.js";
import { BenchServer, createTarget } from "../dist/plans/server.js";
import { sqliteStore } from "../dist/plans/sqlite-store.js";
import { startDbos } from "./dbos.js";
import { startLangGraph } from "./langgraph.js";
import { createCustomers, load } from "./workload.js";

/** Sixteen plans first, because the first run includes time in the interpreter. */
const LOADS = [
  { concurrency: 16, plansEach: 10 },
  { concurrency: 1, plansEach: 40 },
];
const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const dir = mkdtempSync(join(tmpdir(), "steward-peers-"));
createTarget(dir);
const store = await postgresStore();
const shop = await createCustomers(store.url);
const pool = new pg.Pool({ connectionString: shop, max: 16 });
const checkpoints = new pg.Pool({ connectionString: store.url, max: 16 });
const client = BenchChild.load();

const embedded = await BenchServer.start(dir, sqliteStore(dir).url, 0);
const source = { SERVICE_DATA_SOURCES: `default=${shop}` };
const distributed = await BenchServer.start(dir, store.url, 1, { settings: source });
const peers = {
  DBOS: await startDbos(store.url, pool),
  LangGraph: await startLangGraph(checkpoints, pool),
};
const systems = {
  "Steward, SQLite": viaGrpc(embedded),
  "Steward, PostgreSQL": viaGrpc(distributed),
  DBOS: (order) => load(order, peers.DBOS.onePlan),
  LangGraph: (order) => load(order, peers.LangGraph.onePlan),
};

for (const order of LOADS) {
  const rates = Object.fromEntries(Object.keys(systems).map((name) => [name, []]));
  for (const run of Object.values(systems)) await run({ ...order, plansEach: 3 });
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, run] of Object.entries(systems)) rates[name].push(await run(order));
  }
  process.stdout.write(`${order.concurrency} plans at once, steps a second\n`);
  for (const [name, each] of Object.entries(rates)) {
    process.stdout.write(
      `  ${name.padEnd(20)} ${String(median(each)).padStart(6)}  (${each.join(", ")})\n`,
    );
  }
}

await Promise.all([embedded.stop(), distributed.stop()]);
for (const peer of Object.values(peers)) await peer.stop();
await Promise.all([pool.end(), checkpoints.end()]);
client.end();
await store[Symbol.asyncDispose]();
rmSync(dir, { recursive: true });
process.exit();

function viaGrpc({ address }) {
  return async ({ concurrency, plansEach }) => {
    const order = { kind: "steps", addresses: [address], concurrency, plansEach };
    const { calls, seconds } = await client.order(order);
    return Math.round(calls / seconds);
  };
}

function median(rates) {
  return rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)];
}
