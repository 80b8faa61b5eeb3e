import * as z from "zod";
import type { Infer } from "../operation.js";

export const ENTRY_ID = "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1";

export const ENTRY_EXAMPLE = {
  entry_id: ENTRY_ID,
  session_id: "session-42",
  content: '{"note":"invoices are paid on Fridays"}',
  created_at: "2026-03-01T09:30:00.000Z",
} as const;

/** Of an entry in a path. */
export const entryId = z.string().describe("Id of the entry");

/** A memory entry. */
export const memoryEntry = z
  .object({
    entry_id: z.string().describe("Id of the entry, assigned by the service"),
    session_id: z.string().describe("Session of the entry; empty when it has none"),
    content: z.string().describe("JSON text, as it was stored"),
    created_at: z.string().meta({ format: "date-time" }).describe("When it was created, in UTC"),
    tool_name: z
      .string()
      .exactOptional()
      .describe("Name of the tool; only when the entry records a tool call"),
    intent: z
      .string()
      .exactOptional()
      .describe("Intent of the call; only when the entry records a tool call"),
  })
  .meta({ id: "MemoryEntry", description: "A memory entry", examples: [ENTRY_EXAMPLE] });

export type MemoryEntry = Infer<typeof memoryEntry>;

const time = z.iso.datetime({ offset: true });

/** Conditions on the entries of a search or a listing; all must hold. */
export const filterShape = {
  session_id: z.string().exactOptional().describe("Only entries of this session"),
  created_from: time.exactOptional().describe("Created at or after"),
  created_before: time.exactOptional().describe("Created before"),
  tool_name: z.string().exactOptional().describe("Only entries that record calls of this tool"),
  intent: z.string().exactOptional().describe("Only entries that record calls with this intent"),
};

/** How many entries an operation has deleted. */
export const deletedEntries = z
  .object({ deleted: z.int().describe("Number of entries deleted") })
  .meta({
    id: "DeletedEntries",
    description: "How many entries were deleted",
    examples: [{ deleted: 1 }],
  });
