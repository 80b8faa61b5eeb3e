import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_BROWSER, startBrowser } from "../browser.js";
import { accessibilityProblems, LOOKS, openPage, signedIn } from "./console-page.js";
import { openSampleServer, type SampleServer } from "./sample-server.js";

/** How long a change may take to show on a busy machine, in ms. */
const WAIT_MS = 30_000;
const WHY_SKIPPED = HAS_BROWSER ? "" : " (skipped: its npm package is for Linux on x64 only)";
const HOSTILE = [
  '<img src=x onerror="window.ran=1"></title></script><script>window.ran=1</script>',
  "javascript:window.ran=1 {{constructor.constructor('window.ran=1')()}}",
  "\u202egnirts desrever\u2066\u200b",
  "x".repeat(255),
];

/** Each page by its address, with a text that shows that it is there. */
const PAGES = [
  { path: "/plans", text: "The best customer of the quarter" },
  { path: "/memory", text: "invoices on paper" },
  { path: "/memory?q=best%20customer&explain=true", text: "by words" },
  { path: "/usage", text: "Daily usage" },
  { path: "/access", text: "Invoice agent" },
] as const;

describe.skipIf(!HAS_BROWSER)(
  `the console in a browser${WHY_SKIPPED}`,
  { timeout: 120_000 },
  () => {
    let browser: Browser;
    let server: SampleServer;
    beforeAll(async () => {
      [browser, server] = await Promise.all([startBrowser(), openSampleServer()]);
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await server[Symbol.asyncDispose]();
    });

    it.each(LOOKS)("shows each page without a fault, $theme at $width pixels", async (look) => {
      await using opened = await signedIn(browser, server, { look });
      const { page, problems } = opened;
      for (const { path, text } of PAGES) {
        await page.goto(path);
        await page.getByText(text).first().waitFor({ timeout: WAIT_MS });
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        const overflow =
          "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        expect([path, await page.evaluate(overflow)]).toEqual([path, 0]);
      }
      const theme = await page.evaluate("document.documentElement.dataset.theme");
      expect(theme).toBe(look.theme);
      expect(problems).toEqual([]);
    });

    it("asks who is not signed in to do so, and comes back to the page", async () => {
      await using opened = await openPage(browser, server);
      const { page } = opened;
      await page.goto("/usage?measure=calls");
      await page.waitForURL("**/sign-in?**", { timeout: WAIT_MS });
      await page.getByLabel("API key").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByLabel("API key").fill("stw_test_wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toContain("API key is malformed");
      await page.getByLabel("API key").fill(server.adminKey);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/usage?measure=calls");
      expect(await page.evaluate("document.cookie")).toBe("");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL("**/sign-in");
      await page.goto("/plans");
      await page.waitForURL("**/sign-in?**", { timeout: WAIT_MS });
    });

    it("shows hostile texts as texts", async () => {
      for (const name of HOSTILE) {
        const { plan_id: id } = await server.agent.plans.submit({
          ...{ name, description: name, session_id: name },
          steps: [
            { id: "a", name, query_template: `SELECT 1 AS n -- ${name.replace(/[{}]/g, "")}` },
          ],
        });
        await using opened = await signedIn(browser, server, { path: `/plans/${id}` });
        const { page, problems } = opened;
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expect
          .poll(() => page.textContent("main"), { timeout: WAIT_MS })
          .toContain(name.slice(0, 40));
        expect(await page.evaluate("window.ran")).toBeUndefined();
        expect(await page.locator("main img[src='x']").count()).toBe(0);
        expect(problems).toEqual([]);
      }
    });

    it("follows the server live, in two tabs, also after it was away", async () => {
      await using opened = await signedIn(browser, server);
      const [one, two] = [opened.page, await opened.context.newPage()];
      await two.goto("/plans");
      const seen = async (text: string) => {
        for (const tab of [one, two])
          await tab.getByText(text).first().waitFor({ timeout: WAIT_MS });
      };
      const submit = (name: string) =>
        server.agent.plans.submit({ name, steps: [{ id: "a", query_template: "SELECT 1 AS n" }] });
      await seen("The best customer of the quarter");
      await submit("Before the restart");
      await seen("Before the restart");
      await server.restart(async () => {
        await one.getByText("The server cannot be reached").waitFor({ timeout: WAIT_MS });
      });
      await submit("After the restart");
      await seen("After the restart");
      expect(await one.getByText("The server cannot be reached").count()).toBe(0);
    });

    it("loads little before it shows something: at most 130 KiB of script, as it is sent", async () => {
      const accept = { accept: "text/html" };
      const index = await (await fetch(server.url, { headers: accept })).text();
      const files = new Set(
        [...index.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, file = ""]) => file),
      );
      const sizes = await Promise.all(
        [...files].map(async (file) => {
          const headers = { "accept-encoding": "br" };
          const response = await fetch(`${server.url}${file}`, { headers });
          await response.body?.cancel();
          return Number(response.headers.get("content-length"));
        }),
      );
      const total = sizes.reduce((sum, size) => sum + size, 0);
      expect(files.size).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(130 * 1024);
    });

    describe("on the page of memory", () => {
      it("finds an entry by its words, shows it whole, and deletes it", async () => {
        const { entry_id: id } = await server.admin.memory.add({
          session_id: "support",
          content: JSON.stringify({ note: "Zanzibar pays in advance" }),
        });
        await using opened = await signedIn(browser, server, { path: "/memory" });
        const { page } = opened;
        await page.getByLabel("Search the memory").fill("Zanzibar advance");
        await page.keyboard.press("Enter");
        await page.getByRole("status").filter({ hasText: "the nearest first" }).waitFor();
        await page
          .getByRole("button", { name: /Zanzibar pays/ })
          .first()
          .click();
        await page.getByRole("region", { name: "Content, as it was stored" }).waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(new URL(page.url()).searchParams.get("entry")).toBe(id);
        await page.getByRole("button", { name: "Delete the entry" }).click();
        await page.getByRole("button", { name: "Delete for good" }).click();
        const headers = { authorization: `Bearer ${server.adminKey}` };
        const entry = `${server.url}/api/memory/entries/${id}`;
        await expect.poll(async () => (await fetch(entry, { headers })).status).toBe(404);
      });

      it("sets how long entries are kept", async () => {
        await using opened = await signedIn(browser, server, { path: "/memory" });
        const { page } = opened;
        await page.getByLabel("Days until an entry is deleted").fill("90");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Entries are deleted after 90 days.").waitFor({ timeout: WAIT_MS });
        expect(await server.admin.memory.retention()).toEqual({ days: 90 });
        await server.admin.memory.setRetention({ days: null });
      });
    });

    describe("on the page of usage", () => {
      it("shows a day's amounts in a table, changes its measure, and keeps both in the address", async () => {
        await using opened = await signedIn(browser, server, { path: "/usage" });
        const { page } = opened;
        await page.getByRole("img", { name: /Usage of 30 days/ }).waitFor({ timeout: WAIT_MS });
        await page.getByRole("button", { name: "Calls" }).click();
        await page.getByRole("button", { name: "Table" }).click();
        await page.getByRole("region", { name: "Daily usage" }).getByRole("row").first().waitFor();
        expect(new URL(page.url()).search).toBe("?measure=calls&view=table");
        await page.reload();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Export as CSV" }).click(),
        ]);
        expect(download.suggestedFilename()).toMatch(/^usage-.*\.csv$/);
      });

      it("lets an admin set a budget and remove it, and an auditor only look", async () => {
        await using opened = await signedIn(browser, server, { path: "/usage" });
        const { page } = opened;
        await page.getByLabel("New limit").fill("77");
        await page.getByRole("button", { name: "Set budget" }).click();
        await page.getByText("$77 a month").first().waitFor({ timeout: WAIT_MS });
        await page.getByRole("button", { name: "Remove the budget of $77 a month" }).click();
        await page.getByText("$77 a month").first().waitFor({ state: "detached" });
        await using other = await signedIn(browser, server, {
          ...{ path: "/usage", key: server.auditorKey },
        });
        await other.page.getByText("Budgets").first().waitFor({ timeout: WAIT_MS });
        expect(await other.page.getByLabel("New limit").count()).toBe(0);
      });
    });

    describe("on the page of access", () => {
      it("creates a key, which it shows once, and revokes it", async () => {
        await using opened = await signedIn(browser, server, { path: "/access" });
        const { page } = opened;
        await page.getByRole("button", { name: "New key" }).click();
        await page.getByLabel("Name").fill("Tried in a browser");
        await page.getByRole("button", { name: "Create the key" }).click();
        const text = await page.getByTestId("issued-key").textContent({ timeout: WAIT_MS });
        expect(text).toMatch(/^stw_live_[0-9a-f]{24}_[0-9a-f]{64}$/);
        expect(await accessibilityProblems(page)).toEqual([]);
        const secret = { headers: { authorization: `Bearer ${text ?? ""}` } };
        expect((await fetch(`${server.url}/api/plans`, secret)).status).toBe(200);
        await page.getByRole("button", { name: "Done" }).click();
        await page.getByRole("button", { name: "Revoke the key Tried in a browser" }).click();
        await page.getByRole("button", { name: "Revoke for good" }).click();
        await expect
          .poll(async () => (await fetch(`${server.url}/api/plans`, secret)).status)
          .toBe(401);
      });

      it("explains a decision of the policies", async () => {
        await using opened = await signedIn(browser, server, { path: "/access" });
        const { page } = opened;
        await page.getByRole("button", { name: "Policies" }).click();
        await page.getByLabel("Policies of the organization").waitFor({ timeout: WAIT_MS });
        expect(await accessibilityProblems(page)).toEqual([]);
      });
    });
  },
);
