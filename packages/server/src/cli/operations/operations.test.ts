import { describe, expect, it } from "vitest";
import { loadedModules, unbundled } from "../../testing/loaded-modules.js";
import { runHere } from "../testing/run-here.js";
import { BIN } from "../testing/steward-process.js";

/** Runs the command without a server, because it needs none. */
describe("steward operations", () => {
  it("prints each operation with its rights, its record and its wires, by group", async () => {
    const { code, stdout } = await runHere(["operations"]);
    const [titles = "", ...lines] = stdout.trimEnd().split("\n");
    const columns = "GROUP OPERATION ACTION AUDIT TIME RETRY REST GRPC COMMAND BY HAND";
    expect([code, titles.replaceAll(/ +/g, " ")]).toEqual([0, columns]);
    expect(lines.find((line) => line.includes(" setBudget "))?.split(/ {2,}/)).toEqual([
      ...["billing", "setBudget", "budgets:write", "budget.set", "withEffect", "yes"],
      ...["POST /billing/budgets", "UsageService/SetBudget", "budget set"],
    ]);
    const groups = lines.map((line) => line.split(" ")[0]);
    expect(groups).toEqual(groups.toSorted());
  });

  it("says as JSON why an operation, or one of its wires, is written by hand", async () => {
    const { stdout } = await runHere(["operations", "--json"]);
    const rows = JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
    expect(rows.find(({ operation }) => operation === "executeStep")).toEqual({
      ...{ group: "plans", operation: "executeStep", action: "plans:execute", audit: "plan log" },
      rest: "POST /api/plans/{plan_id}/steps/{step_id}/execute",
      ...{ grpc: "ControlPlaneService/ExecuteStep", command: "plan execute", retry: true },
      by_hand: "its time is measured",
    });
    expect(rows.find(({ operation }) => operation === "testWebhook")).toMatchObject({
      ...{ command: "webhooks test", by_hand: "webhooks test: fails when the target refuses" },
    });
  });

  it("loads no schemas, and nothing of the server", () => {
    const modules = unbundled(loadedModules([BIN, "operations"]));
    expect(modules.some((url) => url.endsWith("/server/src/cli/operations/index.ts"))).toBe(true);
    const needless = /packages\/operations\/|server\/src\/(app|transport)\/|\/zod\//;
    expect(modules.filter((url) => needless.test(url))).toEqual([]);
  });
});
