import { AppError } from "@steward/kernel/errors.js";
import type { Repositories } from "../ports.js";

function notKept(): Promise<never> {
  const message = "The state is not stored: set SERVICE_DATABASE_URL, such as sqlite:PATH";
  return Promise.reject(new AppError("STORE_UNAVAILABLE", message));
}

/**
 * Stands in for repositories when no store is configured: every call fails and names the missing
 * setting.
 */
export const noRepositories: Repositories = {
  acquire: notKept,
  read: notKept,
  write: notKept,
  check: notKept,
  collect: notKept,
  due: () => Promise.resolve([]),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
