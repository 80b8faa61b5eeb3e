import { workerData } from "node:worker_threads";
import { serveThread } from "@steward/kernel/concurrency/worker-thread.js";
import { TreeAppender } from "../../../audit/index.js";
import { SqliteFactSource } from "../audit/fact-source.js";
import { RecordPacker } from "../audit/record-packer.js";
import { openConnection, StatementCache } from "../connection.js";
import { JoinedWriter } from "../joined-writer.js";
import { PendingMemory } from "../memory/pending-memory.js";
import { PlanDefinitions } from "../tool-calls/plan-definitions.js";
import { SqliteToolCallLog } from "../tool-calls/tool-call-log.js";
import { PendingUsage } from "../usage/pending-usage.js";
import type { DerivationCalls, DerivationData } from "./derivation-calls.js";
import { OwnReads } from "./own-reads.js";

/**
 * The thread that derives rows from committed changes, so that neither reading and parsing them nor
 * hashing takes time of the event loop. It reads on a connection of its own, and what it writes goes
 * straight to the thread that writes.
 */
// The owner passes this, see DerivationThread.
const { path, writer: port } = workerData as DerivationData;
const connection = openConnection(path, true);
const db = new StatementCache(connection);
const writer = new JoinedWriter(port);
const reads = new OwnReads(db);
const definitions = new PlanDefinitions(reads);
const calls = new SqliteToolCallLog(reads, definitions);
const usage = new PendingUsage(writer, reads, calls);
const memory = new PendingMemory(writer, reads, calls);
const packer = new RecordPacker(writer, db);
const facts = new SqliteFactSource(writer, reads, definitions);
const appender = new TreeAppender(facts);

serveThread<DerivationCalls>(
  {
    prepareRecords: async ({ first, limit }) => {
      await packer.packNext();
      return appender.prepare(first, await facts.take(limit));
    },
    recordUsage: ({ limit, waiting }) => usage.record(limit, waiting),
    takeCalls: ({ limit, waiting }) => memory.take(limit, waiting),
    rememberCalls: (decided) => memory.remember(decided),
    appendRecords: ({ number, checkpoint }) => appender.append({ number }, checkpoint),
  },
  () => {
    writer[Symbol.dispose]();
    connection.close();
  },
);
