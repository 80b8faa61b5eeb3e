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
  /** Tool calls, of all organizations, that wait for their entry. */
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
  session_id: z.string().exactOptional(),
  created_from: dateTime.exactOptional().describe("Created at or after"),
  created_before: dateTime.exactOptional().describe("Created before"),
  tool_name: z.string().exactOptional(),
  intent: z.string().exactOptional(),
};

const filterSchema = z.object({
  ...filterShape,
  content: z
    .object({
      path: z.string().describe("Such as $.row_count or $.tags[0]"),
      equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    })
    .exactOptional()
    .describe("The value at this path of the content equals this one"),
});

/** Schema of {@link MemorySearchRequest}: whether a value makes sense is judged by the service. */
export const memorySearchRequestSchema: z.ZodType<MemorySearchRequest> = z
  .object({
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
    filter: filterSchema.exactOptional().describe("Only entries of which all this holds"),
    min_score: z.number().exactOptional().describe("Only results of at least this score"),
    explain: z.boolean().exactOptional().describe("Have each result say why it stands there"),
  })
  .meta({ id: "MemorySearchRequest", examples: [{ query: "unpaid invoices", top_k: 5 }] });

const explanationSchema = z
  .object({
    rank: z.int(),
    vector_rank: z.int().exactOptional().describe("Rank by similarity"),
    text_rank: z.int().exactOptional().describe("Rank by words"),
    fused_score: z.number().exactOptional().describe("The sum of 1 / (60 + rank) over both"),
  })
  .meta({ id: "MemoryExplanation" });

/** Schema of {@link MemoryResult}. */
export const memoryResultSchema: z.ZodType<MemoryResult> = z
  .object({
    entry_id: z.string(),
    score: z.number().describe("Cosine similarity, from -1 to 1"),
    content: z.string().describe("JSON text, as it was stored"),
    created_at: z.string().meta({ format: "date-time" }),
    related_cascade_targets: z.array(z.string()),
    explain: explanationSchema.exactOptional().describe("Only when it was asked for"),
  })
  .meta({ id: "MemoryResult" });

/** Schema of {@link NewMemoryEntry}. */
export const newMemoryEntrySchema: z.ZodType<NewMemoryEntry> = z
  .object({
    session_id: z.string().exactOptional().describe("Left out: the x-session-id header"),
    content: z.string().describe("JSON text, at most 64 KiB; kept and embedded as it is"),
  })
  .meta({
    id: "NewMemoryEntry",
    examples: [{ session_id: "session-42", content: '{"note":"invoices are paid on Fridays"}' }],
  });

/** Schema of {@link MemoryEntry}. */
export const memoryEntrySchema: z.ZodType<MemoryEntry> = z
  .object({
    entry_id: z.string(),
    session_id: z.string(),
    content: z.string().describe("JSON text, as it was stored"),
    created_at: z.string().meta({ format: "date-time" }),
    tool_name: z.string().exactOptional().describe("Of an entry that tells of a tool call"),
    intent: z.string().exactOptional(),
  })
  .meta({ id: "MemoryEntry" });

/** Schema of {@link MemoryEntryPage}. */
export const memoryEntryPageSchema: z.ZodType<MemoryEntryPage> = z
  .object({
    entries: z.array(memoryEntrySchema),
    next_cursor: z.string().exactOptional().describe("Absent on the last page"),
  })
  .meta({ id: "MemoryEntryPage" });

/** Schema of {@link MemoryPageQuery}. */
export const memoryPageQuerySchema: z.ZodType<MemoryPageQuery> = z.object({
  ...filterShape,
  limit: z.coerce.number().int().min(1).max(MEMORY_PAGE_MAX).exactOptional(),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
});

/** Schema of {@link DeletedEntries}. */
export const deletedEntriesSchema: z.ZodType<DeletedEntries> = z
  .object({ deleted: z.int().describe("How many there were") })
  .meta({ id: "DeletedEntries" });

/** Schema of {@link MemoryStats}. */
export const memoryStatsSchema: z.ZodType<MemoryStats> = z
  .object({
    entries: z.int().describe("Entries of your organization that a search looks at"),
    waiting_calls: z.int().describe("Tool calls of all organizations that wait for their entry"),
    quarantined_vectors: z.int().describe("Stored vectors that are damaged and not searched"),
    model: z.string().describe("What makes the vectors"),
    dimension: z.int(),
  })
  .meta({ id: "MemoryStats" });

/** Schema of {@link MemoryRetention}. */
export const memoryRetentionSchema: z.ZodType<MemoryRetention> = z
  .object({
    days: z
      .int()
      .min(1)
      .max(MEMORY_RETENTION_DAYS_MAX)
      .nullable()
      .describe("Older entries are deleted; null: none is"),
  })
  .meta({ id: "MemoryRetention", examples: [{ days: 90 }] });
