import { AppError } from "@steward/kernel/errors.js";
import type { PolicyStore } from "./ports.js";

/**
 * Stands in for the policy store when no store is configured: no organization has policies of its
 * own, and none can be put into force.
 */
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
