import * as z from "zod";
import { operation } from "../operation.js";
import { deletedEntries } from "./memory-entry.js";

export const deleteMemorySession = operation({
  name: "deleteMemorySession",
  action: "memory:purge",
  audit: { kind: "memory.delete", time: "withEffect" },
  summary: "Delete every entry of a session",
  description:
    "Deletes the entries and their vectors, for every search that begins afterwards. A session without entries is no error.",
  tag: "Memory",
  input: z
    .strictObject({ session_id: z.string().describe("Id of the session") })
    .meta({ examples: [{ session_id: "session-42" }] }),
  output: deletedEntries,
  errors: [409],
  rest: {
    method: "DELETE",
    path: "/api/memory/sessions/{session_id}",
    answered: "The number of deleted entries",
  },
  grpc: { method: "MemoryService/DeleteMemorySession" },
  // The count of a second request would be wrong.
  retry: false,
});
