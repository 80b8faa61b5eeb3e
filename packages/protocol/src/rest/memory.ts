import * as z from "zod";
import type { Message } from "./envelope.js";

/** Maximum number of entries on one page of a listing. */
export const MEMORY_PAGE_MAX: number = 200;

/** The longest retention that can be set, in days: a century. */
export const MEMORY_RETENTION_DAYS_MAX: number = 36_525;

const dateTime = z.iso.datetime({ offset: true });

const entryFilterShape = {
  session_id: z.string().exactOptional().describe("Only entries of this session"),
  /** RFC 3339: created at or after. */
  created_from: dateTime.exactOptional().describe("Created at or after"),
  /** RFC 3339: created before. */
  created_before: dateTime.exactOptional().describe("Created before"),
  tool_name: z.string().exactOptional().describe("Only entries that record calls of this tool"),
  intent: z.string().exactOptional().describe("Only entries that record calls with this intent"),
};

const filterShape = {
  ...entryFilterShape,
  /** The value at this path of the content equals this one. */
  content: z
    .strictObject({
      /** Such as `$.row_count` or `$.tags[0]`. */
      path: z.string().describe("Such as $.row_count or $.tags[0]"),
      equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).describe("What it equals"),
    })
    .exactOptional()
    .describe("The value at this path of the content equals this one"),
};

/** Conditions on the entries of a search or a listing; all must hold. */
export interface MemoryFilter extends Message<typeof filterShape> {}

const filterSchema: z.ZodType<MemoryFilter> = z.strictObject(filterShape);

// The schema checks shapes only; the service checks the values.
const memorySearchRequestShape = {
  query: z.string().describe("The text to search for, in natural language"),
  /** Default 10; clamped to 1 to 100. */
  top_k: z
    .number()
    .meta({ type: "integer" })
    .exactOptional()
    .describe("Maximum number of results; default 10, clamped to 1 to 100"),
  /** Only this organization's entries; null or absent: no filter. */
  org_id: z
    .string()
    .nullable()
    .exactOptional()
    .describe("Only this organization's entries; null or absent: no filter"),
  /** `hybrid` also ranks by words; absent: by the vector alone. */
  mode: z
    .enum(["vector", "hybrid"])
    .exactOptional()
    .describe("hybrid ranks by words too; default vector: exact cosine similarity alone"),
  filter: filterSchema.exactOptional().describe("Only entries that meet every condition"),
  /** Only results of at least this score. */
  min_score: z.number().exactOptional().describe("Only results of at least this score"),
  /** Whether each result explains its rank. */
  explain: z.boolean().exactOptional().describe("Explain the rank of each result"),
};

/** The body of `POST /api/memory/search` (Contract §4.4) and its additions. */
export interface MemorySearchRequest extends Message<typeof memorySearchRequestShape> {}

export const memorySearchRequestSchema: z.ZodType<MemorySearchRequest> = z
  .strictObject(memorySearchRequestShape)
  .meta({
    id: "MemorySearchRequest",
    description: "A search of the memory",
    examples: [{ query: "unpaid invoices", top_k: 5 }],
  });

const explanationShape = {
  rank: z.int().describe("Rank among the results, from 1"),
  /** The result's rank by similarity; absent when only its words matched. */
  vector_rank: z.int().exactOptional().describe("Rank by similarity alone, from 1"),
  /** The result's rank by words; hybrid mode only. */
  text_rank: z.int().exactOptional().describe("Rank by words alone, from 1"),
  /** The score that hybrid mode orders by: the sum of 1 / (60 + rank) over both. */
  fused_score: z.number().exactOptional().describe("The sum of 1 / (60 + rank) over both"),
};

/** How the rank of a result was computed. Ranks start at 1. */
export interface MemoryExplanation extends Message<typeof explanationShape> {}

const explanationSchema: z.ZodType<MemoryExplanation> = z.object(explanationShape).meta({
  id: "MemoryExplanation",
  description: "How the rank of a result was computed",
});

const memoryResultShape = {
  entry_id: z.string().describe("Id of the entry"),
  /** Cosine similarity, in [-1, 1]. */
  score: z.number().describe("Cosine similarity, from -1 to 1"),
  /** JSON text, as it was stored. */
  content: z.string().describe("JSON text, as it was stored"),
  created_at: z
    .string()
    .meta({ format: "date-time" })
    .describe("When the entry was created, in UTC"),
  related_cascade_targets: z
    .array(z.string())
    .describe(
      "Tables that ON DELETE CASCADE reaches; empty unless SERVICE_CASCADE_ENRICHMENT is on",
    ),
  /** Only on request. */
  explain: explanationSchema
    .exactOptional()
    .describe("How the rank was computed; only when the request asked for it"),
};

/** One result of a search (Contract §2.7). */
export interface MemoryResult extends Message<typeof memoryResultShape> {}

export const memoryResultSchema: z.ZodType<MemoryResult> = z.object(memoryResultShape).meta({
  id: "MemoryResult",
  description: "One result of a search",
  examples: [
    {
      entry_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
      score: 0.8125,
      content: '{"note":"invoices are paid on Fridays"}',
      created_at: "2026-03-01T09:30:00.000Z",
      related_cascade_targets: [],
    },
  ],
});

const newMemoryEntryShape = {
  /** Absent: the session of the `x-session-id` header. */
  session_id: z
    .string()
    .exactOptional()
    .describe("Session of the entry; default: the x-session-id header"),
  /** JSON text, stored unchanged. */
  content: z.string().describe("JSON text, at most 64 KiB; stored and embedded unchanged"),
};

/** The body of `POST /api/memory/entries`. */
export interface NewMemoryEntry extends Message<typeof newMemoryEntryShape> {}

export const newMemoryEntrySchema: z.ZodType<NewMemoryEntry> = z
  .strictObject(newMemoryEntryShape)
  .meta({
    id: "NewMemoryEntry",
    description: "An entry to store",
    examples: [{ session_id: "session-42", content: '{"note":"invoices are paid on Fridays"}' }],
  });

const memoryEntryShape = {
  entry_id: z.string().describe("Id of the entry, assigned by the service"),
  session_id: z.string().describe("Session of the entry; empty when it has none"),
  content: z.string().describe("JSON text, as it was stored"),
  created_at: z.string().meta({ format: "date-time" }).describe("When it was created, in UTC"),
  /** Only when the entry records a tool call. */
  tool_name: z
    .string()
    .exactOptional()
    .describe("Name of the tool; only when the entry records a tool call"),
  intent: z
    .string()
    .exactOptional()
    .describe("Intent of the call; only when the entry records a tool call"),
};

export interface MemoryEntry extends Message<typeof memoryEntryShape> {}

export const memoryEntrySchema: z.ZodType<MemoryEntry> = z.object(memoryEntryShape).meta({
  id: "MemoryEntry",
  description: "A memory entry",
  examples: [
    {
      entry_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
      session_id: "session-42",
      content: '{"note":"invoices are paid on Fridays"}',
      created_at: "2026-03-01T09:30:00.000Z",
    },
  ],
});

const memoryEntryPageShape = {
  entries: z.array(memoryEntrySchema).describe("The entries, the newest first"),
  /** For the `cursor` of the next request; absent on the last page. */
  next_cursor: z
    .string()
    .exactOptional()
    .describe("Cursor of the next page; absent on the last page"),
};

/** A page of entries, newest first. */
export interface MemoryEntryPage extends Message<typeof memoryEntryPageShape> {}

export const memoryEntryPageSchema: z.ZodType<MemoryEntryPage> = z
  .object(memoryEntryPageShape)
  .meta({
    id: "MemoryEntryPage",
    description: "A page of entries",
    examples: [
      {
        entries: [
          {
            entry_id: "6f0c3f2a-2f0e-4c35-9d0b-0c4b7a1de9f1",
            session_id: "session-42",
            content: '{"note":"invoices are paid on Fridays"}',
            created_at: "2026-03-01T09:30:00.000Z",
          },
        ],
      },
    ],
  });

const memoryPageQueryShape = {
  ...entryFilterShape,
  /** 1 to {@link MEMORY_PAGE_MAX}. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MEMORY_PAGE_MAX)
    .exactOptional()
    .describe("Entries on a page, 1 to 200; default 50"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
};

/** The query of `GET /api/memory/entries`, values converted. */
export interface MemoryPageQuery extends Message<typeof memoryPageQueryShape> {}

export const memoryPageQuerySchema: z.ZodType<MemoryPageQuery> =
  z.strictObject(memoryPageQueryShape);

const deletedEntriesShape = { deleted: z.int().describe("Number of entries deleted") };

/** Number of deleted entries. */
export interface DeletedEntries extends Message<typeof deletedEntriesShape> {}

export const deletedEntriesSchema: z.ZodType<DeletedEntries> = z.object(deletedEntriesShape).meta({
  id: "DeletedEntries",
  description: "How many entries were deleted",
  examples: [{ deleted: 1 }],
});

const memoryStatsShape = {
  /** Entries of the caller's organization that a search compares. */
  entries: z.int().describe("Number of your organization's entries that a search compares"),
  /** Tool calls of the caller's organization that wait for their entry. */
  waiting_calls: z
    .int()
    .describe("Tool calls of your organization whose entries are not embedded yet"),
  /** Stored vectors, of all organizations, that are damaged and not searched. */
  quarantined_vectors: z.int().describe("Stored vectors that are damaged and not searched"),
  /** Name of the embedding model. */
  model: z.string().describe("Name of the embedding model"),
  dimension: z.int().describe("Length of a vector"),
};

/** The state of the memory. */
export interface MemoryStats extends Message<typeof memoryStatsShape> {}

export const memoryStatsSchema: z.ZodType<MemoryStats> = z.object(memoryStatsShape).meta({
  id: "MemoryStats",
  description: "State of the memory",
  examples: [
    { entries: 1250, waiting_calls: 0, quarantined_vectors: 0, model: "zero", dimension: 768 },
  ],
});

const retentionShape = {
  /** The age in days after which entries are deleted; null: without limit. */
  days: z
    .int()
    .min(1)
    .max(MEMORY_RETENTION_DAYS_MAX)
    .nullable()
    .describe(
      "Age in days after which entries are deleted; in a request null: the operator's period, in an answer: without limit",
    ),
};

/** How long an organization's entries are kept. */
export interface MemoryRetention extends Message<typeof retentionShape> {}

export const memoryRetentionSchema: z.ZodType<MemoryRetention> = z.object(retentionShape).meta({
  id: "MemoryRetention",
  description: "How long entries are kept",
  examples: [{ days: 90 }],
});

/** The same in a request, which may have no other fields. */
export const newMemoryRetentionSchema: z.ZodType<MemoryRetention> = z
  .strictObject(retentionShape)
  .meta({
    id: "NewMemoryRetention",
    description: "The new retention of entries",
    examples: [{ days: 90 }],
  });
