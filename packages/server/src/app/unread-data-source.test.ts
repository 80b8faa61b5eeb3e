import { afterAll, beforeAll, expect, it } from "vitest";
import { ShopServer, Tenant } from "./testing/shop-server.js";

/** A policy that forbids reading on a whole data source and names no table. Agents may write there. */
const POLICY = `@id("write-only") forbid (principal in Steward::Role::"agent",
  action == Steward::Action::"read_select", resource == Steward::DataSource::"shop");`;

let shop: ShopServer;
let tenant: Tenant;
beforeAll(async () => {
  shop = await ShopServer.open();
  tenant = await new Tenant(shop).under(POLICY);
});
afterAll(() => shop[Symbol.asyncDispose]());

it("the catalog names no table of a data source that its caller may not read", async () => {
  const { catalog } = tenant.agent;
  expect((await catalog.listTables({ data_source: "shop" })).tables).toEqual([]);
  expect(await catalog.searchCatalog({ query: "orders" })).toEqual([]);
  await expect(catalog.describeTable({ table: "orders" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  const near = catalog.describeTable({ table: "order" });
  await expect(near).rejects.toThrow(/search the catalog/);
  expect((await tenant.admin.catalog.listTables({ data_source: "shop" })).tables).not.toEqual([]);
});
