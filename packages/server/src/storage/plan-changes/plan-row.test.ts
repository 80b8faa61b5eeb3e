import { expect, it } from "vitest";
import { PLANS_PAGE_BYTES_MAX } from "../../plans/limits.js";
import { planPageOf, type PlanRow } from "./plan-row.js";

function rowOf(n: number, description: string): PlanRow {
  return {
    ...{ org_id: "o", plan_id: `p${String(n)}`, session_id: "s", status: "pending", name: "n" },
    ...{ created_at_ms: 0, started_at_ms: null, finished_at_ms: null, deadline_ms: 0 },
    ...{ cancel_reason: null, failure: null, description, on_failure: null, keep_open: 0 },
  };
}

it("a page of plans ends before the plan that does not fit into its bytes, and leads on to it", () => {
  const rows = Array.from({ length: 5 }, (_, n) => rowOf(n, "d".repeat(PLANS_PAGE_BYTES_MAX / 3)));
  const page = planPageOf(rows, { limit: 4 });
  expect(page.plans.map(({ planId }) => planId)).toEqual(["p0", "p1"]);
  expect(page.nextCursor).toBe("p1");
  const last = planPageOf(rows.slice(3), { limit: 4 });
  expect(last.plans).toHaveLength(2);
  expect(last.nextCursor).toBeUndefined();
});
