import { AppError } from "@steward/kernel/errors.js";
import type { MemoryStore } from "./ports.js";
import type { VectorIndex } from "./vector-index.js";

/**
 * Stands in for the memory when no store is configured: every operation returns an error that names
 * the missing setting (Decision §1).
 */
export const noMemoryStore: MemoryStore = {
  useModel: refuse,
  addEntries: refuse,
  toolCalls: { take: refuse, done: refuse, waiting: refuse, onNews: () => () => undefined },
  takeCalls: refuse,
  remember: refuse,
  findEntry: refuse,
  entriesById: refuse,
  listEntries: refuse,
  countEntries: refuse,
  hasEntries: refuse,
  deleteEntry: refuse,
  deleteSession: refuse,
  deleteExpired: refuse,
};

/** The corresponding index. */
export const noVectorIndex: VectorIndex = {
  add: refuse,
  remove: refuse,
  search: refuse,
  stats: refuse,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function refuse(): Promise<never> {
  return Promise.reject(
    new AppError(
      "STORE_UNAVAILABLE",
      "Memory is not stored: no store is configured; set SERVICE_DATABASE_URL",
    ),
  );
}
