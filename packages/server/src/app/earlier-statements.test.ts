import { expect, it } from "vitest";
import { ShopServer, Tenant } from "./testing/shop-server.js";

/** `clerk` may write the customers' cities and not read them. */
const POLICY = `@id("no-cities") forbid (principal == Steward::Person::"clerk",
  action == Steward::Action::"read_select", resource == Steward::Column::"shop/customers/city");`;
const SECRET = "TOPSECRET";

it("the catalog shows an earlier statement only to those who may read what it has written", async () => {
  await using shop = await ShopServer.open({ embedding: { provider: "hash", dimension: 256 } });
  const tenant = await new Tenant(shop).under(POLICY);
  const { plans, catalog } = tenant.admin;
  // It names no column, so that only the written value can withhold it.
  const query_template = `INSERT INTO customers VALUES (901, 'Ada', 'a@b', '${SECRET}', '2026')`;
  const reading = "SELECT id FROM customers WHERE id = 901";
  for (const sql of [query_template, reading]) {
    const { plan_id } = await plans.submit({ steps: [{ id: "a", query_template: sql }] });
    expect((await plans.execute(plan_id, "a")).step_result.status).toBe("completed");
  }
  const clerk = tenant.as({ role: "admin", userId: "clerk" }).catalog;
  const query = "insert into customers values 901";
  const shown = async (who: typeof catalog, asked: string): Promise<string> =>
    JSON.stringify(
      (await who.searchCatalog({ query: asked })).map((found) => found.earlier_statement),
    );
  await expect.poll(() => shown(catalog, query), { timeout: 30_000 }).toContain(SECRET);
  await expect.poll(() => shown(clerk, reading), { timeout: 30_000 }).toContain(reading);
  expect(await shown(clerk, query)).not.toContain(SECRET);
});
