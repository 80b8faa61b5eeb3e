import { credentials } from "@grpc/grpc-js";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_BROWSER, startBrowser } from "../testing/browser.js";
import { openWireServer, WIRES } from "../testing/wire-servers.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";

const WHY_SKIPPED = HAS_BROWSER ? "" : " (skipped: its npm package is for Linux on x64 only)";

/** Runs in the page: submits a plan, follows it, and executes it. */
async function runPlan(page: Page): Promise<{ readonly types: string[]; readonly rows: number }> {
  return page.evaluate(async () => {
    const post = async (path: string, body?: unknown): Promise<{ data: unknown }> => {
      const headers = { "content-type": "application/json" };
      const init = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const response = await fetch(path, { method: "POST", ...init });
      return (await response.json()) as { data: unknown };
    };
    const plan = { steps: [{ id: "a", query_template: "SELECT 1 AS n" }] };
    const { data } = await post("/api/plans", plan);
    const path = `/api/plans/${(data as { plan_id: string }).plan_id}`;
    const types: string[] = [];
    const events = new EventSource(`${path}/events`);
    const ended = new Promise((resolve) => {
      for (const type of ["PlanCreated", "PlanStepExecuted", "PlanCompleted"]) {
        events.addEventListener(type, () => {
          types.push(type);
          if (type === "PlanCompleted") resolve(undefined);
        });
      }
    });
    const executed = await post(`${path}/steps/a/execute`);
    await ended;
    events.close();
    const { step_result: result } = executed.data as { step_result: { row_count: number } };
    return { types, rows: result.row_count };
  });
}

describe.skipIf(!HAS_BROWSER)(`a browser${WHY_SKIPPED}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it.each(WIRES)("reads the pages and runs a plan, TLS $tls, gRPC apart $split", async (wire) => {
    await using server = await openWireServer(wire);
    // The page's content security policy forbids all connections; a real console would allow them.
    const context = await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${server.url}/docs`);
    expect(await page.textContent("h1")).toContain("Steward");
    const protocol = "performance.getEntriesByType('navigation')[0].nextHopProtocol";
    expect(await page.evaluate(protocol)).toBe(wire.tls ? "h2" : "http/1.1");
    expect(await runPlan(page)).toEqual({
      types: ["PlanCreated", "PlanStepExecuted", "PlanCompleted"],
      rows: 1,
    });
    await context.close();
    const client = new BareClient(
      server.app.address.grpcPort,
      wire.tls ? credentials.createSsl(null, null, null, { rejectUnauthorized: false }) : undefined,
    );
    expect(await client.call("Check", {})).toMatchObject({ status: "SERVING" });
    client.close();
  });
});
