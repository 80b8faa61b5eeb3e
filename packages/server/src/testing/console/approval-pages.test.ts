import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type StewardClient } from "@steward/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { HAS_BROWSER, startBrowser } from "../browser.js";
import { accessibilityProblems, openPage, type ConsolePage } from "./console-page.js";

/** How long a change may take to show on a busy machine, in ms. */
const WAIT_MS = 30_000;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const WHY_SKIPPED = HAS_BROWSER ? "" : " (skipped: its npm package is for Linux on x64 only)";
const DELETES_ARE_APPROVED = `@id("two-eyes") @reason("Deletions are looked at") @approval("approver")
  forbid (principal, action == Steward::Action::"write_delete", resource)
  unless { context.approved };`;

describe.skipIf(!HAS_BROWSER)(
  `the inbox of approvals in a browser${WHY_SKIPPED}`,
  { timeout: 180_000 },
  () => {
    const directory = mkdtempSync(join(tmpdir(), "steward-approval-pages-"));
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
      const admin = createClient({ baseUrl: url, orgId: ORG, role: "admin", userId: "root" });
      await admin.policies.put({ text: DELETES_ARE_APPROVED, version: 0 });
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await app[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    });

    /** A page of a person whom a proxy has named. */
    async function opened(path: string, role: string): Promise<ConsolePage> {
      const tab = await openPage(browser, { url });
      await tab.context.setExtraHTTPHeaders({
        "x-org-id": ORG,
        "x-user-id": "petra",
        "x-user-role": role,
      });
      await tab.page.goto(path);
      return tab;
    }

    const shows = (page: Page, text: string) =>
      page.getByText(text).first().waitFor({ timeout: WAIT_MS });

    /** A step that waits, as the agent that runs it finds out. */
    async function waiting(order: number): Promise<string> {
      const statement = `DELETE FROM orders WHERE id = -${String(order)}`;
      const { plan_id: planId } = await agent.plans.submit({
        steps: [{ id: `delete_${order}`, query_template: statement }],
      });
      await expect(agent.plans.execute(planId, `delete_${order}`)).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      return planId;
    }

    it("has a person approve and deny with a reason, by keyboard alone", async () => {
      const planId = await waiting(1);
      await using tab = await opened("/approvals", "approver");
      const { page, problems } = tab;
      await shows(page, "DELETE FROM orders");
      await expect.poll(() => page.title(), { timeout: WAIT_MS }).toBe("(1) Approvals · Steward");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press("a");
      await page.keyboard.type("It is a test order");
      await page.keyboard.press("Enter");
      await shows(page, "It is a test order");
      const { step_result: result } = await agent.plans.execute(planId, "delete_1");
      expect(result.status).toBe("completed");

      const denied = await waiting(2);
      await page.goto("/approvals");
      await page.getByRole("heading", { name: "delete_2" }).waitFor({ timeout: WAIT_MS });
      await page.keyboard.press("d");
      await page.keyboard.type("Keep it");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.title(), { timeout: WAIT_MS }).toBe("Approvals · Steward");
      expect(problems).toEqual([]);
      await expect
        .poll(async () => (await agent.plans.get(denied)).steps[0]?.status)
        .toBe("failed");
    });

    it("shows who may read the data each row before and after, and reads it once", async () => {
      const admin = createClient({ baseUrl: url, orgId: ORG, role: "admin", userId: "root" });
      const text = DELETES_ARE_APPROVED.replace(`@approval("approver")`, `@approval("admin")`);
      await admin.policies.put({ text, version: 1 });
      const { plan_id: planId } = await agent.plans.submit({
        steps: [{ id: "gone", query_template: "DELETE FROM events WHERE id = 1" }],
      });
      await expect(agent.plans.execute(planId, "gone")).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      await using tab = await opened("/approvals", "admin");
      const { page, problems } = tab;
      let readings = 0;
      page.on("request", (request) => {
        if (/\/api\/approvals\/[^?]+$/.test(request.url())) readings += 1;
      });
      await page.reload();
      await shows(page, "1 row would change");
      await page.getByRole("region", { name: "A row of events" }).getByText("Before").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      // The list is read again in between; the preview, which runs the write, is not.
      await page.waitForResponse(/\/api\/approvals\?/);
      await page.waitForResponse(/\/api\/approvals\?/);
      expect(readings).toBe(1);
      expect(problems).toEqual([]);
    });
  },
);
