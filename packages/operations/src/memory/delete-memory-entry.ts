import * as z from "zod";
import { operation } from "../operation.js";
import { deletedEntries, ENTRY_ID, entryId } from "./memory-entry.js";

export const deleteMemoryEntry = operation({
  name: "deleteMemoryEntry",
  action: "memory:purge",
  audit: { kind: "memory.delete", time: "withEffect" },
  summary: "Forget an entry",
  description: "Deletes the entry and its vector, for every search that begins afterwards.",
  tag: "Memory",
  input: z.strictObject({ entry_id: entryId }).meta({ examples: [{ entry_id: ENTRY_ID }] }),
  output: deletedEntries,
  errors: [404, 409],
  rest: {
    method: "DELETE",
    path: "/api/memory/entries/{entry_id}",
    answered: "The number of deleted entries",
  },
  grpc: { method: "MemoryService/DeleteMemoryEntry" },
  // A second request finds no entry.
  retry: false,
});
