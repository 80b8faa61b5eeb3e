import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import type { ReembeddingStore } from "../../memory/ports.js";
import { DirectoryProbe } from "../directory-probe.js";
import { storeUnavailable } from "../failure-reason.js";
import { makePrivateDirectory, makePrivateFile } from "../private-files.js";
import type { Store } from "../store.js";
import { SqliteAuditArchive } from "./audit/audit-archive.js";
import { SqlAuditExportStore } from "../cold/audit-export-store.js";
import { SqlErasedPlanNames } from "../cold/erased-plan-names.js";
import { recordsFrom } from "./audit/record-rows.js";
import { SqlCosignatureStore } from "../cold/cosignature-store.js";
import { SqlCustomerBindings } from "../cold/customer-bindings.js";
import { SqliteAuditSequence } from "./audit/audit-sequence.js";
import { DerivationThread } from "../derivation/derivation-thread.js";
import type { DerivationCalls, DerivationData } from "./derivation/derivation-calls.js";
import { SqlApprovalIndex } from "../cold/approval-index.js";
import { SqlApiKeyStore } from "../cold/api-key-store.js";
import { SqlBrowserSessionStore } from "../cold/browser-session-store.js";
import { SqlErasures } from "../cold/erasures.js";
import { SqlPolicyStore } from "../cold/policy-store.js";
import { SqlRetentionStore } from "../cold/retention-store.js";
import { StoreReads } from "./reads/store-reads.js";
import { CommitWriter } from "./commit-writer.js";
import { openConnection, type SqliteRow, StatementCache } from "./connection.js";
import { SqliteMemoryStore } from "./memory/memory-store.js";
import { SqliteReembedding } from "./memory/memory-reembedding.js";
import { migrate, pendingVersions } from "./migrate.js";
import { lockStore, StoreOwned } from "./owner-lock.js";
import { PlanQueries } from "./plans/plan-queries.js";
import { PlanEngine } from "../../plans/index.js";
import { SqlitePlanLog } from "./plans/plan-log.js";
import { SqlStorageMeter } from "../cold/storage-meter.js";
import { PACKED_TABLES } from "./audit/packed-tables.js";
import { SqliteErasedRows } from "./retention/erased-rows.js";
import { SqliteExpiredRows } from "./retention/expired-rows.js";
import { NO_HANDOVER, soleNode } from "./sole-node.js";
import { SqliteSqlStore } from "./sql-store.js";
import { PlanDefinitions } from "./tool-calls/plan-definitions.js";
import { SqliteToolCallLog } from "./tool-calls/tool-call-log.js";
import { SqliteStoreStatus } from "./store-status.js";
import { sqliteUsageStore } from "./usage/usage-store.js";
import { WebhookOutbox } from "../../webhooks/index.js";
import { SqlWebhookStore } from "../cold/webhook-store.js";

/** The service's whole store in one SQLite file, owned by one process. */
export interface SqliteStore extends Store {
  readonly reembedding: ReembeddingStore;
}

/**
 * Opens the store at this path; creates and migrates it if needed.
 * @param outbox makes the webhooks of plans' events; absent: there are none.
 * @throws AppError `STORE_UNAVAILABLE` when another process owns it or it cannot be opened.
 */
export function openSqliteStore(
  path: string,
  clock: Clock,
  telemetry: Telemetry,
  outbox: WebhookOutbox = new WebhookOutbox([]),
): SqliteStore {
  makePrivate(path);
  const lock = lockStore(path);
  try {
    prepare(path, clock);
  } catch (error) {
    lock[Symbol.dispose]();
    if (error instanceof AppError) throw error;
    throw storeUnavailable(`The store ${path} cannot be opened`, error, path);
  }
  const reader = openConnection(path, true);
  const statements = new StoreReads(path, new StatementCache(reader));
  const writer = new CommitWriter(path, telemetry);
  const derivation = new DerivationThread<DerivationCalls>(
    new URL("./derivation/derivation-worker.js", import.meta.url),
    () => {
      const data: DerivationData = { path, writer: writer.connect() };
      return { data, ports: [data.writer] };
    },
  );
  const sql = new SqliteSqlStore(writer, statements);
  const directory = new DirectoryProbe(dirname(path), clock);
  const toolCalls = new SqliteToolCallLog(statements, new PlanDefinitions(statements));
  const queries = new PlanQueries(statements, clock);
  const plans = new PlanEngine({
    log: new SqlitePlanLog({ writer, queries, clock, toolCalls, outbox }),
    reads: queries,
    node: soleNode(clock),
    handover: NO_HANDOVER,
    timers: systemTimers,
  });
  return {
    plans,
    approvals: new SqlApprovalIndex(sql),
    toolCalls,
    usage: sqliteUsageStore(writer, statements, derivation),
    customers: new SqlCustomerBindings(sql, clock),
    apiKeys: new SqlApiKeyStore(sql),
    browserSessions: new SqlBrowserSessionStore(sql),
    policies: new SqlPolicyStore(sql),
    retention: new SqlRetentionStore(sql),
    expired: new SqliteExpiredRows(writer, statements),
    audit: {
      sequence: new SqliteAuditSequence(writer, derivation),
      archive: new SqliteAuditArchive(writer, statements),
      exported: new SqlAuditExportStore(sql, (from, limit) => recordsFrom(statements, from, limit)),
      cosignatures: new SqlCosignatureStore(sql),
    },
    erasures: new SqlErasures(sql),
    meter: new SqlStorageMeter(sql, PACKED_TABLES),
    erased: new SqliteErasedRows(writer, statements),
    erasedPlanNames: new SqlErasedPlanNames(sql),
    status: new SqliteStoreStatus(statements, clock),
    memory: new SqliteMemoryStore(writer, statements, toolCalls, derivation),
    webhooks: new SqlWebhookStore(sql),
    reembedding: new SqliteReembedding(writer, statements),
    memorySource: {
      url: new URL("./memory/memory-index-source.js", import.meta.url).href,
      options: { path },
    },
    check: async () => {
      statements.get("SELECT count(*) FROM tool_call_cursors");
      if (!writer.isFailing) return directory.recently();
      await directory.now();
      await writer.probe();
    },
    async [Symbol.asyncDispose]() {
      await plans[Symbol.asyncDispose]();
      await derivation[Symbol.asyncDispose]();
      await writer[Symbol.asyncDispose]();
      await statements[Symbol.asyncDispose]();
      reader.close();
      lock[Symbol.dispose]();
    },
  };
}

/**
 * The migrations that opening the store at this path would apply; all of them for a missing file.
 */
export function pendingMigrations(path: string): readonly string[] {
  const db = openConnection(existsSync(path) ? path : ":memory:", true);
  try {
    return pendingVersions(db).map((version) => `schema version ${String(version)}`);
  } finally {
    db.close();
  }
}

/** The signed note of the audit log's checkpoint in an up-to-date store; empty without records. */
export function checkpointNote(path: string): string {
  const db = openConnection(path, true);
  try {
    // The query returns at most one row with one column.
    const row = db.prepare("SELECT checkpoint FROM audit_tree").get() as SqliteRow | undefined;
    return String(row?.["checkpoint"] ?? "");
  } finally {
    db.close();
  }
}

/** Whether a running process owns the store. */
export function isOwned(path: string): boolean {
  try {
    lockStore(path)[Symbol.dispose]();
    return false;
  } catch (error) {
    if (error instanceof StoreOwned) return true;
    throw error;
  }
}

function makePrivate(path: string): void {
  try {
    makePrivateDirectory(dirname(path));
    makePrivateFile(path);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw storeUnavailable(`The store ${path} cannot be opened`, error, path);
  }
}

function prepare(path: string, clock: Clock): void {
  const db = openConnection(path, false);
  try {
    migrate(db);
    // The holder of each lease was the previous owner of this store, whose process has ended.
    db.exec("UPDATE step_leases SET lease_until_ms = 0");
    // So did the sender of each webhook that was on its way. Those that wait are tried again too.
    db.prepare(
      `UPDATE webhook_deliveries SET due_at_ms = min(due_at_ms, ?)
       WHERE dead_at_ms IS NULL AND attempt > 0`,
    ).run(clock.nowMs());
  } finally {
    db.close();
  }
}
