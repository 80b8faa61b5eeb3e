import { DatabaseSync } from "@photostructure/sqlite";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { billingAdmin, wrong } from "../billing-expectations.js";
import { expectRefusal } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { sharedSteward } from "../shared-steward.js";
import { Steward } from "../steward.js";
import { runSteward } from "../steward-command.js";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Rows of a stopped server's store. */
function inStore(steward: Steward, sql: string): readonly Record<string, unknown>[] {
  using database = new DatabaseSync(join(steward.directory, "steward.db"));
  return database.prepare(sql).all() as Record<string, unknown>[];
}

/** Recording of usage, and the behaviour without a store. */
export const recording: readonly ProcessScenario[] = [
  {
    cites: [
      "C2.9-columns",
      "C2.9-id",
      "C2.9-context",
      "C2.9-tool-name",
      "C2.9-created-at",
      "C4.5-one-row",
      "C4.5-cost",
      "D7-intent-source",
      "D14-drain",
    ],
    title: "a usage row has the contract's columns, and a shutdown leaves none behind",
    run: async () => {
      await using steward = await Steward.startProcess();
      const org = randomUUID();
      const client = steward.client("grpc", { "x-org-id": org, "x-orm-model": "Order" });
      const { plan_id } = await client.submit({
        session_id: "session-1",
        steps: [
          step("a", "SELECT 1", { tool_name: "mcp__shop__Get-Order" }),
          step("b", "SELECT 1", { intent: "admin" }),
        ],
      });
      const startedMs = Date.now();
      await client.execute(plan_id, "a");
      await client.execute(plan_id, "b");
      expect(await steward.server.stop()).toBe(0);
      const rows = inStore(
        steward,
        `SELECT id, org_id, session_id, tool_name, intent, aau_weight, orm_model, cost_usd, created_at,
           plan_id, step_id, intent_source
         FROM usage_events ORDER BY step_id`,
      );
      const row = {
        id: expect.stringMatching(UUID_V4),
        org_id: org,
        session_id: "session-1",
        orm_model: "Order",
        cost_usd: 0,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        plan_id,
      };
      expect(rows).toEqual([
        {
          ...row,
          step_id: "a",
          tool_name: "mcp__shop__Get-Order",
          intent: "read_select",
          intent_source: "statement",
          aau_weight: 1,
        },
        {
          ...row,
          step_id: "b",
          tool_name: "sql",
          intent: "admin",
          intent_source: "explicit",
          aau_weight: 5,
        },
      ]);
      for (const { created_at } of rows) {
        expect(Date.parse(String(created_at))).toBeGreaterThanOrEqual(startedMs - 1);
        expect(Date.parse(String(created_at))).toBeLessThanOrEqual(Date.now());
      }
    },
  },
  {
    cites: ["D14-verify"],
    title: "steward usage verify finds what was tampered with, and repairs it",
    run: async () => {
      await using steward = await Steward.startProcess();
      const org = randomUUID();
      const client = steward.client("rest", { "x-org-id": org });
      const { plan_id } = await client.submit({ steps: [step("a", "SELECT 1")] });
      await client.execute(plan_id, "a");
      const { billing } = billingAdmin(client);
      const [before] = await billing.usage();
      const verify = (...args: readonly string[]) =>
        runSteward(["usage", "verify", "--server", steward.url, "--org", org, ...args]);
      expect(await verify()).toMatchObject({ exitCode: 0 });
      await steward.server.stop();
      inStore(
        steward,
        "UPDATE usage_totals SET total_aau = 99 WHERE dimension = 'total' RETURNING 1",
      );
      inStore(steward, "DELETE FROM usage_heat_map RETURNING 1");
      await steward.server.restart();
      expect(await billing.verify()).toHaveLength(3);
      const found = await verify();
      expect(found.exitCode).toBe(1);
      expect(found.stdout).toMatch(/99 AAU/);
      expect(await verify("--repair")).toMatchObject({ exitCode: 0 });
      expect(await verify()).toMatchObject({ exitCode: 0 });
      expect(await billing.usage()).toEqual([before]);
      expect(await billing.heatMap()).toHaveLength(1);
    },
  },
  {
    cites: ["D14-no-store", "D14-guard"],
    title: "without a database usage says so, after the permission and the request",
    run: async () => {
      const steward = await sharedSteward({ SERVICE_DATABASE_URL: undefined });
      for (const wire of ["grpc", "rest"] as const) {
        const { billing } = billingAdmin(steward.client(wire));
        const unavailable = {
          code: "STORE_UNAVAILABLE",
          grpc: "UNAVAILABLE",
          rest: 503,
          message: /SERVICE_DATABASE_URL/,
        };
        await expectRefusal(wire, billing.usage(), unavailable);
        await expectRefusal(wire, billing.heatMap(), unavailable);
        await expectRefusal(wire, billing.usage({ to: "x" }), wrong("to"));
      }
    },
  },
];
