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

describe("the tool registry", () => {
  it("binds a listed name as the list says", () => {
    const registry = buildToolRegistry(
      {
        strict: true,
        tools: [
          {
            name: "crm_query",
            dataSource: "crm",
            allowedIntents: ["read_select"],
          },
        ],
      },
      targets,
    );
    expect(registry.resolve("crm_query")).toEqual({
      target: crm,
      allowedIntents: ["read_select"],
    });
  });

  it("takes any other name for the SQL tool on the first data source", () => {
    const registry = buildToolRegistry({ strict: false, tools: [] }, targets);
    expect(registry.resolve("whatever")).toEqual({ target: shop });
  });

  it("refuses the name of another data source, and does not run its statements on the first one", () => {
    const registry = buildToolRegistry({ strict: false, tools: [] }, targets);
    expect(registry.resolve("shop")).toEqual({ target: shop });
    expect(registry.resolve("crm")).toBeUndefined();
    const listing = { strict: false, tools: [{ name: "crm", dataSource: "crm" }] };
    expect(buildToolRegistry(listing, targets).resolve("crm")).toEqual({ target: crm });
  });

  it("never takes the name of an MCP server's tool for SQL", () => {
    const registry = buildToolRegistry({ strict: false, tools: [] }, targets);
    expect(registry.resolve("mcp:files/write_file")).toBeUndefined();
  });

  it("refuses other names in strict mode, and all names without a data source", () => {
    expect(buildToolRegistry({ strict: true, tools: [] }, targets).resolve("x")).toBeUndefined();
    expect(buildToolRegistry({ strict: false, tools: [] }, new Map()).resolve("x")).toBeUndefined();
  });

  it("finds data sources by name", () => {
    const registry = buildToolRegistry({ strict: false, tools: [] }, targets);
    expect(registry.target("crm")).toBe(crm);
    expect(registry.target("gone")).toBeUndefined();
  });
});
