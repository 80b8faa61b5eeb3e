import { operationTable } from "../operation.js";
import { addMemoryEntry } from "./add-memory-entry.js";
import { deleteMemoryEntry } from "./delete-memory-entry.js";
import { deleteMemorySession } from "./delete-memory-session.js";
import { getMemoryEntry } from "./get-memory-entry.js";
import { getMemoryRetention } from "./get-memory-retention.js";
import { getMemoryStats } from "./get-memory-stats.js";
import { listMemoryEntries } from "./list-memory-entries.js";
import { searchMemory } from "./search-memory.js";
import { setMemoryRetention } from "./set-memory-retention.js";

/** Memory entries, and the search over them (Contract §4.4, Decision §12). */
export const memory = operationTable({
  searchMemory,
  addMemoryEntry,
  listMemoryEntries,
  getMemoryEntry,
  deleteMemoryEntry,
  deleteMemorySession,
  getMemoryStats,
  getMemoryRetention,
  setMemoryRetention,
});
