import { AppError } from "@steward/kernel/errors.js";
import type { BrowserSessionStore } from "./ports.js";

/** Stands in for the browser sessions when no store is configured. */
export const noBrowserSessions: BrowserSessionStore = {
  add: refuse,
  find: () => Promise.resolve(undefined),
  recordUse: refuse,
  remove: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "Nobody can sign in with a browser: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
