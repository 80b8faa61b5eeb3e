import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { BenchChild } from "../dist/plans/bench-child.js";
import { postgresStore } from "../dist/plans/postgres-store.js";
import { BenchServer, createTarget } from "../dist/plans/server.js";
import { sqliteStore } from "../dist/plans/sqlite-store.js";
import { startDbos } from "./dbos.js";
import { startLangGraph } from "./langgraph.js";
import { compare } from "./rounds.js";
import { createCustomers, load, postgresReader } from "./workload.js";

const dir = mkdtempSync(join(tmpdir(), "steward-peers-"));
createTarget(dir);
const store = await postgresStore();
const shop = await createCustomers(store.url);
const pool = new pg.Pool({ connectionString: shop, max: 16 });
const read = postgresReader(pool);
const checkpoints = new pg.Pool({ connectionString: store.url, max: 16 });
const saver = new PostgresSaver(checkpoints);
await saver.setup();
const client = BenchChild.load();

const embedded = await BenchServer.start(dir, sqliteStore(dir).url, 0);
const source = { SERVICE_DATA_SOURCES: `default=${shop}` };
const distributed = await BenchServer.start(dir, store.url, 1, { settings: source });
const peers = {
  DBOS: await startDbos(store.url, read),
  LangGraph: startLangGraph(saver, read),
};
const systems = {
  "Steward, SQLite": viaGrpc(embedded),
  "Steward, PostgreSQL": viaGrpc(distributed),
  DBOS: (order) => load(order, peers.DBOS.onePlan),
  LangGraph: (order) => load(order, peers.LangGraph.onePlan),
};

await compare(systems);
await Promise.all([embedded.stop(), distributed.stop()]);
await peers.DBOS.stop();
await Promise.all([pool.end(), checkpoints.end()]);
client.end();
await store[Symbol.asyncDispose]();
rmSync(dir, { recursive: true });
process.exit();

function viaGrpc({ address }) {
  return async ({ concurrency, plansEach }) => {
    const order = { kind: "steps", addresses: [address], concurrency, plansEach };
    const { calls, seconds } = await client.order(order);
    return { rate: Math.round(calls / seconds) };
  };
}
