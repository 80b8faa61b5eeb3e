import * as z from "zod";
import { operation } from "../operation.js";
import { cursor, nextCursor, pageLimit } from "../page.js";
import { PLAN_STATUSES, planSummary } from "./plan.js";

/** Maximum length of the text that a listing searches for, in characters. */
const PLAN_TEXT_LENGTH_MAX = 256;

export const listPlans = operation({
  name: "listPlans",
  action: "plans:read",
  summary: "List plans, newest first",
  description:
    "Plans of your organization without their steps, a page at a time. next_cursor leads to the next page.",
  tag: "Plans",
  input: z.strictObject({
    status: z.enum(PLAN_STATUSES).exactOptional().describe("Only plans with this status"),
    session_id: z.string().exactOptional().describe("Only plans of this session"),
    text: z
      .string()
      .max(PLAN_TEXT_LENGTH_MAX)
      .exactOptional()
      .describe(
        "Only plans with this text in their name, description, session or id; ASCII letters match in either case",
      ),
    limit: pageLimit(200).describe("Plans on a page, 1 to 200; default 50"),
    cursor,
  }),
  output: z
    .object({
      plans: z.array(planSummary).describe("The plans, the newest first"),
      next_cursor: nextCursor,
    })
    .meta({
      id: "PlanPage",
      description: "A page of plans",
      examples: [
        {
          plans: [
            {
              plan_id: "0195a1c4-7d2e-7a10-9c3b-5f0e8d6a4b21",
              status: "running",
              session_id: "session-42",
              name: "The latest open order",
              description: "Finds the latest open order and its customer",
              created_at: "2026-03-01T09:30:00.000Z",
              started_at: "2026-03-01T09:30:00.000Z",
            },
          ],
        },
      ],
    }),
  errors: [501],
  rest: { method: "GET", path: "/api/plans", answered: "A page of plans" },
  grpc: { method: "ControlPlaneService/ListPlans" },
});
