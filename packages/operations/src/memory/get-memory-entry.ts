import * as z from "zod";
import { operation } from "../operation.js";
import { ENTRY_ID, entryId, memoryEntry } from "./memory-entry.js";

export const getMemoryEntry = operation({
  name: "getMemoryEntry",
  action: "memory:read",
  summary: "Read an entry",
  description:
    "One entry of your organization, its content as it was stored; 403 when policies keep from you what it repeats.",
  tag: "Memory",
  input: z.strictObject({ entry_id: entryId }).meta({ examples: [{ entry_id: ENTRY_ID }] }),
  output: memoryEntry,
  errors: [404],
  rest: {
    method: "GET",
    path: "/api/memory/entries/{entry_id}",
    answered: "The entry",
  },
  grpc: { method: "MemoryService/GetMemoryEntry", response: "entry" },
});
