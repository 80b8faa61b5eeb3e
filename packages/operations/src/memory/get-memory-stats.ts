import * as z from "zod";
import { type Infer, operation } from "../operation.js";

const stats = z
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

export type MemoryStats = Infer<typeof stats>;

export const getMemoryStats = operation({
  name: "getMemoryStats",
  action: "memory:read",
  summary: "Read the state of the memory",
  description:
    "The number of entries, the number of calls whose entries are not embedded yet, and the embedding model.",
  tag: "Memory",
  input: z.strictObject({}),
  output: stats,
  errors: [],
  rest: { method: "GET", path: "/api/memory/stats", answered: "The state of the memory" },
  grpc: { method: "MemoryService/GetMemoryStats" },
});
