import { credentials } from "@grpc/grpc-js";
import { createClient } from "@steward/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_BROWSER, startBrowser } from "../testing/browser.js";
import { bundledClient, CLIENT_OUTCOME, CLIENT_SCRIPT } from "../testing/client-bundle.js";
import { bundledHost, callAndShow, openHostPage } from "../testing/plan-app-host.js";
import { openWireServer, WIRES, type WireServer } from "../testing/wire-servers.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";

const PLAIN = { tls: false, split: false };
const EVIL = '<img src=x onerror="alert(1)"></text><script>alert(2)</script>';
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

  it("runs the bundle of the client", async () => {
    await using server = await openWireServer(PLAIN);
    const page = await (await browser.newContext({ bypassCSP: true })).newPage();
    await page.goto(`${server.url}/docs`);
    await page.addScriptTag({ content: (await bundledClient("iife")).code });
    const run = `(${CLIENT_SCRIPT})(stewardClient, ${JSON.stringify(server.url)})`;
    expect(await page.evaluate(run)).toEqual(CLIENT_OUTCOME);
    await page.close();
  });

  describe("that shows the plan app of MCP in a sandboxed frame", () => {
    let server: WireServer;
    let host: string;
    beforeAll(async () => {
      [server, host] = await Promise.all([openWireServer(PLAIN), bundledHost()]);
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
    });

    it("draws the plan, follows it to its end, and shows hostile texts as text", async () => {
      const page = await openHostPage(browser, { url: server.url, host });
      const args = {
        name: EVIL,
        on_failure: "fail",
        steps: [
          { id: "a", name: EVIL, query_template: "SELECT 1 AS n" },
          { id: "b", query_template: "SELECT * FROM nowhere", depends_on: ["a"] },
        ],
      };
      const capabilities = { serverTools: {} };
      const { mimeType, planId } = await callAndShow(page, args, capabilities);
      expect(mimeType).toBe("text/html;profile=mcp-app");
      const frame = page.frameLocator("iframe");
      const steps = frame.locator("g.step .status");
      const shown = () => expect.poll(() => steps.allTextContents());
      await shown().toEqual(["○ pending", "○ pending"]);
      expect(await frame.locator("path.edge").count()).toBe(1);
      expect(await frame.locator("h1").textContent()).toBe(EVIL);

      await createClient({ baseUrl: server.url }).plans.execute(planId, "a");
      await shown().toEqual(["✓ completed, 1 row", "○ pending"]);
      await createClient({ baseUrl: server.url }).plans.execute(planId, "b");
      await shown().toEqual(["✓ completed, 1 row", "✗ failed"]);
      expect(await frame.locator(".failure").textContent()).toContain("no such table: nowhere");
      expect(await frame.locator("#status").textContent()).toBe("failed: 1 of 2 steps completed");
      expect(await frame.locator("img, script:not(body > script)").count()).toBe(0);
      expect(await page.evaluate("reportedHeight")).toBeGreaterThan(100);
      await page.close();
    });

    it("draws what was submitted where the host lets no app call tools, and can reach no host", async () => {
      const page = await openHostPage(browser, { url: server.url, host });
      const args = { name: "Once", steps: [{ id: "a", query_template: "SELECT 1" }] };
      const { planId } = await callAndShow(page, args, {});
      await createClient({ baseUrl: server.url }).plans.execute(planId, "a");
      const frame = page.frameLocator("iframe");
      expect(await frame.locator("#status").textContent()).toBe("pending: 0 of 1 steps completed");
      const [, app] = page.frames();
      const reach = `new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      fetch(${JSON.stringify(server.url)}).then(() => resolve("reached"), () => undefined);
    })`;
      expect(await app?.evaluate(reach)).toBe("connect-src");
      const inserted = "document.body.innerHTML += '<img src=x onerror=\"window.ran = true\">'; 1";
      await app?.evaluate(inserted);
      expect(await app?.evaluate("window.ran")).toBeUndefined();
      await page.close();
    });
  });
});
