import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SAVES_DATA } from "./console-page.js";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

/** The pages of plans: one plan, the list, a new one. */
export function describePlanPages(shared: OpenConsole): void {
  describe("on the pages of plans", () => {
    async function submitted(): Promise<string> {
      const { plan_id: planId } = await shared.server.agent.plans.submit({
        name: "The newest order",
        steps: [
          {
            id: "newest",
            name: "Find it",
            query_template: "SELECT id, customer_id FROM orders ORDER BY id DESC LIMIT 3",
          },
          {
            id: "customer",
            name: "Who ordered",
            query_template:
              "SELECT name, city FROM customers WHERE id = {{step.newest.output[0].customer_id}}",
            depends_on: ["newest"],
          },
        ],
      });
      return planId;
    }

    it("shows a plan and a step in every view", async () => {
      const planId = await submitted();
      await shared.server.agent.plans.run(planId);
      await using tab = await shared.open(`/plans/${planId}`, "admin");
      const { page, problems } = tab;
      await shows(page, "Who ordered");
      for (const [key, label] of [
        ["w", "Waterfall"],
        ["t", "Steps"],
        ["e", "Events"],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole("region", { name: label }).waitFor({ timeout: WAIT_MS });
        expect([label, await shared.problemsInEachLook(page)]).toEqual([label, []]);
      }
      await page.goto(`/plans/${planId}?view=table&step=customer`);
      await shows(page, "{{step.newest.output[0].customer_id}}");
      for (const part of ["Statement", "Result", "LLM context", "Decision and cost", "Attempts"]) {
        await page.getByRole("tab", { name: part }).click();
        expect([part, await shared.problemsInEachLook(page, "aside")]).toEqual([part, []]);
      }
      await page.getByRole("tab", { name: "Result" }).click();
      await page.getByRole("table", { name: "Rows" }).getByText("city").waitFor();
      expect(problems).toEqual([]);
    });

    it("loads at most 250 kB of script for the graph of a plan", async () => {
      await using tab = await shared.open("/plans", "admin");
      // Scripts of other pages are loaded when the browser is idle, except for who saves data.
      await tab.page.addInitScript(SAVES_DATA);
      await tab.page.goto(`/plans/${await submitted()}`);
      await tab.page.locator(".react-flow__node").first().waitFor({ timeout: WAIT_MS });
      const bytes = await tab.page.evaluate<number>(
        `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      );
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThanOrEqual(250_000);
    });

    it("lays a graph out once, in a worker, also when its steps change and when it is shown again", async () => {
      const planId = await submitted();
      await using tab = await shared.open("/plans", "admin");
      const { page, problems } = tab;
      // Each graph that the worker is asked for.
      await page.addInitScript(`
        window.layouts = 0;
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (...message) {
          window.layouts += 1;
          return postMessage.apply(this, message);
        };
      `);
      await page.goto(`/plans/${planId}`);
      const node = page.locator(".react-flow__node").filter({ hasText: "Find it" });
      await node.getByText("Pending").waitFor({ timeout: WAIT_MS });
      await expect.poll(() => page.locator(".react-flow__edge").count()).toBe(1);
      await shared.server.agent.plans.execute(planId, "newest");
      await node.getByText("Completed").waitFor({ timeout: WAIT_MS });
      await page.keyboard.press("t");
      await page.getByRole("region", { name: "Steps" }).waitFor({ timeout: WAIT_MS });
      await page.keyboard.press("g");
      await node.getByText("Completed").waitFor({ timeout: WAIT_MS });
      expect(await page.evaluate("window.layouts")).toBe(1);
      expect(page.workers()).toHaveLength(1);
      await node.getByRole("button").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("complementary", { name: "Step newest" }).waitFor({ timeout: WAIT_MS });
      expect(problems).toEqual([]);
    });

    it("shows the beginning of a cell of a megabyte", async () => {
      const { plan_id: planId } = await shared.server.agent.plans.submit({
        steps: [{ id: "big", query_template: "SELECT hex(zeroblob(500000)) AS big" }],
      });
      await shared.server.agent.plans.run(planId);
      await using tab = await shared.open(`/plans/${planId}?view=table&step=big`, "admin");
      const { page, problems } = tab;
      await page.getByRole("tab", { name: "Result" }).click();
      const cell = page.getByRole("table", { name: "Rows" }).getByText("0000");
      const shown = await cell.first().textContent({ timeout: WAIT_MS });
      expect(shown?.length).toBeGreaterThan(100);
      expect(shown?.length).toBeLessThan(1000);
      expect(problems).toEqual([]);
    });

    it("follows a plan that an agent runs", async () => {
      const planId = await submitted();
      await using tab = await shared.open(`/plans/${planId}?view=table`, "admin");
      await shows(tab.page, "0 of 2 steps completed");
      await shared.server.agent.plans.execute(planId, "newest");
      await shows(tab.page, "1 of 2 steps completed");
      await shared.server.agent.plans.execute(planId, "customer");
      await shows(tab.page, "2 of 2 steps completed");
    });

    it("says why a plan failed in the list and at its top, and runs it again with one click", async () => {
      const { plans } = shared.server.agent;
      const statement = "SELECT * FROM deliveries";
      const { plan_id: planId } = await plans.submit({
        steps: [{ id: "late", query_template: statement, intent: "read_select" }],
      });
      await plans.execute(planId, "late");
      await using tab = await shared.open(`/plans?q=${planId}`, "admin");
      const { page } = tab;
      await shows(page, "no such table: deliveries");
      await page.getByRole("link", { name: "Plan without a name" }).click();
      const why = page.getByRole("region", { name: "Why the plan failed" });
      await why.getByText("late: no such table: deliveries").waitFor({ timeout: WAIT_MS });
      expect(await shared.problemsInEachLook(page)).toEqual([]);
      await why.getByRole("button", { name: "Open the step" }).click();
      await page.getByRole("complementary", { name: "Step late" }).waitFor({ timeout: WAIT_MS });
      await page.getByRole("button", { name: "Retry" }).click();
      const now = async () => plans.getPlan({ plan_id: planId });
      await expect
        .poll(now, { timeout: WAIT_MS })
        .toMatchObject({ status: "failed", steps: [{ status: "failed", attempt: 2 }] });
      await why.getByRole("button", { name: "Fork" }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(planId), { timeout: WAIT_MS });
      const fork = await shared.server.admin.plans.getPlan({ plan_id: page.url().slice(-36) });
      expect(fork.forked_from).toBe(planId);
    });

    it("finishes a plan that waits for further steps", async () => {
      const { plans } = shared.server.agent;
      const steps = [{ id: "a", query_template: "SELECT 1 AS n", timeout_ms: 29_000 }];
      const { plan_id: planId } = await plans.submit({ keep_open: true, steps });
      await using tab = await shared.open(`/plans/${planId}?view=table&step=a`, "admin");
      const { page, problems } = tab;
      await page.getByRole("complementary").getByText("29000 ms").waitFor({ timeout: WAIT_MS });
      const table = page.getByRole("region", { name: "Steps" });
      await table.getByRole("cell", { name: "shop", exact: true }).waitFor({ timeout: WAIT_MS });
      const finish = page.getByRole("button", { name: "Finish", exact: true });
      expect(await finish.count()).toBe(0);
      await plans.execute(planId, "a");
      await finish.waitFor({ timeout: WAIT_MS });
      expect(await page.getByRole("button", { name: "Run", exact: true }).count()).toBe(0);
      expect(await shared.problemsInEachLook(page)).toEqual([]);
      await finish.click();
      await finish.waitFor({ state: "detached", timeout: WAIT_MS });
      expect((await plans.getPlan({ plan_id: planId })).status).toBe("completed");
      expect(problems).toEqual([]);
    });

    it("keeps filters as a view under a name, and exports the plans that match", async () => {
      const id = await submitted();
      await using tab = await shared.open(`/plans?status=pending&q=${id}`, "admin");
      const { page, problems } = tab;
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByLabel("Name of the view").fill("The one that waits");
      await page.getByRole("button", { name: "Save this view" }).click();
      await page.goto("/plans");
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByRole("button", { name: "The one that waits", exact: true }).click();
      await page.waitForURL(`**/plans?q=${id}&status=pending`);
      for (const [format, type] of [
        ["CSV", ".csv"],
        ["JSON", ".json"],
      ] as const) {
        await page.getByRole("button", { name: "Export" }).click();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("menuitem", { name: `Export as ${format}` }).click(),
        ]);
        expect(download.suggestedFilename()).toBe(`plans${type}`);
        const exported = readFileSync(await download.path(), "utf8");
        expect(exported.split(id)).toHaveLength(2);
        expect(exported.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)).toEqual([id]);
      }
      expect(problems).toEqual([]);
    });

    it("finds plans by a text, in the address, and cancels those that are selected", async () => {
      const ids = [await submitted(), await submitted()];
      await using tab = await shared.open("/plans", "admin");
      const { page } = tab;
      await page.getByRole("searchbox").fill(ids[0] ?? "");
      await expect.poll(() => page.getByRole("checkbox").count()).toBe(2);
      expect(new URL(page.url()).searchParams.get("q")).toBe(ids[0]);
      await page.getByLabel("Select The newest order").check();
      await page.getByRole("button", { name: "Cancel 1 plan" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel 1 plan" }).click();
      await shows(page, "1 plan was cancelled");
      expect((await shared.server.agent.plans.getPlan({ plan_id: ids[0] ?? "" })).status).toBe(
        "cancelled",
      );
      expect((await shared.server.agent.plans.getPlan({ plan_id: ids[1] ?? "" })).status).toBe(
        "pending",
      );
    });

    it("checks a plan as it is written", async () => {
      await using tab = await shared.open("/plans/new", "admin");
      const { page, problems } = tab;
      await page.getByLabel("Statements of the plan").click();
      await page.keyboard.type(
        "-- step a: First\nSELECT id FROM orders LIMIT 1\n-- step b\nSELECT nme FROM customers",
      );
      await shows(page, "no such column: nme");
      await page.getByRole("status").filter({ hasText: "Would fail now" }).waitFor();
      await page.keyboard.press("Escape");
      expect(await shared.problemsInEachLook(page)).toEqual([]);
      expect(problems).toEqual([]);
    });

    it("names the data source of a step, and offers those that there are", async () => {
      await using tab = await shared.open("/plans/new", "admin");
      const { page } = tab;
      const editor = page.getByLabel("Statements of the plan");
      await editor.click();
      // The browser has kept the draft of the test before.
      await page.keyboard.press("Control+a");
      await page.keyboard.type("-- step a on sh");
      await page.getByRole("option", { name: "shop" }).click({ timeout: WAIT_MS });
      await page.keyboard.type(": First\nSELECT count(*) AS n FROM orders");
      await page.keyboard.press("Escape");
      await shows(page, "read_select · shop · orders");
      expect(await editor.textContent()).toContain("-- step a on shop: First");
      await page.keyboard.press("Control+Enter");
      await page.waitForURL(/plans\/[0-9a-f-]{36}$/, { timeout: WAIT_MS });
      const planId = page.url().slice(-36);
      const { definition } = await shared.server.admin.plans.getStep({
        plan_id: planId,
        step_id: "a",
      });
      expect(definition.data_source).toBe("shop");
    });

    it("submits what was written and runs it", async () => {
      await using tab = await shared.open("/plans/new", "admin");
      const { page } = tab;
      await page.getByLabel("Name of the plan").fill("Written in a browser");
      await page.getByLabel("Statements of the plan").click();
      // The browser has kept the draft of the test before.
      await page.keyboard.press("Control+a");
      await page.keyboard.type("SELECT count(*) AS n FROM orders");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+Enter");
      await page
        .getByRole("heading", { name: "Written in a browser" })
        .waitFor({ timeout: WAIT_MS });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await shows(page, "1 of 1 steps completed");
    });
  });
}
