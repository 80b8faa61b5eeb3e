import { describe, expect, it } from "vitest";
import { planScriptOf } from "./plan-script.js";

describe("a plan in the editor", () => {
  it("is one statement, which needs no header", () => {
    expect(planScriptOf("SELECT 1;\n").steps).toEqual([
      { id: "step_1", query_template: "SELECT 1", depends_on: [] },
    ]);
  });

  it("has a step for each header, after those that it names or refers to", () => {
    const text = [
      ...["-- step orders: Open orders", "SELECT id FROM orders;", "-- step other", "SELECT 2"],
      ...[
        "-- step both after other on crm tool shop.select intent read_select : Both",
        "SELECT {{step.orders.output[0].id}}",
      ],
    ].join("\n");
    expect(planScriptOf(text)).toEqual({
      problems: [],
      steps: [
        {
          id: "orders",
          name: "Open orders",
          query_template: "SELECT id FROM orders",
          depends_on: [],
        },
        { id: "other", query_template: "SELECT 2", depends_on: [] },
        {
          ...{ id: "both", name: "Both", data_source: "crm" },
          ...{ tool_name: "shop.select", intent: "read_select" },
          ...{
            query_template: "SELECT {{step.orders.output[0].id}}",
            depends_on: ["other", "orders"],
          },
        },
      ],
    });
  });

  it("says where an id is there twice, or a statement is missing", () => {
    expect(planScriptOf("-- step a\nSELECT 1\n-- step a\n\n").problems).toEqual([
      { line: 3, text: "twice" },
      { line: 3, text: "empty" },
    ]);
  });
});
