import { describe, expect, it } from "vitest";
import type { SqlTarget } from "../plans/ports.js";
import { buildToolRegistry } from "./tool-registry.js";

/** A data source that is only looked up here, never run. */
function target(name: string): SqlTarget {
  const unused = (): never => {
    throw new Error("not run in this test");
  };
  return {
    name,
    dialect: "sqlite",
    run: unused,
    describe: unused,
    preview: unused,
    settle: unused,
    forget: unused,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const shop = target("shop");
const crm = target("crm");
const targets = new Map([shop, crm].map((each) => [each.name, each]));

const unlisted = { strict: false, tools: [] };

describe("the tool registry", () => {
  it("binds a listed name as the list says", () => {
    const tool = { name: "crm_query", dataSource: "crm", allowedIntents: ["read_select" as const] };
    const registry = buildToolRegistry({ strict: true, tools: [tool] }, targets);
    const found = { target: crm, allowedIntents: ["read_select"] };
    expect(registry.resolve({ toolName: "crm_query" })).toEqual(found);
    expect(registry.resolve({ toolName: "crm_query", dataSource: "crm" })).toEqual(found);
    expect(registry.resolve({ toolName: "crm_query", dataSource: "shop" })).toEqual({
      field: "data_source",
      refusal:
        'tool "crm_query" runs on the data source crm: leave data_source out, or use another tool_name',
    });
  });

  it("takes any other name for the SQL tool on the data source that the step names", () => {
    const registry = buildToolRegistry(unlisted, targets);
    expect(registry.resolve({ toolName: "whatever", dataSource: "crm" })).toEqual({ target: crm });
    expect(registry.resolve({ toolName: "", dataSource: "shop" })).toEqual({ target: shop });
    expect(registry.resolve({ toolName: "", dataSource: "gone" })).toEqual({
      field: "data_source",
      refusal: 'there is no data source "gone"; the catalog lists those that you may use',
    });
  });

  it("takes the first data source where nothing names one, and says so where there are several", () => {
    const registry = buildToolRegistry(unlisted, targets);
    const found = { target: shop, isByDefault: true };
    expect(registry.resolve({ toolName: "whatever" })).toEqual(found);
    expect(registry.resolve({ toolName: "shop", dataSource: "" })).toEqual(found);
    const single = buildToolRegistry(unlisted, new Map([["shop", shop]]));
    expect(single.resolve({ toolName: "whatever" })).toEqual({ target: shop });
  });

  it("refuses the name of another data source in place of a tool's, with what to write instead", () => {
    const registry = buildToolRegistry(unlisted, targets);
    const refused = {
      field: "tool_name",
      refusal:
        '"crm" is a data source and no tool: set data_source to "crm", and leave tool_name out',
    };
    expect(registry.resolve({ toolName: "crm" })).toEqual(refused);
    expect(registry.resolve({ toolName: "crm", dataSource: "shop" })).toEqual(refused);
    expect(registry.resolve({ toolName: "crm", dataSource: "crm" })).toEqual({ target: crm });
    const listing = { strict: false, tools: [{ name: "crm", dataSource: "crm" }] };
    expect(buildToolRegistry(listing, targets).resolve({ toolName: "crm" })).toEqual({
      target: crm,
    });
  });

  it("never takes the name of an MCP server's tool for SQL", () => {
    const registry = buildToolRegistry(unlisted, targets);
    expect(registry.resolve({ toolName: "mcp:files/write_file" })).toHaveProperty("refusal");
  });

  it("refuses other names in strict mode, whatever the data source, and all names without one", () => {
    const strict = buildToolRegistry({ strict: true, tools: [] }, targets);
    expect(strict.resolve({ toolName: "x" })).toHaveProperty("refusal", 'tool "x" is not listed');
    expect(strict.resolve({ toolName: "", dataSource: "crm" })).toHaveProperty("refusal");
    const none = buildToolRegistry(unlisted, new Map());
    expect(none.resolve({ toolName: "x" })).toHaveProperty("refusal");
  });

  it("finds data sources by name", () => {
    const registry = buildToolRegistry(unlisted, targets);
    expect(registry.target("crm")).toBe(crm);
    expect(registry.target("gone")).toBeUndefined();
    expect(registry.dataSources).toEqual(["shop", "crm"]);
  });
});
