import { AppError } from "@steward/kernel/errors.js";
import type { ErasedRows, ErasureStore, RetentionStore } from "./ports.js";

/** Stands in for the store when none is configured: nothing is stored, so nothing is deleted. */
export const noRetentionStore: RetentionStore = {
  latest: () => Promise.resolve(undefined),
  put: refuse,
  holds: () => Promise.resolve([]),
  placeHold: refuse,
  liftHold: refuse,
};

/** The corresponding erasures. */
export const noErasures: ErasureStore = {
  begin: refuse,
  list: () => Promise.resolve([]),
  unfinished: () => Promise.resolve([]),
  count: refuse,
  finish: refuse,
};

/** The corresponding rows to erase. */
export const noErasedRows: Pick<ErasedRows, "estimate"> = { estimate: refuse };

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "There is nothing to keep or to delete: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
