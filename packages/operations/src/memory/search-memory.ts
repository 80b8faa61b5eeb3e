import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { ENTRY_ID, filterShape } from "./memory-entry.js";

const explanation = z
  .object({
    rank: z.int().describe("Rank among the results, from 1"),
    vector_rank: z.int().exactOptional().describe("Rank by similarity alone, from 1"),
    text_rank: z.int().exactOptional().describe("Rank by words alone, from 1"),
    fused_score: z.number().exactOptional().describe("The sum of 1 / (60 + rank) over both"),
  })
  .meta({
    id: "MemoryExplanation",
    description: "How the rank of a result was computed",
  });

/** How the rank of a result was computed. Only in hybrid mode are there ranks by words. */
export type MemoryExplanation = Infer<typeof explanation>;

/** One result of a search (Contract §2.7). */
const result = z
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
      )
      .readonly(),
    explain: explanation
      .exactOptional()
      .describe("How the rank was computed; only when the request asked for it"),
  })
  .meta({
    id: "MemoryResult",
    description: "One result of a search",
    examples: [
      {
        entry_id: ENTRY_ID,
        score: 0.8125,
        content: '{"note":"invoices are paid on Fridays"}',
        created_at: "2026-03-01T09:30:00.000Z",
        related_cascade_targets: [],
      },
    ],
  });

export type MemoryResult = Infer<typeof result>;

/** A search of the memory (Contract §4.4) and its additions. */
export const searchMemory = operation({
  name: "searchMemory",
  action: "memory:read",
  summary: "Search memory",
  description:
    "The entries most similar to the query, best first: the service compares the query with every stored " +
    "vector, so no similar entry is missed. Among equal scores the newer entry comes first. Entries with outputs " +
    "that policies keep from you are left out.",
  tag: "Memory",
  // The schema checks shapes only; the service checks the values.
  input: z
    .strictObject({
      query: z.string().describe("The text to search for, in natural language"),
      top_k: z
        .number()
        .meta({ type: "integer" })
        .exactOptional()
        .describe("Maximum number of results; default 10, clamped to 1 to 100"),
      org_id: z
        .string()
        .nullable()
        .exactOptional()
        .describe("Only this organization's entries; null or absent: no filter"),
      mode: z
        .enum(["vector", "hybrid"])
        .exactOptional()
        .describe("hybrid ranks by words too; default vector: exact cosine similarity alone"),
      filter: z
        .strictObject({
          ...filterShape,
          content: z
            .strictObject({
              path: z.string().describe("Such as $.row_count or $.tags[0]"),
              equals: z
                .union([z.string(), z.number(), z.boolean(), z.null()])
                .describe("What it equals"),
            })
            .exactOptional()
            .describe("The value at this path of the content equals this one"),
        })
        .exactOptional()
        .describe("Only entries that meet every condition"),
      min_score: z.number().exactOptional().describe("Only results of at least this score"),
      explain: z.boolean().exactOptional().describe("Explain the rank of each result"),
    })
    .meta({
      id: "MemorySearchRequest",
      description: "A search of the memory",
      examples: [{ query: "unpaid invoices", top_k: 5 }],
    }),
  output: z.array(result).readonly(),
  errors: [413],
  rest: { method: "POST", path: "/api/memory/search", answered: "The results" },
  grpc: { method: "MemoryService/SearchMemory", response: "results" },
  retry: true,
});
