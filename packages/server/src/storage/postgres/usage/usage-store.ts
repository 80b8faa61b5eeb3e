import type { UsageStore } from "../../../usage/ports.js";
import type { Database } from "../database.js";
import type { DerivationThread } from "../../derivation/derivation-thread.js";
import type { DerivationCalls } from "../derivation/derivation-calls.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";
import { SqlBudgetBook } from "../../cold/budget-book.js";
import { SqlPriceBook } from "../../cold/price-book.js";
import { PostgresSqlStore } from "../sql-store.js";
import { lockLedger, PostgresUsageLedger } from "./usage-ledger.js";
import { PostgresUsageRecording } from "./usage-recording.js";
import { PostgresUsageReports } from "./usage-reports.js";

/** Usage in PostgreSQL, for several nodes at once. */
export function postgresUsageStore(
  db: Database,
  thread: DerivationThread<DerivationCalls>,
  unread: UnreadPlans,
): UsageStore {
  const sql = new PostgresSqlStore(db);
  return {
    recording: new PostgresUsageRecording(db, thread, unread),
    reports: new PostgresUsageReports(db),
    prices: new SqlPriceBook(sql),
    budgets: new SqlBudgetBook(sql),
    ledgers: {
      exclusively: (orgId, work) =>
        db.transaction(async (connection) => {
          await lockLedger(connection, orgId, "UPDATE");
          return work(new PostgresUsageLedger(connection));
        }),
    },
  };
}
