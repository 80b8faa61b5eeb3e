import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type StewardClient } from "@steward/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { HAS_BROWSER, startBrowser } from "../browser.js";
import {
  accessibilityProblems,
  LOOKS,
  openPage,
  type ConsolePage,
  type Look,
} from "./console-page.js";

/** How long a change may take to show on a busy machine, in ms. */
const WAIT_MS = 30_000;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const WHY_SKIPPED = HAS_BROWSER ? "" : " (skipped: its npm package is for Linux on x64 only)";
describe.skipIf(!HAS_BROWSER)(
  `the pages of plans in a browser${WHY_SKIPPED}`,
  { timeout: 180_000 },
  () => {
    const directory = mkdtempSync(join(tmpdir(), "steward-plan-pages-"));
    let browser: Browser;
    let app: App;
    let url: string;
    let agent: StewardClient;
    beforeAll(async () => {
      createSampleDatabase(join(directory, "shop.db"));
      [browser, app] = await Promise.all([
        startBrowser(),
        openApp({
          ...{ port: 0, dataDir: directory, logLevel: "silent" },
          databaseUrl: `sqlite:${join(directory, "store.db")}`,
          dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
        }),
      ]);
      url = `http://127.0.0.1:${String(app.address.port)}`;
      agent = createClient({
        baseUrl: url,
        orgId: ORG,
        role: "agent",
        agentId: "bot",
        userId: "al",
      });
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await app[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    });

    /** A page of a person whom a proxy has named. */
    async function opened(path: string, role: string, look?: Look): Promise<ConsolePage> {
      const tab = await openPage(browser, { url }, look);
      await tab.context.setExtraHTTPHeaders({
        "x-org-id": ORG,
        "x-user-id": "petra",
        "x-user-role": role,
      });
      await tab.page.goto(path);
      return tab;
    }

    async function submitted(): Promise<string> {
      const { plan_id: planId } = await agent.plans.submit({
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

    const shows = (page: Page, text: string) =>
      page.getByText(text).first().waitFor({ timeout: WAIT_MS });

    it.each(LOOKS)(
      "shows a plan and a step in every view, $theme at $width pixels",
      async (look) => {
        const planId = await submitted();
        await agent.plans.run(planId);
        await using tab = await opened(`/plans/${planId}`, "admin", look);
        const { page, problems } = tab;
        await shows(page, "Who ordered");
        for (const [key, label] of [
          ["w", "Waterfall"],
          ["t", "Steps"],
          ["e", "Events"],
        ] as const) {
          await page.keyboard.press(key);
          await page.getByRole("region", { name: label }).waitFor({ timeout: WAIT_MS });
          expect([label, await accessibilityProblems(page)]).toEqual([label, []]);
        }
        await page.goto(`/plans/${planId}?view=table&step=customer`);
        await shows(page, "{{step.newest.output[0].customer_id}}");
        for (const part of [
          "Statement",
          "Result",
          "LLM context",
          "Decision and cost",
          "Attempts",
        ]) {
          await page.getByRole("tab", { name: part }).click();
          expect([part, await accessibilityProblems(page)]).toEqual([part, []]);
        }
        await page.getByRole("tab", { name: "Result" }).click();
        await page.getByRole("table", { name: "Rows" }).getByText("city").waitFor();
        expect(problems).toEqual([]);
      },
    );

    it("loads at most 250 kB of script for the graph of a plan", async () => {
      await using tab = await opened(`/plans/${await submitted()}`, "admin");
      await tab.page.locator(".react-flow__node").first().waitFor({ timeout: WAIT_MS });
      const bytes = await tab.page.evaluate<number>(
        `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      );
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThanOrEqual(250 * 1024);
    });

    it("follows a plan that an agent runs", async () => {
      const planId = await submitted();
      await using tab = await opened(`/plans/${planId}?view=table`, "admin");
      await shows(tab.page, "0 of 2 steps completed");
      await agent.plans.execute(planId, "newest");
      await shows(tab.page, "1 of 2 steps completed");
      await agent.plans.execute(planId, "customer");
      await shows(tab.page, "2 of 2 steps completed");
    });

    it("finds plans by a text, in the address, and cancels those that are selected", async () => {
      const ids = [await submitted(), await submitted()];
      await using tab = await opened("/plans", "admin");
      const { page } = tab;
      await page.getByRole("searchbox").fill(ids[0] ?? "");
      await expect.poll(() => page.getByRole("checkbox").count(), { timeout: WAIT_MS }).toBe(2);
      expect(new URL(page.url()).searchParams.get("q")).toBe(ids[0]);
      await page.getByLabel("Select The newest order").check();
      await page.getByRole("button", { name: "Cancel 1 plan" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel 1 plan" }).click();
      await shows(page, "1 plan was cancelled");
      expect((await agent.plans.get(ids[0] ?? "")).status).toBe("cancelled");
      expect((await agent.plans.get(ids[1] ?? "")).status).toBe("pending");
    });

    it.each(LOOKS)("checks a plan as it is written, $theme at $width pixels", async (look) => {
      await using tab = await opened("/plans/new", "admin", look);
      const { page, problems } = tab;
      await page.getByLabel("Statements of the plan").click();
      await page.keyboard.type(
        "-- step a: First\nSELECT id FROM orders LIMIT 1\n-- step b\nSELECT nme FROM customers",
      );
      await shows(page, "no such column: nme");
      await page.keyboard.press("Escape");
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    });

    it("submits what was written and runs it", async () => {
      await using tab = await opened("/plans/new", "admin");
      const { page } = tab;
      await page.getByLabel("Name of the plan").fill("Written in a browser");
      await page.getByLabel("Statements of the plan").click();
      await page.keyboard.type("SELECT count(*) AS n FROM orders");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+Enter");
      await page
        .getByRole("heading", { name: "Written in a browser" })
        .waitFor({ timeout: WAIT_MS });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await shows(page, "1 of 1 steps completed");
    });
  },
);
