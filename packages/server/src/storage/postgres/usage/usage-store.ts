import type { UsageStore } from "../../../usage/ports.js";
import type { Database } from "../database.js";
import type { UnreadPlans } from "../tool-calls/unread-plans.js";
import { PostgresBudgetBook } from "./budget-book.js";
import { PostgresPriceBook } from "./price-book.js";
import { PostgresUsageLedger, withLockedLedger } from "./usage-ledger.js";
import { PostgresUsageRecording } from "./usage-recording.js";
import { PostgresUsageReports } from "./usage-reports.js";

/** Usage in PostgreSQL, for several nodes at once. */
export function postgresUsageStore(db: Database, unread: UnreadPlans): UsageStore {
  return {
    recording: new PostgresUsageRecording(db, unread),
    reports: new PostgresUsageReports(db),
    prices: new PostgresPriceBook(db),
    budgets: new PostgresBudgetBook(db),
    ledgers: {
      exclusively: (orgId, work) =>
        withLockedLedger(db, orgId, (connection) => work(new PostgresUsageLedger(connection))),
    },
  };
}
