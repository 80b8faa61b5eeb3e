import { AppError } from "@steward/kernel/errors.js";
import type { RetentionStore } from "./ports.js";

/** Stands in for the store when none is configured: nothing is stored, so nothing is deleted. */
export const noRetentionStore: RetentionStore = {
  latest: () => Promise.resolve(undefined),
  put: refuse,
  holds: () => Promise.resolve([]),
  placeHold: refuse,
  liftHold: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "Retention cannot be set: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
