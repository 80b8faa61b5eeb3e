import { describe, expect, it } from "vitest";
import { HAS_BROWSER } from "../browser.js";
import { describeApprovalPages } from "./approval-pages.js";
import { describeAuditPage } from "./audit-page.js";
import { describeConnectPage } from "./connect-page.js";
import {
  accessibilityProblems,
  openPage,
  SAVES_DATA,
  signedIn,
  type Looks,
} from "./console-page.js";
import { describeDataPage } from "./data-page.js";
import { describeHostileTexts } from "./hostile-texts.js";
import { describeKilledServer } from "./killed-server.js";
import { describeLookupPages } from "./lookup-pages.js";
import { openConsole, WAIT_MS } from "./open-console.js";
import { describePaymentsPage } from "./payments-page.js";
import { describePlanPages } from "./plan-pages.js";
import { describeStatePages } from "./state-pages.js";
import { describeSystemPage } from "./system-page.js";

const WHY_SKIPPED = HAS_BROWSER ? "" : " (skipped: its npm package is for Linux on x64 only)";

/** Each page by its address, with a text that shows that it is there. */
const PAGES = [
  { path: "/plans", text: "The best customer of the quarter" },
  { path: "/memory", text: "invoices on paper" },
  { path: "/memory?q=best%20customer&explain=true", text: "by words" },
  { path: "/usage", text: "Daily usage" },
  { path: "/access", text: "Invoice agent" },
  { path: "/audit", text: "plan.changed" },
  { path: "/audit?record=1", text: "is in the tree of" },
  { path: "/data", text: "customers" },
  { path: "/data?source=shop&table=orders", text: "refers to customers" },
  { path: "/state", text: "The second order" },
  { path: "/state?view=triples", text: "5 quads" },
  { path: "/migrations", text: "Customers are found by their city" },
  { path: "/connect", text: "claude mcp add" },
  { path: "/payment-methods", text: "No payment method is stored" },
  { path: "/system", text: "SERVICE_DATABASE_URL" },
] as const;

/** The tests of the console. @param looks in which a page is looked at. */
export function describeConsole(looks: Looks): void {
  describe.skipIf(!HAS_BROWSER)(`the console in a browser${WHY_SKIPPED}`, () => {
    const shared = openConsole(looks);

    it("shows each page without a fault, in the looks of this run", async () => {
      await using opened = await shared.open("/plans", "operator");
      const { page, problems } = opened;
      for (const { path, text } of PAGES) {
        await page.goto(path);
        await page.getByText(text).first().waitFor({ timeout: WAIT_MS });
        expect([path, await shared.problemsInEachLook(page)]).toEqual([path, []]);
      }
      // The navigation around the page, in each look.
      expect(await shared.problemsInEachLook(page, "html")).toEqual([]);
      expect(problems).toEqual([]);
    });

    it("asks who is not signed in to do so, and comes back to the page", async () => {
      await using opened = await openPage(shared.browser, shared.server);
      const { page } = opened;
      await page.goto("/usage?measure=calls");
      // The page's own redirect may end the load that is being waited for.
      await page.waitForURL("**/sign-in?**", { timeout: WAIT_MS, waitUntil: "commit" });
      await page.getByLabel("API key").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByLabel("API key").fill("stw_test_wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toContain("API key is malformed");
      await page.getByLabel("API key").fill(shared.server.keys.admin);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/usage?measure=calls");
      expect(await page.evaluate("document.cookie")).toBe("");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL("**/sign-in");
      await page.goto("/plans");
      await page.waitForURL("**/sign-in?**", { timeout: WAIT_MS });
    });

    it("follows the server live, in two tabs, also after it was away", async () => {
      await using opened = await shared.open("/plans", "admin");
      const [one, two] = [opened.page, await opened.context.newPage()];
      await two.goto("/plans");
      const seen = async (text: string) => {
        for (const tab of [one, two])
          await tab.getByText(text).first().waitFor({ timeout: WAIT_MS });
      };
      const submit = (name: string) =>
        shared.server.agent.plans.submit({
          name,
          steps: [{ id: "a", query_template: "SELECT 1 AS n" }],
        });
      await seen("The best customer of the quarter");
      await submit("Before the restart");
      await seen("Before the restart");
      await shared.server.restart(async () => {
        await one.getByText("The server cannot be reached").waitFor({ timeout: WAIT_MS });
      });
      await submit("After the restart");
      await seen("After the restart");
      await two.close();
      expect(await one.getByText("The server cannot be reached").count()).toBe(0);
    });

    it("keeps its frame while a page's script cannot be loaded, and shows the page by itself later", async () => {
      await using opened = await signedIn(shared.browser, shared.server);
      const { page } = opened;
      await page.addInitScript(SAVES_DATA);
      await page.goto("/plans");
      await page.getByText("The best customer of the quarter").first().waitFor();
      await page.evaluate("window.isSameDocument = true");
      await shared.server.restart(async () => {
        await page.getByRole("link", { name: "Memory" }).click();
        await page.getByText("The server cannot be reached").waitFor({ timeout: WAIT_MS });
        await page.getByRole("button", { name: "Search or command" }).click();
        await page.getByText("Loading the commands…").waitFor({ state: "attached" });
      });
      await page.getByPlaceholder("Go to a page").waitFor({ timeout: WAIT_MS });
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: "Memory" }).waitFor({ timeout: WAIT_MS });
      expect(await page.evaluate("window.isSameDocument")).toBe(true);
    });

    it("loads the scripts of other pages when nothing else is to do", async () => {
      await using opened = await signedIn(shared.browser, shared.server);
      const { page } = opened;
      const loaded = page.waitForResponse(/memory-page-[^/]+\.js$/, { timeout: WAIT_MS });
      await page.goto("/plans");
      await loaded;
    });

    it("loads little before it shows something: at most 130 kB of script, with gzip", async () => {
      const accept = { accept: "text/html" };
      const index = await (await fetch(shared.server.url, { headers: accept })).text();
      const files = new Set(
        [...index.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, file = ""]) => file),
      );
      const sizes = await Promise.all(
        [...files].map(async (file) => {
          const headers = { "accept-encoding": "gzip" };
          const response = await fetch(`${shared.server.url}${file}`, { headers });
          await response.body?.cancel();
          return Number(response.headers.get("content-length"));
        }),
      );
      const total = sizes.reduce((sum, size) => sum + size, 0);
      expect(files.size).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(130_000);
    });

    describePlanPages(shared);
    describeKilledServer(shared);
    describeAuditPage(shared);
    describeConnectPage(shared);
    describeDataPage(shared);
    describeStatePages(shared);
    describeApprovalPages(shared);
    describeLookupPages(shared);
    describeSystemPage(shared);
    describePaymentsPage(shared);
    describeHostileTexts(shared);
  });
}
