import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTwoSources, type TwoSources } from "./testing/two-sources.js";

/**
 * Statements that fail before their database reports what they touch. Agents and operators may not read a column, to
 * which these statements may belong.
 */
const SCHEMA = `CREATE TABLE customers (id integer PRIMARY KEY, name text, email text);
  CREATE TABLE salaries (id integer PRIMARY KEY, person text);`;
const forbidden = (source: string): string =>
  `@id("${source}-emails") forbid (principal, action in Steward::Action::"statements",
     resource == Steward::Column::"${source}/customers/email")
   when { principal in Steward::Role::"agent" || principal in Steward::Role::"operator" };
   @id("${source}-salaries") forbid (principal in Steward::Role::"agent", action in Steward::Action::"statements",
     resource == Steward::Table::"${source}/salaries");`;

const SOURCES = ["sqlite", "postgres"] as const;
const STATEMENTS = [
  "SELECT nosuch FROM customers WHERE email = 'SECRET'",
  "UPDATE customers SET email = 'SECRET', nosuch = 1 WHERE id = 1",
  "INSERT INTO customers (id, name, email, nosuch) VALUES (1, 'x', 'SECRET', 1)",
  "SELECT id FROM custmers WHERE email = 'SECRET'",
  "SELECT id FROM salarie WHERE person = 'SECRET'",
  "SELECT nosuch('SECRET')",
];

let steward: TwoSources;
beforeAll(async () => {
  steward = await openTwoSources({ both: SCHEMA });
});
afterAll(() => steward[Symbol.asyncDispose]());

/** An organization with policies, and its callers: the name of each begins with its role. */
async function organization(text: string) {
  const orgId = crypto.randomUUID();
  const baseUrl = steward.baseUrl;
  const as = (user: string) => {
    const headers = { "x-org-id": orgId, "x-user-id": user };
    return createClient({
      baseUrl,
      headers: { ...headers, "x-user-role": user.replace(/-.*/, "") },
      maxRetries: 0,
    });
  };
  await as("admin").policies.putPolicies({ version: 0, text });
  const fails = async (user: string, data_source: string, query: string): Promise<string> => {
    const { plans } = as(user);
    const steps = [{ id: "a", data_source, query_template: query }];
    const { plan_id } = await plans.submit({ name: "p", steps });
    const { step_result } = await plans.execute(plan_id, "a");
    expect(step_result).toMatchObject({ status: "failed" });
    return plan_id;
  };
  const remembered = async (user: string): Promise<readonly string[]> => {
    const { memory } = as(user);
    await expect.poll(async () => (await memory.getMemoryStats()).waiting_calls).toBe(0);
    const { entries } = await memory.listMemoryEntries({ limit: 200 });
    const found = await memory.searchMemory({ query: "SECRET", top_k: 100, org_id: orgId });
    const texts = [...entries, ...found].map(({ content }) => content);
    return [...new Set(texts.map((content) => (JSON.parse(content) as { query: string }).query))];
  };
  /** The answer to who reads the step of a plan. */
  const step = async (user: string, plan_id: string): Promise<string> => {
    try {
      return JSON.stringify(await as(user).plans.getStep({ plan_id, step_id: "a" }));
    } catch (error) {
      return JSON.stringify(error) + String(error);
    }
  };
  return { as, fails, remembered, step };
}

describe("a statement that failed before its database reported what it touches", () => {
  it.each(SOURCES)("on %s is shown only to who may read everything there", async (source) => {
    const { fails, remembered, step } = await organization(forbidden(source));
    for (const query of STATEMENTS) {
      const planId = await fails("admin", source, query);
      const shown = await step("operator", planId);
      expect(shown).toContain("POLICY_DENIED");
      expect(shown).not.toContain("SECRET");
      expect(shown).not.toContain("email");
      expect(await step("admin-second", planId)).toContain("SECRET");
    }
    expect(await remembered("agent")).toEqual([]);
    expect(new Set(await remembered("admin-second"))).toEqual(new Set(STATEMENTS));
  });

  it.each(SOURCES)("on %s is shown to who wrote and ran it", async (source) => {
    const { fails, remembered, step } = await organization(forbidden(source));
    const query = "SELECT nosuch AS SECRET FROM customers";
    const planId = await fails("agent-first", source, query);
    expect(await step("agent-first", planId)).toContain("nosuch");
    expect(await remembered("agent-first")).toEqual([query]);
    expect(await remembered("agent-second")).toEqual([]);
    expect(await step("admin", planId)).toContain("nosuch");
  });

  it("is not shown where policies permit only what they name", async () => {
    const { fails, remembered } = await organization(
      `@id("names-only") forbid (principal in Steward::Role::"agent", action == Steward::Action::"read_select", resource)
       when { resource is Steward::Column } unless { resource == Steward::Column::"sqlite/customers/name" };`,
    );
    await fails("admin", "sqlite", "SELECT id FROM custmers WHERE email = 'SECRET'");
    expect(await remembered("agent")).toEqual([]);
    expect(await remembered("admin-second")).toHaveLength(1);
  });

  it("is not shown where policies look at the names of all data together", async () => {
    const { fails, remembered } = await organization(
      `@id("no-emails") forbid (principal in Steward::Role::"agent", action in Steward::Action::"statements", resource)
       when { context.columns.contains("customers/email") };`,
    );
    await fails("admin", "sqlite", "SELECT id FROM custmers WHERE email = 'SECRET'");
    expect(await remembered("agent")).toEqual([]);
    expect(await remembered("admin")).toHaveLength(1);
  });

  it("is not remembered where policies keep data out of the memory", async () => {
    const { fails, remembered } = await organization(
      `@id("emails") forbid (principal, action == Steward::Action::"memory:record",
         resource == Steward::Column::"sqlite/customers/email");`,
    );
    await fails("admin", "sqlite", "SELECT nosuch FROM customers WHERE email = 'SECRET'");
    expect(await remembered("admin")).toEqual([]);
  });
});
