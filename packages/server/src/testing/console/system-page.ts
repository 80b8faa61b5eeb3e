import { describe, expect, it } from "vitest";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";
import { SECRET } from "./sample-server.js";

/** The page for operators. */
export function describeSystemPage(shared: OpenConsole): void {
  describe("on the page of the system", () => {
    it("shows an operator nodes, queues, versions and settings, and no secret", async () => {
      await using opened = await shared.open("/system", "operator");
      const { page, problems } = opened;
      await shows(page, "SQLite 3.");
      const row = (name: string, text: string) =>
        page.getByRole("region", { name }).getByRole("row").filter({ hasText: text }).first();
      expect(await row("Nodes", "this one").textContent()).toContain("Held");
      expect(await row("Queues", "Failed webhooks").textContent()).toContain("0");
      expect(await row("Settings", "PAYMENT_SECRET_KEY").textContent()).toContain("***");
      expect(await page.content()).not.toContain(SECRET);
      await page.getByRole("button", { name: "Changed" }).click();
      await page.getByText("SERVICE_PORT").first().waitFor({ state: "detached" });
      await page.getByLabel("Search settings").fill("log-level");
      await page.getByText("PAYMENT_SECRET_KEY").first().waitFor({ state: "detached" });
      expect(await row("Settings", "SERVICE_LOG_LEVEL").textContent()).toContain("Flag");
      expect(new URL(page.url()).search).toBe("?settings=changed&q=log-level");
      expect(problems).toEqual([]);
    });

    it("tells anybody else what they lack", async () => {
      await using opened = await shared.open("/system", "admin");
      await opened.page.getByText("You may not see this").waitFor({ timeout: WAIT_MS });
      expect(await opened.page.getByText("SERVICE_PORT").count()).toBe(0);
    });
  });
}
