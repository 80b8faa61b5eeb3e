import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "./console-page.js";
import { WAIT_MS, type OpenConsole } from "./open-console.js";

/** The pages on which people look something up, and change what they may. */
export function describeLookupPages(shared: OpenConsole): void {
  describe("on the page of memory", () => {
    it("finds an entry by its words, shows it whole, and deletes it", async () => {
      const { entry_id: id } = await shared.server.admin.memory.addMemoryEntry({
        session_id: "support",
        content: JSON.stringify({ note: "Zanzibar pays in advance" }),
      });
      await using opened = await shared.open("/memory", "admin");
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
      const headers = { authorization: `Bearer ${shared.server.keys.admin}` };
      const entry = `${shared.server.url}/api/memory/entries/${id}`;
      await expect.poll(async () => (await fetch(entry, { headers })).status).toBe(404);
    });

    it("says of a call without a tool name that it has none", async () => {
      await using opened = await shared.open("/memory", "admin");
      const calls = opened.page.getByText(/^Call without a tool name · /);
      await calls.first().waitFor({ timeout: WAIT_MS });
    });

    it("sets how long entries are kept", async () => {
      await using opened = await shared.open("/memory", "admin");
      const { page } = opened;
      await page.getByLabel("Days until an entry is deleted").fill("90");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Entries are deleted after 90 days.").waitFor({ timeout: WAIT_MS });
      expect(await shared.server.admin.memory.getMemoryRetention()).toEqual({ days: 90 });
      await shared.server.admin.memory.setMemoryRetention({ days: null });
    });
  });

  describe("on the page of usage", () => {
    it("shows a day's amounts in a table, changes its measure, and keeps both in the address", async () => {
      await using opened = await shared.open("/usage", "admin");
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
      await using opened = await shared.open("/usage", "admin");
      const { page } = opened;
      await page.getByLabel("New limit").fill("77");
      await page.getByRole("button", { name: "Set budget" }).click();
      await page.getByText("$77 a month").first().waitFor({ timeout: WAIT_MS });
      const day = page.getByRole("row").filter({ hasText: "a day" });
      await day.getByText(/^in \d+ (s|min|h)$/).waitFor({ timeout: WAIT_MS });
      await page.getByRole("button", { name: "Remove the budget of $77 a month" }).click();
      await page.getByText("$77 a month").first().waitFor({ state: "detached" });
      await using other = await shared.open("/usage", "auditor");
      await other.page.getByText("Budgets").first().waitFor({ timeout: WAIT_MS });
      expect(await other.page.getByLabel("New limit").count()).toBe(0);
    });
  });

  describe("on the page of access", () => {
    it("creates a key, which it shows once, and revokes it", async () => {
      await using opened = await shared.open("/access", "admin");
      const { page } = opened;
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByLabel("Name").fill("Tried in a browser");
      await page.getByRole("button", { name: "Create the key" }).click();
      const text = await page.getByTestId("issued-key").textContent({ timeout: WAIT_MS });
      expect(text).toMatch(/^stw_live_[0-9a-f]{24}_[0-9a-f]{64}$/);
      expect(await accessibilityProblems(page)).toEqual([]);
      const secret = { headers: { authorization: `Bearer ${text ?? ""}` } };
      expect((await fetch(`${shared.server.url}/api/plans`, secret)).status).toBe(200);
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Revoke the key Tried in a browser" }).click();
      await page.getByRole("button", { name: "Revoke for good" }).click();
      await expect
        .poll(async () => (await fetch(`${shared.server.url}/api/plans`, secret)).status)
        .toBe(401);
    });

    it("explains a decision of the policies", async () => {
      await using opened = await shared.open("/access", "admin");
      const { page } = opened;
      await page.getByRole("button", { name: "Policies" }).click();
      await page.getByLabel("Policies of the organization").waitFor({ timeout: WAIT_MS });
      expect(await accessibilityProblems(page)).toEqual([]);
    });
  });
}
