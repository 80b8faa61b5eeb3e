import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "./console-page.js";
import { shows, type OpenConsole } from "./open-console.js";

/** The page that connects an agent. */
export function describeConnectPage(shared: OpenConsole): void {
  describe("on the page that connects an agent", () => {
    it("shows each client's lines, and notices the first call", async () => {
      await using tab = await shared.open("/connect", "admin");
      const { page, problems } = tab;
      await shows(page, `claude mcp add --transport http steward ${shared.server.url}/mcp`);
      await page.getByRole("button", { name: "Cursor" }).click();
      await shows(page, "${env:STEWARD_API_KEY}");
      expect(new URL(page.url()).searchParams.get("client")).toBe("cursor");
      await shows(page, "Waiting for a call");
      await shows(page, "Newest plan");
      await shared.server.agent.plans.submit({
        name: "The first call",
        steps: [{ id: "a", query_template: "SELECT 1 AS n" }],
      });
      await shows(page, "A call has arrived");
      await shows(page, "The first call");
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
}
