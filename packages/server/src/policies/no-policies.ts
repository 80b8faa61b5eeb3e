import { AppError } from "@steward/kernel/errors.js";
import type { PolicyStore } from "./ports.js";

/** Policies where there is nothing to keep them in: no organization has any, and none can be put. */
export const noPolicies: PolicyStore = {
  latest: () => Promise.resolve(undefined),
  put: () =>
    Promise.reject(
      new AppError(
        "STORE_UNAVAILABLE",
        "Policies cannot be stored: no store is configured; set SERVICE_DATABASE_URL",
      ),
    ),
};
