import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { countShape, newErasure } from "./erasure.js";

const estimate = z
  .object({
    ...countShape,
    plan_bytes: z.int().describe("Bytes of the outputs, events and tool calls of these plans"),
    entry_bytes: z.int().describe("Bytes of the contents of these entries"),
  })
  .meta({
    id: "ErasureEstimate",
    description: "What an erasure would delete now",
    examples: [{ plans: 12, entries: 40, usage_rows: 0, plan_bytes: 81920, entry_bytes: 20480 }],
  });

export type ErasureEstimate = Infer<typeof estimate>;

export const estimateErasure = operation({
  name: "estimateErasure",
  action: "erasure:run",
  audit: "nothing",
  summary: "Show what an erasure would delete",
  description: "Counts the rows and their bytes. Nothing is deleted.",
  tag: "Retention",
  input: newErasure,
  output: estimate,
  errors: [403, 409],
  rest: { method: "POST", path: "/api/erasures/estimate", answered: "What would be deleted" },
  retry: true,
});
