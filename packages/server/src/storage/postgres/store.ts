import type { Clock } from "@steward/kernel/clock.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import type { MeteredTable } from "../metered-tables.js";
import type { Store } from "../store.js";
import { PostgresAuditArchive } from "./audit/audit-archive.js";
import { recordsFrom } from "./audit/record-blocks.js";
import { SqlAuditExportStore } from "../cold/audit-export-store.js";
import { SqlErasedPlanNames } from "../cold/erased-plan-names.js";
import { SqlCosignatureStore } from "../cold/cosignature-store.js";
import { SqlCustomerBindings } from "../cold/customer-bindings.js";
import { PostgresAuditSequence } from "./audit/audit-sequence.js";
import { SqlApprovalIndex } from "../cold/approval-index.js";
import { SqlApiKeyStore } from "../cold/api-key-store.js";
import { SqlBrowserSessionStore } from "../cold/browser-session-store.js";
import { SqlPolicyStore } from "../cold/policy-store.js";
import { PostgresBudgetReservations } from "./usage/budget-reservations.js";
import { DerivationThread } from "../derivation/derivation-thread.js";
import { Database } from "./database.js";
import type { DerivationCalls, DerivationData } from "./derivation/derivation-calls.js";
import { MemoryFollower } from "./memory/memory-follower.js";
import type { IndexSourceOptions } from "./memory/memory-index-source.js";
import { PostgresMemoryStore } from "./memory/memory-store.js";
import { migrate } from "./migrate.js";
import { NodeFile } from "./node-file.js";
import { NodeLease } from "./node-lease.js";
import { PlanQueries } from "./plans/plan-queries.js";
import { PlanEngine } from "../../plans/index.js";
import type { PlanUnit } from "../../plans/engine/index.js";
import { PostgresPlanHandover } from "./plans/plan-handover.js";
import { PostgresPlanLog } from "./plans/plan-log.js";
import { SqlStorageMeter } from "../cold/storage-meter.js";
import { PostgresErasedRows } from "./retention/erased-rows.js";
import { SqlErasures } from "../cold/erasures.js";
import { PostgresExpiredRows } from "./retention/expired-rows.js";
import { SqlRetentionStore } from "../cold/retention-store.js";
import { Signals } from "./signals.js";
import { PostgresOrigin } from "./state/state-origin.js";
import { PostgresToolCallLog } from "./tool-calls/tool-call-log.js";
import { UnreadPlans } from "./tool-calls/unread-plans.js";
import { PostgresStoreStatus } from "./store-status.js";
import { postgresUsageStore } from "./usage/usage-store.js";
import { WebhookOutbox } from "../../webhooks/index.js";
import { PostgresSqlStore } from "./sql-store.js";
import { SqlWebhookStore } from "../cold/webhook-store.js";

/** Of the tables whose rows are measured, those that differ from SQLite's. The state is in the same database. */
const OWN_TABLES: readonly MeteredTable[] = [
  {
    ...{ name: "audit_blocks", kind: "audit", key: { batch_index: "bigint" } },
    sized: ["records", "personal_values"],
  },
  { name: "state_blocks", kind: "state", key: { hash: "bytea" }, sized: ["bytes"] },
];

/** Options for opening a store. */
export interface PostgresStoreOptions {
  /** `postgres://…`; it may contain a password. */
  readonly url: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** The file that names the node, for a server that restarts after it was killed. */
  readonly nodeFile?: string;
  /** Makes the webhooks of plans' events; absent: there are none. */
  readonly outbox?: WebhookOutbox;
}

/**
 * Opens the store that several nodes share, migrates it if needed, and joins its nodes.
 * @throws AppError `STORE_UNAVAILABLE`.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, clock, ids, log, telemetry, nodeFile, outbox = new WebhookOutbox([]) } = options;
  const file = nodeFile === undefined ? {} : { file: new NodeFile(nodeFile, log) };
  const db = new Database(url);
  try {
    await migrate(db);
    const node = await NodeLease.join({ db, ids, log, ...file });
    const signals = new Signals(db, node, log);
    const unread = {
      usage: new UnreadPlans(db, "usage", node, log),
      memory: new UnreadPlans(db, "memory", node, log),
      audit: new UnreadPlans(db, "audit", node, log),
    };
    const data: DerivationData = { url };
    const derivation = new DerivationThread<DerivationCalls>(
      new URL("./derivation/derivation-worker.js", import.meta.url),
      () => ({ data }),
    );
    const sql = new PostgresSqlStore(db);
    const toolCalls = new PostgresToolCallLog(db, unread.usage);
    const onWritten = (unit: PlanUnit): void => {
      unread.audit.recorded(unit.ref);
      const calls = unit.entries.flatMap(({ end }) => end?.toolCall ?? []);
      // Consumers settle an ended plan even if it has no more calls.
      if (calls.length === 0 && unit.plan?.finishedAtMs === undefined) return;
      unread.usage.recorded(unit.ref);
      unread.memory.recorded(unit.ref);
      toolCalls.recorded(calls);
    };
    const queries = new PlanQueries(db, node);
    const plans = new PlanEngine({
      log: new PostgresPlanLog({
        ...{ db, node, queries, telemetry, onWritten, outbox },
        onCreated: (ref) => {
          unread.audit.recorded(ref);
        },
      }),
      reads: queries,
      node,
      handover: new PostgresPlanHandover(db, signals, node),
      timers: systemTimers,
    });
    const memory = new PostgresMemoryStore(db, unread.memory, signals, derivation);
    return {
      plans,
      approvals: new SqlApprovalIndex(sql),
      toolCalls,
      usage: postgresUsageStore(db, derivation, unread.usage),
      reservations: new PostgresBudgetReservations(db, node, clock),
      customers: new SqlCustomerBindings(sql, clock),
      apiKeys: new SqlApiKeyStore(sql),
      browserSessions: new SqlBrowserSessionStore(sql),
      policies: new SqlPolicyStore(sql),
      audit: {
        sequence: new PostgresAuditSequence(db, derivation, unread.audit),
        archive: new PostgresAuditArchive(db),
        exported: new SqlAuditExportStore(sql, (from, limit) => recordsFrom(db, from, limit)),
        cosignatures: new SqlCosignatureStore(sql),
      },
      memory,
      retention: new SqlRetentionStore(sql),
      expired: new PostgresExpiredRows(db),
      webhooks: new SqlWebhookStore(sql),
      erasures: new SqlErasures(sql),
      meter: new SqlStorageMeter(sql, OWN_TABLES),
      erased: new PostgresErasedRows(db),
      erasedPlanNames: new SqlErasedPlanNames(sql),
      status: new PostgresStoreStatus(db, node),
      get memorySource() {
        const options: IndexSourceOptions = { url, modelId: memory.modelId };
        return { url: new URL("./memory/memory-index-source.js", import.meta.url).href, options };
      },
      stateOrigin: new PostgresOrigin(db),
      followMemory: (index) =>
        MemoryFollower.start({ db, signals, log, modelId: memory.modelId }, index),
      check: () => db.check(),
      async [Symbol.asyncDispose]() {
        await plans[Symbol.asyncDispose]();
        await derivation[Symbol.asyncDispose]();
        await signals[Symbol.asyncDispose]();
        await node[Symbol.asyncDispose]();
        await db[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}
