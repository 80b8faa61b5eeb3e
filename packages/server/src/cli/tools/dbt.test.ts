import { parse } from "yaml";
import { expect, it } from "vitest";
import { parseToolsFile } from "../../config/tools-file/tools-file.js";
import { runHere } from "../testing/run-here.js";

const column = (name: string, description: string | null) => ({ name, description });

/** A manifest with the members of schema v12 that describe tables and metrics, and some others. */
const MANIFEST = {
  metadata: { dbt_schema_version: "https://schemas.getdbt.com/dbt/manifest/v12.json" },
  nodes: {
    "model.shop.orders": {
      ...{ resource_type: "model", name: "orders", alias: "orders", schema: "public" },
      description: "One row for each order\n",
      columns: { total: column("total", "in euros"), id: column("id", "") },
    },
    "model.shop.silent": {
      ...{ resource_type: "model", name: "silent", alias: "silent", schema: "public" },
      ...{ description: "", columns: {} },
    },
    "test.shop.unique_id": { resource_type: "test", name: "unique_id", description: "a test" },
  },
  sources: {
    "source.shop.crm.contacts": {
      ...{ resource_type: "source", name: "contacts", identifier: "contact", schema: "crm" },
      ...{ description: "People", columns: {} },
    },
  },
  semantic_models: {
    "semantic_model.shop.orders": {
      node_relation: { alias: "orders", schema_name: "public", relation_name: '"public"."orders"' },
      measures: [
        { name: "total", agg: "sum", expr: null, description: null },
        { name: "buyers", agg: "count_distinct", expr: "customer_id", description: "who bought" },
        { name: "middle", agg: "median", expr: "total", description: null },
      ],
      dimensions: [
        { name: "status", type: "categorical", expr: null },
        { name: "day", type: "time", expr: "ordered_at" },
        { name: "is_large", type: "categorical", expr: "total > 100" },
      ],
    },
  },
  metrics: Object.fromEntries(
    [
      { ...metric("revenue", "total"), description: "What was sold" },
      metric("buyers", "buyers"),
      { ...metric("paid", "total"), filter: { where_filters: [{ where_sql_template: "paid" }] } },
      metric("middle", "middle"),
      { name: "ratio", type: "ratio", description: "", type_params: { measure: null } },
    ].map((each) => [`metric.shop.${each.name}`, each]),
  ),
};

function metric(name: string, measure: string) {
  const type_params = { measure: { name: measure, filter: null }, input_measures: [] };
  return { name, type: "simple", description: null, filter: null, type_params };
}

const dbt = (input: string) =>
  runHere(["tools", "dbt", "-", "--data-source", "shop"], { input, env: {} });

it("prints the texts and the plain metrics of a dbt project as a tools file has them", async () => {
  const { code, stdout, stderr } = await dbt(JSON.stringify(MANIFEST));
  expect(code).toBe(0);
  const dimensions = ["status", "ordered_at"];
  expect(parse(stdout)).toEqual({
    data_sources: [
      {
        name: "shop",
        tables: {
          "crm.contact": { description: "People" },
          orders: {
            description: "One row for each order",
            columns: { total: "in euros" },
            metrics: [
              {
                ...{ name: "revenue", expression: "sum(total)", dimensions },
                description: "What was sold",
              },
              {
                ...{ name: "buyers", expression: "count(DISTINCT customer_id)", dimensions },
                description: "who bought",
              },
            ],
          },
        },
      },
    ],
  });
  expect(stderr).toContain("one aggregate of one table: paid, middle, ratio");
  const sources = [{ name: "shop", url: "postgres://shop@db/shop" }];
  expect(parseToolsFile(stdout, "tools.yaml", sources).problems).toEqual([]);
});

it.each(["{", "{}", "[]"])("refuses what is no manifest: %s", async (text) => {
  expect(await dbt(text)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("This is no manifest of dbt") as string,
  });
});
