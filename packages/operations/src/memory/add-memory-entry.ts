import * as z from "zod";
import { operation } from "../operation.js";
import { memoryEntry } from "./memory-entry.js";

export const addMemoryEntry = operation({
  name: "addMemoryEntry",
  action: "memory:write",
  audit: { kind: "memory.add", time: "withEffect" },
  summary: "Remember an entry",
  description: "Embeds the entry and stores both durably; the next search finds it.",
  tag: "Memory",
  input: z
    .strictObject({
      session_id: z
        .string()
        .exactOptional()
        .describe("Session of the entry; default: the x-session-id header"),
      content: z.string().describe("JSON text, at most 64 KiB; stored and embedded unchanged"),
    })
    .meta({
      id: "NewMemoryEntry",
      description: "An entry to store",
      examples: [{ session_id: "session-42", content: '{"note":"invoices are paid on Fridays"}' }],
    }),
  output: memoryEntry,
  errors: [413],
  rest: {
    method: "POST",
    path: "/api/memory/entries",
    status: 201,
    location: "/api/memory/entries/{entry_id}",
    answered: "The entry is stored; Location names it",
  },
  grpc: { method: "MemoryService/AddMemoryEntry", response: "entry" },
  // Each request stores an entry.
  retry: false,
});
