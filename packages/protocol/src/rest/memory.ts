import * as z from "zod";

/** Which entries a search or a listing looks at; all that is said must hold. */
export interface MemoryFilter {
  readonly session_id?: string;
  /** RFC 3339: created at or after. */
  readonly created_from?: string;
  /** RFC 3339: created before. */
  readonly created_before?: string;
  readonly tool_name?: string;
  readonly intent?: string;
  /** The value at this path of the content equals this one. */
  readonly content?: {
    /** Such as `$.row_count` or `$.tags[0]`. */
    readonly path: string;
    readonly equals: string | number | boolean | null;
  };
}

/** The body of `POST /api/memory/search` (Contract §4.4) and its additions. */
export interface MemorySearchRequest {
  readonly query: string;
  /** 10 unless said otherwise; brought into 1 to 100. */
  readonly top_k?: number;
  /** Only this organization's entries; null or left out: no filtering. */
  readonly org_id?: string | null;
  /** `hybrid` ranks by words too; left out: by the vector alone. */
  readonly mode?: "vector" | "hybrid";
  readonly filter?: MemoryFilter;
  /** Only results of at least this score. */
  readonly min_score?: number;
  /** Whether each result says why it stands where it does. */
  readonly explain?: boolean;
}

/** Why a result stands where it does. Ranks count from 1. */
export interface MemoryExplanation {
  readonly rank: number;
  /** Its rank by similarity; absent where it was found by its words alone. */
  readonly vector_rank?: number;
  /** Its rank by words; hybrid mode only. */
  readonly text_rank?: number;
  /** What hybrid mode orders by: the sum of 1 / (60 + rank) over both. */
  readonly fused_score?: number;
}

/** One result of a search (Contract §2.7). */
export interface MemoryResult {
  readonly entry_id: string;
  /** Cosine similarity, in [-1, 1]. */
  readonly score: number;
  /** JSON text, as it was stored. */
  readonly content: string;
  readonly created_at: string;
  readonly related_cascade_targets: readonly string[];
  /** Only when it was asked for. */
  readonly explain?: MemoryExplanation;
}

/** The body of `POST /api/memory/entries`. */
export interface NewMemoryEntry {
  /** Left out: the session of the `x-session-id` header. */
  readonly session_id?: string;
  /** JSON text, kept as it is. */
  readonly content: string;
}

/** A memory entry. */
export interface MemoryEntry {
  readonly entry_id: string;
  readonly session_id: string;
  readonly content: string;
  readonly created_at: string;
  /** Of an entry that tells of a tool call. */
  readonly tool_name?: string;
  readonly intent?: string;
}

/** A page of entries, newest first. */
export interface MemoryEntryPage {
  readonly entries: readonly MemoryEntry[];
  /** For the `cursor` of the next request; absent on the last page. */
  readonly next_cursor?: string;
}

/** Entries on one page of a listing, at most. */
export const MEMORY_PAGE_MAX: number = 200;

/** The query of `GET /api/memory/entries`, values converted. */
export interface MemoryPageQuery extends Omit<MemoryFilter, "content"> {
  /** 1 to {@link MEMORY_PAGE_MAX}. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** How many entries were deleted. */
export interface DeletedEntries {
  readonly deleted: number;
}

/** How memory is doing. */
export interface MemoryStats {
  /** Entries of the caller's organization that a search looks at. */
  readonly entries: number;
  /** Tool calls of the caller's organization that wait for their entry. */
  readonly waiting_calls: number;
  /** Stored vectors, of all organizations, that are damaged and not searched. */
  readonly quarantined_vectors: number;
  /** What makes the vectors. */
  readonly model: string;
  readonly dimension: number;
}

/** How long an organization's entries are kept. */
export interface MemoryRetention {
  /** Older ones are deleted; null: none is. */
  readonly days: number | null;
}

/** The longest retention that can be set, in days: a century. */
export const MEMORY_RETENTION_DAYS_MAX: number = 36_525;

const dateTime = z.iso.datetime({ offset: true });

const filterShape = {
  session_id: z.string().exactOptional().describe("Only entries of this session"),
  created_from: dateTime.exactOptional().describe("Created at or after"),
  created_before: dateTime.exactOptional().describe("Created before"),
  tool_name: z.string().exactOptional().describe("Only entries that record calls of this tool"),
  intent: z.string().exactOptional().describe("Only entries that record calls with this intent"),
};

const filterSchema = z.strictObject({
  ...filterShape,
  content: z
    .strictObject({
      path: z.string().describe("Such as $.row_count or $.tags[0]"),
      equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).describe("What it equals"),
    })
    .exactOptional()
    .describe("The value at this path of the content equals this one"),
});

/** Schema of {@link MemorySearchRequest}: whether a value makes sense is judged by the service. */
export const memorySearchRequestSchema: z.ZodType<MemorySearchRequest> = z
  .strictObject({
    query: z.string().describe("What to look for, in natural language"),
    top_k: z
      .number()
      .meta({ type: "integer" })
      .exactOptional()
      .describe("Results at most; default 10, brought into 1 to 100"),
    org_id: z
      .string()
      .nullable()
      .exactOptional()
      .describe("Only this organization's entries; null or left out: no filtering"),
    mode: z
      .enum(["vector", "hybrid"])
      .exactOptional()
      .describe("hybrid ranks by words too; default vector: exact cosine similarity alone"),
    filter: filterSchema.exactOptional().describe("Only entries that meet every condition"),
    min_score: z.number().exactOptional().describe("Only results of at least this score"),
    explain: z.boolean().exactOptional().describe("Explain the rank of each result"),
  })
  .meta({
    id: "MemorySearchRequest",
    description: "A search of the memory",
    examples: [{ query: "unpaid invoices", top_k: 5 }],
  });

const explanationSchema = z
  .object({
    rank: z.int().describe("Rank among the results, from 1"),
    vector_rank: z.int().exactOptional().describe("Rank by similarity alone, from 1"),
    text_rank: z.int().exactOptional().describe("Rank by words alone, from 1"),
    fused_score: z.number().exactOptional().describe("The sum of 1 / (60 + rank) over both"),
  })
  .meta({
    id: "MemoryExplanation",
    description: "How the rank of a result came about",
  });

export const memoryResultSchema: z.ZodType<MemoryResult> = z
  .object({
    entry_id: z.string().describe("Id of the entry"),
    score: z.number().describe("Cosine similarity, from -1 to 1"),
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
    explain: explanationSchema
      .exactOptional()
      .describe("How the rank came about; only when the request asked for it"),
  })
  .meta({
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

export const newMemoryEntrySchema: z.ZodType<NewMemoryEntry> = z
  .strictObject({
    session_id: z
      .string()
      .exactOptional()
      .describe("Session of the entry; default: the x-session-id header"),
    content: z.string().describe("JSON text, at most 64 KiB; kept and embedded as it is"),
  })
  .meta({
    id: "NewMemoryEntry",
    description: "An entry to remember",
    examples: [{ session_id: "session-42", content: '{"note":"invoices are paid on Fridays"}' }],
  });

export const memoryEntrySchema: z.ZodType<MemoryEntry> = z
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
  .meta({
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

export const memoryEntryPageSchema: z.ZodType<MemoryEntryPage> = z
  .object({
    entries: z.array(memoryEntrySchema).describe("The entries, the newest first"),
    next_cursor: z
      .string()
      .exactOptional()
      .describe("Cursor of the next page; absent on the last page"),
  })
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

export const memoryPageQuerySchema: z.ZodType<MemoryPageQuery> = z.strictObject({
  ...filterShape,
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MEMORY_PAGE_MAX)
    .exactOptional()
    .describe("Entries on a page, 1 to 200; default 50"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
});

export const deletedEntriesSchema: z.ZodType<DeletedEntries> = z
  .object({ deleted: z.int().describe("Number of entries deleted") })
  .meta({
    id: "DeletedEntries",
    description: "How many entries were deleted",
    examples: [{ deleted: 1 }],
  });

export const memoryStatsSchema: z.ZodType<MemoryStats> = z
  .object({
    entries: z.int().describe("Number of your organization's entries that a search compares"),
    waiting_calls: z
      .int()
      .describe("Tool calls of your organization whose entries are not embedded yet"),
    quarantined_vectors: z.int().describe("Stored vectors that are damaged and not searched"),
    model: z.string().describe("Name of the embedding model"),
    dimension: z.int().describe("Length of a vector"),
  })
  .meta({
    id: "MemoryStats",
    description: "State of the memory",
    examples: [
      { entries: 1250, waiting_calls: 0, quarantined_vectors: 0, model: "zero", dimension: 768 },
    ],
  });

const retentionShape = {
  days: z
    .int()
    .min(1)
    .max(MEMORY_RETENTION_DAYS_MAX)
    .nullable()
    .describe("Age in days after which entries are deleted; null: never"),
};

export const memoryRetentionSchema: z.ZodType<MemoryRetention> = z.object(retentionShape).meta({
  id: "MemoryRetention",
  description: "How long entries are kept",
  examples: [{ days: 90 }],
});

/** Schema of {@link MemoryRetention} as a request sets it. */
export const newMemoryRetentionSchema: z.ZodType<MemoryRetention> = z
  .strictObject(retentionShape)
  .meta({
    id: "NewMemoryRetention",
    description: "How long entries are to be kept",
    examples: [{ days: 90 }],
  });
