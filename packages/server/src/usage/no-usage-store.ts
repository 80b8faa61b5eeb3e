import { AppError } from "../kernel/errors.js";
import type { UsageStore } from "./ports.js";

/**
 * Usage where there is nothing to keep it in: every operation says what is missing (Decision §1).
 * Nothing is waiting to be recorded, because without a store no tool is called.
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
