import * as z from "zod";
import type { Infer } from "../operation.js";
import { PLAN_ID_EXAMPLE, planStateShape } from "./plan.js";

export const expectedRevision = z
  .int()
  .min(1)
  .exactOptional()
  .describe("The revision of the plan that you have read; absent: whichever it has");

/** The answer to appending steps to a plan, revising one, or forking a plan (Decision §19). */
export const planRevised = z
  .object({
    ...planStateShape,
    revision: z.int().describe("Revision of the plan with the change"),
  })
  .meta({
    id: "PlanRevised",
    description: "A plan whose steps were changed",
    examples: [{ plan_id: PLAN_ID_EXAMPLE, status: "running", revision: 2 }],
  });

export type PlanRevised = Infer<typeof planRevised>;

/** How REST serves the operations that change the steps of plans. */
export const CHANGES = {
  impossibleIds: "unknown",
  invalidBody: "INVALID_PLAN",
  idempotencyKey: "Same key and same request: the first answer again; another request: 422",
} as const;
