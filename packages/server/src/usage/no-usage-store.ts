import { AppError } from "@steward/kernel/errors.js";
import type { UsageStore } from "./ports.js";

/**
 * Stands in for the store when none is configured: every operation fails and names the missing
 * setting (Decision §1). Nothing waits to be recorded, because no tool is called without a store.
 */
export const noUsageStore: UsageStore = {
  recordPending: () => Promise.resolve([]),
  recordExternal: refuse,
  correctRows: refuse,
  rowsBetween: refuse,
  buckets: refuse,
  heatMap: refuse,
  organizationTotals: refuse,
  totalsIn: refuse,
  prices: refuse,
  changePrices: refuse,
  budgets: refuse,
  saveBudget: refuse,
  deleteBudget: refuse,
  storedTotals: refuse,
  replaceTotals: refuse,
  withLedger: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "Usage is not recorded: no backing store; set SERVICE_DATABASE_URL",
    ),
  );
}
