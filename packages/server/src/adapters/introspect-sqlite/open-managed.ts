import { existsSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { AppError } from "../../kernel/errors.js";

/** How long a connection waits for another's transaction. */
const BUSY_TIMEOUT_MS = 5000;

/** Opens a file that is there. @throws AppError `STORE_UNAVAILABLE`. */
export function openManaged(name: string, path: string): DatabaseSyncInstance {
  if (!existsSync(path)) throw unavailable(name);
  try {
    return new DatabaseSync(path, {
      timeout: BUSY_TIMEOUT_MS,
      defensive: true,
      limits: { attach: 0 },
    });
  } catch (error) {
    throw unavailable(name, error);
  }
}

function unavailable(name: string, cause?: unknown): AppError {
  return new AppError("STORE_UNAVAILABLE", `The database ${name} cannot be opened`, {
    ...(cause === undefined ? {} : { cause }),
    retryAfterMs: 1000,
  });
}
