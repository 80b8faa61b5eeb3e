import * as z from "zod";
import { operation } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";
import { ENTRY_EXAMPLE, filterShape, memoryEntry } from "./memory-entry.js";

export const listMemoryEntries = operation({
  name: "listMemoryEntries",
  action: "memory:read",
  summary: "List entries, newest first",
  description:
    "Entries of your organization, a page at a time; every filter that is given must hold. Entries with outputs that " +
    "policies keep from you are left out, so that a page may be short: another one follows while there is a cursor.",
  tag: "Memory",
  input: z.strictObject({
    ...filterShape,
    limit: pageLimit(200).describe("Entries on a page, 1 to 200; default 50"),
    cursor,
  }),
  output: z
    .object({
      entries: z.array(memoryEntry).describe("The entries, the newest first").readonly(),
      next_cursor: nextCursor,
    })
    .meta({
      id: "MemoryEntryPage",
      description: "A page of entries",
      examples: [{ entries: [ENTRY_EXAMPLE] }],
    }),
  errors: [],
  rest: { method: "GET", path: "/api/memory/entries", answered: "A page of entries" },
  grpc: { method: "MemoryService/ListMemoryEntries" },
});
