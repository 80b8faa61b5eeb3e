import { AppError } from "@steward/kernel/errors.js";
import type { CustomerBindings } from "./ports.js";

/**
 * Stands in for the bindings when no store is configured: every operation fails and names the
 * missing setting.
 */
export const noCustomerBindings: CustomerBindings = {
  customerOf: refuse,
  organizationOf: refuse,
  bind: refuse,
  rebind: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "Customers cannot be stored: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
