import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StoredPlanFilter } from "../../../plans/index.js";
import { fillPlanLists, PLAN_LIST_CASES } from "../../testing/plan-list-cases.js";
import { ORG } from "../../testing/sample-plans.js";
import { storeDatabase } from "../testing/store-database.js";
import { planListQuery } from "./plan-list.js";

const database = await storeDatabase();
const client = new Client({ connectionString: database.url });
beforeAll(async () => {
  await client.connect();
  for (const statement of fillPlanLists("postgres")) await client.query(statement);
  // What autovacuum does after so many rows.
  await client.query("ANALYZE");
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

/** A node of a plan that PostgreSQL has carried out. */
interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The plans of a list, and the most rows that a part of its statement has looked at. */
async function listed(filter: StoredPlanFilter): Promise<readonly [plans: number, read: number]> {
  const { text, values } = planListQuery(ORG, filter, { limit: 50 });
  const { rows } = await client.query<{ readonly "QUERY PLAN": readonly [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    [...values],
  );
  const root = rows[0]?.["QUERY PLAN"][0].Plan;
  if (root === undefined) throw new Error("EXPLAIN answers with a plan");
  return [root["Actual Rows"], Math.max(...nodesOf(root).map(rowsOf))];
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function rowsOf(node: PlanNode): number {
  return (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
}

it.each(PLAN_LIST_CASES)(
  "a list of plans reads few others: %s",
  async (_of, filter, plans, readMax) => {
    const [found, read] = await listed(filter);
    expect(found).toBe(plans);
    expect(read).toBeLessThanOrEqual(readMax);
  },
);
