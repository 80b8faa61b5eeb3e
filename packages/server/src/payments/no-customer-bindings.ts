import { AppError } from "../kernel/errors.js";
import type { CustomerBindings } from "./ports.js";

/** Customers where there is nothing to remember them in: every operation says what is missing. */
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
      "Customers are not remembered: no backing store; set SERVICE_DATABASE_URL",
    ),
  );
}
