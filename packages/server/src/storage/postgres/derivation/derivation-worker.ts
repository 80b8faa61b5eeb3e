import { workerData } from "node:worker_threads";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import { TreeAppender } from "../../../audit/index.js";
import { PostgresFactSource } from "../audit/fact-source.js";
import { Database } from "../database.js";
import { PendingMemory } from "../memory/pending-memory.js";
import { PendingUsage } from "../usage/pending-usage.js";
import type { DerivationCalls, DerivationData } from "./derivation-calls.js";
import { DERIVATION_CONNECTIONS_MAX } from "./limits.js";

/**
 * The thread that derives rows from committed changes on connections of its own, so that neither
 * reading, parsing and hashing them nor writing the rows takes time of the event loop. The main
 * thread names the plans that have something to read.
 */
// The owner passes this, see `openPostgresStore`.
const { url } = workerData as DerivationData;
const db = new Database(url, { connectionsMax: DERIVATION_CONNECTIONS_MAX });
const usage = new PendingUsage(db);
const memory = new PendingMemory(db);
const facts = new PostgresFactSource(db);
const appender = new TreeAppender(facts);

serveThread<DerivationCalls>(
  {
    prepareRecords: async ({ first, limit, plans }) => {
      const { batch, left } = await facts.take(limit, plans);
      return { batch: await appender.prepare(first, batch), left };
    },
    appendRecords: ({ number, checkpoint }) => appender.append({ number }, checkpoint),
    recordUsage: ({ plans, limit }) => usage.record(plans, limit),
    takeCalls: ({ plans, limit }) => memory.take(plans, limit),
    rememberCalls: (decided) => memory.remember(decided),
  },
  () => db[Symbol.asyncDispose](),
);
