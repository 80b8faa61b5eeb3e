import { createClient } from "@steward/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTwoSources, type TwoSources } from "./testing/two-sources.js";

/** Tables whose names have a dot, and policies about them and about a table with the name after the dot. */
const SCHEMA = `CREATE TABLE "a.b" (id integer); CREATE TABLE b (id integer);
  CREATE TABLE "x.y" (id integer); CREATE TABLE y (id integer);`;
const POLICIES = ["sqlite", "postgres"]
  .flatMap((source) =>
    ["b", "x.y"].map(
      (table, n) => `@id("no-${source}-${String(n)}")
        forbid (principal in Steward::Role::"agent", action, resource == Steward::Table::"${source}/${table}");`,
    ),
  )
  .join("\n");

let steward: TwoSources;
beforeAll(async () => {
  steward = await openTwoSources({ both: SCHEMA });
  await as("admin").policies.putPolicies({ text: POLICIES, version: 0 });
});
afterAll(() => steward[Symbol.asyncDispose]());

const orgId = crypto.randomUUID();
const as = (role: string) => createClient({ baseUrl: steward.baseUrl, orgId, role });

it.each(["sqlite", "postgres"])(
  "a policy on %s is about the table of that name alone",
  async (source) => {
    const { plans, catalog } = as("agent");
    const run = async (table: string) => {
      const query_template = `SELECT count(*) AS n FROM (SELECT * FROM ${table}) t`;
      const { plan_id } = await plans.submit({
        steps: [{ id: "a", data_source: source, query_template }],
      });
      return (await plans.execute(plan_id, "a")).step_result.status;
    };
    await expect(run('"x.y"')).rejects.toMatchObject({ code: "POLICY_DENIED" });
    await expect(run("b")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(await run("y")).toBe("completed");
    const { tables } = await catalog.listTables({ data_source: source });
    expect(tables.map(({ table }) => table).toSorted()).toEqual(["a.b", "y"]);
  },
);
