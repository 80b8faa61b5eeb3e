import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { startSteward, type Running } from "../../cli/testing/steward-process.js";
import { accessibilityProblems, openPage } from "./console-page.js";
import { shows, type OpenConsole } from "./open-console.js";

/** A server in a process of its own, on plain loopback, where nobody signs in. */
export function describeKilledServer(shared: OpenConsole): void {
  describe("on a server without sign-in", () => {
    it("goes on after a kill -9, says what a newcomer may not see, and switches the organization", async () => {
      const directory = mkdtempSync(join(tmpdir(), "steward-killed-"));
      createSampleDatabase(join(directory, "shop.db"));
      const start = (port: string): Running =>
        startSteward(["serve"], {
          env: {
            ...{ SERVICE_PORT: port, SERVICE_DATA_DIR: directory, TMPDIR: tmpdir() },
            SERVICE_DATABASE_URL: `sqlite:${join(directory, "steward.db")}`,
            SERVICE_DATA_SOURCES: `shop=sqlite:${join(directory, "shop.db")}`,
          },
        });
      const first = start("0");
      const said = await first.said("stdout", /http:\/\/127\.0\.0\.1:\d+/);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? "";
      const submit = (name: string) =>
        createClient({ baseUrl: url }).plans.submit({
          name,
          steps: [{ id: "a", query_template: "SELECT 1 AS n" }],
        });
      await using tab = await openPage(shared.browser, { url });
      const { page } = tab;
      await submit("Before the kill");
      await page.goto("/plans");
      await shows(page, "Before the kill");
      await page.getByRole("button", { name: "Switch the organization: Local" }).waitFor();
      await first[Symbol.asyncDispose]();
      await shows(page, "The server cannot be reached");
      await using second = start(new URL(url).port);
      await second.said("stdout", /http:\/\/127\.0\.0\.1:\d+/);
      await submit("After the kill");
      await shows(page, "After the kill");
      await page.goto("/usage");
      await shows(page, "You may not see this");
      await page.getByRole("button", { name: "Switch the organization" }).click();
      const other = "11111111-2222-4333-8444-555555555555";
      await page.getByLabel("Organization", { exact: true }).fill(other);
      await page.getByRole("button", { name: "Switch", exact: true }).click();
      await shows(page, "No plans yet");
      await expect.poll(() => page.getByText(other).count()).toBeGreaterThan(0);
      await page.goto("/system");
      await shows(page, "You may not see this");
      await page.getByRole("button", { name: "Switch the organization" }).click();
      await page.getByLabel("Role").selectOption("operator");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Switch", exact: true }).click();
      await shows(page, "No plans yet");
      await page.goto("/system");
      await shows(page, "SERVICE_DATABASE_URL");
      rmSync(directory, { recursive: true, force: true });
    });
  });
}
