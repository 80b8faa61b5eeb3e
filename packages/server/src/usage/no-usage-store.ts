import { AppError } from "@steward/kernel/errors.js";
import type { StorageMeter, UsageStore } from "./ports.js";

/**
 * Stands in for the store when none is configured: every operation fails and names the missing
 * setting (Decision §1). Nothing waits to be recorded, because no tool is called without a store.
 */
export const noUsageStore: UsageStore = {
  recording: { recordPending: () => Promise.resolve([]), recordExternal: refuse },
  reports: {
    days: refuse,
    totals: refuse,
    heatMap: refuse,
    organizationTotals: refuse,
    detailFromMs: refuse,
    totalsIn: refuse,
  },
  prices: { list: refuse, change: refuse },
  budgets: { list: refuse, save: refuse, delete: refuse },
  ledgers: { exclusively: refuse },
};

/** The corresponding measurement: nothing is stored. */
export const noStorageMeter: StorageMeter = {
  page: () => Promise.resolve({ kind: "plans", bytes: 0 }),
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "Usage is not recorded: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
