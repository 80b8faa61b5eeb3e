import type { Clock } from "@steward/kernel/clock.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import type { Store } from "../store.js";
import { PostgresAuditArchive } from "./audit/audit-archive.js";
import { PostgresAuditExportStore } from "./audit/audit-export-store.js";
import { PostgresCosignatureStore } from "./audit/cosignature-store.js";
import { PostgresAuditSequence } from "./audit/audit-sequence.js";
import { PostgresApprovalIndex } from "./approvals/approval-index.js";
import { PostgresApiKeyStore } from "./governance/api-key-store.js";
import { PostgresBrowserSessionStore } from "./governance/browser-session-store.js";
import { PostgresPolicyStore } from "./governance/policy-store.js";
import { PostgresBudgetReservations } from "./usage/budget-reservations.js";
import { PostgresCustomerBindings } from "./usage/customer-bindings.js";
import { Database } from "./database.js";
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
import { PostgresStorageMeter } from "./usage/storage-meter.js";
import { PostgresErasedRows } from "./retention/erased-rows.js";
import { PostgresErasures } from "./retention/erasures.js";
import { PostgresExpiredRows } from "./retention/expired-rows.js";
import { PostgresRetentionStore } from "./retention/retention-store.js";
import { Signals } from "./signals.js";
import { PostgresOrigin } from "./state/state-origin.js";
import { PostgresToolCallLog } from "./tool-calls/tool-call-log.js";
import { UnreadPlans } from "./tool-calls/unread-plans.js";
import { PostgresStoreStatus } from "./store-status.js";
import { postgresUsageStore } from "./usage/usage-store.js";
import { WebhookOutbox } from "../../webhooks/index.js";
import { PostgresWebhookStore } from "./webhooks/webhook-store.js";

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
    const memory = new PostgresMemoryStore(db, unread.memory, signals);
    return {
      plans,
      approvals: new PostgresApprovalIndex(db),
      toolCalls,
      usage: postgresUsageStore(db, unread.usage),
      reservations: new PostgresBudgetReservations(db, node, clock),
      customers: new PostgresCustomerBindings(db),
      apiKeys: new PostgresApiKeyStore(db),
      browserSessions: new PostgresBrowserSessionStore(db),
      policies: new PostgresPolicyStore(db),
      audit: {
        sequence: new PostgresAuditSequence(db, unread.audit),
        archive: new PostgresAuditArchive(db),
        exported: new PostgresAuditExportStore(db),
        cosignatures: new PostgresCosignatureStore(db),
      },
      memory,
      retention: new PostgresRetentionStore(db),
      expired: new PostgresExpiredRows(db),
      webhooks: new PostgresWebhookStore(db),
      erasures: new PostgresErasures(db),
      meter: new PostgresStorageMeter(db),
      erased: new PostgresErasedRows(db),
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
