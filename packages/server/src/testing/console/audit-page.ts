import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CheckpointSigner } from "../../audit/signer.js";
import { accessibilityProblems } from "./console-page.js";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

/** The page of the audit log. */
export function describeAuditPage(shared: OpenConsole): void {
  describe("on the page of the audit log", () => {
    /** The public key of the server's log, as `steward audit key` prints it. */
    const publicKey = (note: string): string => {
      const pem = readFileSync(join(shared.server.dataDir, "audit.key"), "utf8");
      return new CheckpointSigner(note.split("\n")[0] ?? "", pem).keyText;
    };
    const says = (page: Page, text: RegExp) =>
      page.getByRole("status").filter({ hasText: text }).waitFor({ timeout: WAIT_MS });

    it("finds a plan's records, and verifies one with the public key and a kept checkpoint", async () => {
      const kept = await shared.server.admin.audit.checkpoint();
      const { plan_id: planId } = await shared.server.agent.plans.submit({
        name: "Audited",
        steps: [{ id: "a", query_template: "SELECT 1 AS n" }],
      });
      await using tab = await shared.open("/audit", "auditor");
      const { page, problems } = tab;
      await page.getByLabel("About").fill(planId);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByText(planId).count()).toBe(1);
      await page.getByRole("button", { name: /^Show record/ }).click();
      await says(page, /is in the tree of \d+ records/);
      await page.getByLabel("Public key of the log").fill(publicKey(kept));
      await says(page, /The key below has signed the checkpoint/);
      await page.getByLabel("A checkpoint that you have kept").fill(kept);
      await says(page, /The log begins with the \d+ records/);
      expect(await accessibilityProblems(page)).toEqual([]);
      const [name, size, root = "", ...rest] = kept.split("\n");
      const written = [name, size, `A${root.slice(1)}`, ...rest].join("\n");
      await page.getByLabel("A checkpoint that you have kept").fill(written);
      await says(page, /it was written anew/);
      expect(problems).toEqual([]);
    });

    it("says so when the server shows a record that is not in its log", async () => {
      await using tab = await shared.open("/audit", "auditor");
      const { page } = tab;
      await page.route(/\/api\/audit\/records\/\d+$/, async (route) => {
        const answer = await route.fetch();
        const text = await answer.text();
        // The time that each record has, in the JSON text of its entry.
        await route.fulfill({
          response: answer,
          body: text.replace(String.raw`\"at\":\"2`, String.raw`\"at\":\"3`),
        });
      });
      await page
        .getByRole("button", { name: /^Show record/ })
        .first()
        .click();
      await shows(page, "do not lead to the root");
    });
  });
}
