import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "./console-page.js";
import { shows, WAIT_MS, type OpenConsole } from "./open-console.js";

/** The pages of the state and of migrations. */
export function describeStatePages(shared: OpenConsole): void {
  describe("on the page of the state", () => {
    it("shows commits as a graph, what one has changed, and what is around a term", async () => {
      await using tab = await shared.open("/state?ref=heads%2Fmain", "admin");
      const { page, problems } = tab;
      await page
        .locator(".react-flow__node")
        .filter({ hasText: "The second order" })
        .waitFor({ timeout: WAIT_MS });
      await page.getByRole("button", { name: "Show The second order" }).click();
      await page.getByRole("region", { name: "Changes" }).getByText("added").first().waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Triples" }).click();
      await shows(page, "5 quads");
      await page.getByLabel("Property").fill("<urn:shop:status>");
      await page.keyboard.press("Enter");
      await shows(page, "2 quads");
      await page.getByRole("button", { name: "Show what is around 2" }).click();
      await page
        .locator(".react-flow__node")
        .filter({ hasText: "status: paid" })
        .waitFor({ timeout: WAIT_MS });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

  describe("on the page of migrations", () => {
    it("proposes a schema, proves it, applies it and shows the schema's history", async () => {
      await using tab = await shared.open("/migrations", "admin");
      const { page, problems } = tab;
      await page.getByRole("button", { name: "New migration" }).click();
      const schema = page.getByLabel("The whole schema that you want");
      await expect.poll(() => schema.inputValue()).toContain("CREATE TABLE");
      await schema.fill(
        `${await schema.inputValue()}\nCREATE TABLE vouchers (id INTEGER PRIMARY KEY);`,
      );
      await page.getByLabel("Purpose of the change").fill("Vouchers");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Propose", exact: true }).click();
      await page.getByRole("tab", { name: "Script up" }).click({ timeout: WAIT_MS });
      await page.locator("pre", { hasText: "vouchers" }).waitFor();
      await page.getByRole("tab", { name: "Proof" }).click();
      await page.getByRole("button", { name: "Prove it again" }).click();
      await shows(page, "Every part ended at the schema that it should.");
      await page.getByRole("tab", { name: "Run" }).click();
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByRole("button", { name: "Revert" }).waitFor({ timeout: WAIT_MS });
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.goto("/state?ref=heads%2Fschemas%2Fshop");
      await page
        .getByRole("button", { name: /^Show Apply .*: Vouchers$/ })
        .click({ timeout: WAIT_MS });
      const changes = page.getByRole("region", { name: "What happens to each object" });
      await changes.getByText("vouchers").first().waitFor({ timeout: WAIT_MS });
      expect(problems).toEqual([]);
    });
  });
}
