import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "vitest";
import { expectRefusal, insist, rowsOf } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { Steward } from "../steward.js";

const ENDLESS =
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c";

/** Starts a server with one data source on SQLite. */
async function withSource(
  settings: Readonly<Record<string, string>>,
  run: (steward: Steward) => Promise<void>,
  toolsFile = "",
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "steward-shares-"));
  try {
    new DatabaseSync(join(directory, "shop.db")).close();
    const file = join(directory, "tools.yaml");
    writeFileSync(file, toolsFile);
    await using steward = await Steward.start({
      SERVICE_DATA_SOURCES: `shop=sqlite:${directory}/shop.db`,
      SERVICE_TOOLS_FILE: file,
      ...settings,
    });
    await run(steward);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** How organizations share a data source. */
export const fairShares: readonly ProcessScenario[] = [
  {
    cites: ["D3-wait", "D3-step-timeout", "D3-sessions", "D3-quotas"],
    title:
      "a step that waits longer than it may is handed back, one that runs too long fails, and too many requests are refused",
    run: () =>
      withSource(
        {
          SERVICE_SESSIONS_MAX: "4",
          SERVICE_STEP_WAIT_MS: "200",
          SERVICE_STEP_TIMEOUT_MS: "1500",
          SERVICE_ORG_REQUESTS_PER_SECOND: "40",
        },
        async (steward) => {
          const client = steward.client("rest");
          const { plan_id } = await client.submit({
            steps: [
              step("first", "SELECT 1"),
              step("endless", ENDLESS),
              step("behind", "SELECT 1"),
            ],
          });
          // This starts the process of the data source, which takes longer on a busy machine than a
          // step may wait.
          await insist(client, plan_id, "first");
          const endless = client.execute(plan_id, "endless");
          // The next statement waits only while this one runs.
          await expect
            .poll(async () => (await client.getPlan(plan_id)).steps[1]?.status)
            .toBe("running");
          expect(await client.execute(plan_id, "behind")).toMatchObject({
            success: false,
            error_code: "OVERLOADED",
          });
          const { steps } = await client.getPlan(plan_id);
          expect(steps[2]?.status).toBe("pending");
          expect((await endless).step_result).toMatchObject({ status: "failed" });
          for (const wire of ["rest", "grpc"] as const) {
            const hasty = steward.client(wire);
            const requests = Array.from({ length: 400 }, () => hasty.list({}));
            await expectRefusal(wire, Promise.all(requests), {
              code: "QUOTA_EXCEEDED",
              grpc: "RESOURCE_EXHAUSTED",
              rest: 429,
            });
          }
        },
        "data_sources: [{ name: shop, sessions_max: 1 }]",
      ),
  },
  {
    cites: ["D3-fair"],
    title: "an organization is served while another one floods the data source",
    run: () =>
      // No step of the flood ends by itself before the other organization is served.
      withSource(
        { SERVICE_STEP_TIMEOUT_MS: "60000", SERVICE_STEP_WAIT_MS: "60000" },
        async (steward) => {
          const flooding = steward.client("rest");
          const { plan_id } = await flooding.submit({
            steps: Array.from({ length: 20 }, (_, n) => step(`s${n}`, ENDLESS)),
          });
          const flood = Array.from({ length: 20 }, (_, n) =>
            flooding.execute(plan_id, `s${n}`).catch(() => undefined),
          );
          const quiet = steward.client("rest", {
            "x-org-id": "22222222-2222-4222-8222-222222222222",
          });
          const other = await quiet.submit({ steps: [step("a", "SELECT 1 AS n")] });
          const served = rowsOf(quiet, other.plan_id, "a");
          expect(await Promise.race([served, ...flood])).toEqual([{ n: 1 }]);
          await flooding.cancel(plan_id).catch(() => undefined);
          await Promise.all(flood);
        },
      ),
  },
];
