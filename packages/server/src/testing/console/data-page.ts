import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "./console-page.js";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

/** The page of the data. */
export function describeDataPage(shared: OpenConsole): void {
  describe("on the page of the data", () => {
    it("shows a table with its columns, its relations, a sample and who may read it", async () => {
      await using tab = await shared.open("/data", "admin");
      const { page, problems } = tab;
      await page.getByRole("searchbox").fill("order");
      await page.getByRole("button", { name: "Show orders", exact: true }).click();
      await shows(page, "refers to customers");
      expect(new URL(page.url()).search).toBe("?source=shop&q=order&table=orders");
      await page.getByRole("tab", { name: "Relations" }).click();
      const customers = page.locator(".react-flow__node").filter({ hasText: "customers" });
      await customers.waitFor({ timeout: WAIT_MS });
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("tab", { name: "Sample" }).click();
      await shows(page, "table orders in shop");
      await page.getByRole("tab", { name: "Who may read" }).click();
      await shows(page, "Permitted");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("tab", { name: "Relations" }).click();
      await customers.getByRole("button").click();
      await page.getByRole("complementary", { name: "Table customers" }).waitFor();
      expect(problems).toEqual([]);
    });
  });
}
