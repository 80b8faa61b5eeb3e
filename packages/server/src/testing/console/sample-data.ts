import type { StewardClient, UsageCloudEvent } from "@steward/client";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days of past usage. */
const USAGE_DAYS = 40;
/** A call is reported for each of these, more or fewer on each day. */
const CALLS = [
  { tool_name: "sql", intent: "read_select", session_id: "quarterly-report", orm_model: "Invoice" },
  { tool_name: "sql", intent: "write_update", session_id: "stock-keeping", orm_model: "Product" },
  { tool_name: "crm", intent: "read_select", session_id: "support", orm_model: "Customer" },
  { tool_name: "crm", intent: "write_insert", session_id: "support", orm_model: "Ticket" },
] as const;

/** Clients of one organization, with the rights that the sample needs. */
export interface SampleClients {
  readonly admin: StewardClient;
  readonly operator: StewardClient;
  readonly agent: StewardClient;
}

/** Fills a server with what a small shop's agents leave in a few weeks. */
export async function fillWithSample({ admin, operator, agent }: SampleClients): Promise<void> {
  await operator.billing.setPrice({ scope: "aau", amount_usd: "0.004", from: "2020-01-01" });
  await operator.billing.setPrice({
    ...{ scope: "tool", subject: "crm", amount_usd: "0.012", from: "2020-01-01" },
  });
  await admin.billing.setBudget({
    ...{ scope: "organization", unit: "usd", period: "month", limit: "4", action: "warn" },
  });
  await admin.billing.setBudget({
    ...{ scope: "organization", unit: "usd", period: "day", limit: "0.4", action: "warn" },
  });
  await admin.billing.report(pastCalls(Date.now()));
  await submitPlans(agent);
  await admin.memory.addMemoryEntry({
    content: JSON.stringify({ note: "Customers in Berlin ask for invoices on paper" }),
    session_id: "support",
  });
  await admin.keys.createApiKey({
    name: "Invoice agent",
    agent_id: "invoice-agent",
    roles: ["agent"],
  });
  await fillState(admin);
  const retired = await admin.keys.createApiKey({ name: "Old reports", roles: ["auditor"] });
  await admin.keys.revokeApiKey({ key_id: retired.key_id });
}

/** A small dataset with a history, and a migration that nobody has applied yet. */
async function fillState({ state, migrations }: StewardClient): Promise<void> {
  const order = (id: number, status: string) =>
    `<urn:shop:order:${String(id)}> <urn:shop:status> "${status}" ; <urn:shop:customer> <urn:shop:customer:7> .`;
  await state.importState({
    format: "turtle",
    content: order(1, "open"),
    message: "The first order",
  });
  await state.importState({
    format: "turtle",
    content: `${order(2, "paid")} <urn:shop:customer:7> <urn:shop:name> "Ada" .`,
    message: "The second order",
  });
  const { sql } = await migrations.dumpSchema({ database: "shop" });
  await migrations.proposeMigration({
    database: "shop",
    sql: `${sql}\nCREATE INDEX customers_by_city ON customers (city);`,
    message: "Customers are found by their city",
  });
}

/** The same calls each time, except for their dates: the number follows from the day's number. */
function pastCalls(nowMs: number): readonly UsageCloudEvent[] {
  return Array.from({ length: USAGE_DAYS }, (_, day) =>
    CALLS.flatMap((data, index) =>
      Array.from({ length: 1 + ((day * 7 + index * 5) % 11) }, (_call, number) => ({
        specversion: "1.0" as const,
        id: `${String(day)}-${String(index)}-${String(number)}`,
        source: "urn:example:shop",
        type: "com.example.tool-call",
        time: new Date(nowMs - day * DAY_MS - (number + 1) * 60_000).toISOString(),
        data,
      })),
    ),
  ).flat();
}

async function submitPlans({ plans }: StewardClient): Promise<void> {
  const best = await plans.submit({
    name: "The best customer of the quarter",
    description: "Who ordered most, and where they live",
    session_id: "quarterly-report",
    steps: [
      {
        id: "best",
        intent: "read_select",
        query_template:
          "SELECT customer_id, count(*) AS orders FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
      },
      {
        id: "who",
        intent: "read_select",
        depends_on: ["best"],
        query_template:
          "SELECT name, city FROM customers WHERE id = {{step.best.output[0].customer_id}}",
      },
    ],
  });
  await plans.execute(best.plan_id, "best");
  await plans.execute(best.plan_id, "who");
  const failed = await plans.submit({
    name: "Late deliveries",
    session_id: "support",
    steps: [
      { id: "late", intent: "read_select", query_template: "SELECT * FROM deliveries LIMIT 5" },
    ],
  });
  await plans.execute(failed.plan_id, "late").catch(() => undefined);
  await plans.submit({
    name: "Weekly report",
    session_id: "quarterly-report",
    steps: [
      { id: "orders", intent: "read_select", query_template: "SELECT count(*) AS n FROM orders" },
      {
        id: "products",
        intent: "read_select",
        query_template: "SELECT name, price FROM products ORDER BY name",
      },
    ],
  });
}
