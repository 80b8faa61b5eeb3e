import type { UsageStore } from "../../../usage/ports.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StoreReads } from "../reads/store-reads.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import { SqlBudgetBook } from "../../cold/budget-book.js";
import { SqlPriceBook } from "../../cold/price-book.js";
import { SqliteSqlStore } from "../sql-store.js";
import { SqliteUsageLedger } from "./usage-ledger.js";
import { SqliteUsageRecording } from "./usage-recording.js";
import { SqliteUsageReports } from "./usage-reports.js";

/** Usage in SQLite. One process owns the store, and one caller at a time changes usage. */
export function sqliteUsageStore(
  writer: CommitWriter,
  db: StoreReads,
  thread: DerivationThread<DerivationCalls>,
): UsageStore {
  const ledger = new SqliteUsageLedger(writer, db);
  const sql = new SqliteSqlStore(writer, db);
  const prices = new SqlPriceBook(sql);
  return {
    recording: new SqliteUsageRecording(writer, db, thread, prices),
    reports: new SqliteUsageReports(db),
    prices,
    budgets: new SqlBudgetBook(sql),
    ledgers: { exclusively: (_orgId, work) => work(ledger) },
  };
}
