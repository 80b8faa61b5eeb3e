import { AppError } from "@steward/kernel/errors.js";
import type { ApiKeyStore } from "./ports.js";

/**
 * Stands in for the API keys when no store is configured: every operation returns an error that
 * names the missing setting.
 */
export const noApiKeys: ApiKeyStore = {
  add: refuse,
  find: refuse,
  list: refuse,
  rotate: refuse,
  revoke: refuse,
  recordUses: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "API keys cannot be stored: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
