import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import type { StoredPlanFilter } from "../../../plans/index.js";
import { fillPlanLists, PLAN_LIST_CASES } from "../../testing/plan-list-cases.js";
import { ORG } from "../../testing/sample-plans.js";
import { openConnection } from "../connection.js";
import { openSqliteStore } from "../store.js";
import { planListQuery } from "./plan-list.js";

const root = mkdtempSync(join(tmpdir(), "steward-plan-list-"));
const path = join(root, "store.db");
beforeAll(async () => {
  await openSqliteStore(path, systemClock, silentTelemetry)[Symbol.asyncDispose]();
  using db = openConnection(path, false);
  for (const statement of fillPlanLists("sqlite")) db.exec(statement);
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** The plans of a list, and how many plans it has looked at: the function is called for each. */
function listed(filter: StoredPlanFilter): readonly [plans: number, read: number] {
  using db = openConnection(path, true);
  let read = 0;
  db.function("is_in_time", { deterministic: false }, () => {
    read += 1;
    return 1;
  });
  const { sql, params } = planListQuery(ORG, filter, { limit: 50 });
  return [db.prepare(sql).all(...params).length, read];
}

it.each(PLAN_LIST_CASES)("a list of plans reads few others: %s", (_of, filter, plans, readMax) => {
  const [found, read] = listed(filter);
  expect(found).toBe(plans);
  expect(read).toBeLessThanOrEqual(readMax);
});
