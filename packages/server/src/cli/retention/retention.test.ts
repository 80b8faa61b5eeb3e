import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import type { Ended } from "../testing/steward-process.js";

describe("steward retention and steward hold", () => {
  let dir: string;
  let app: App | undefined;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-retention-"));
    const databaseUrl = `sqlite:${join(dir, "store.db")}`;
    const retention = { periods: { plans: 90, memory: 365 }, mayBeLonger: false };
    app = await openApp({ port: 0, logLevel: "silent", databaseUrl, retention });
  });
  afterEach(async () => {
    await app?.[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const steward = (...args: readonly string[]): Promise<Ended> =>
    runHere(args, { env: { SERVICE_URL: `http://127.0.0.1:${String(app?.address.port)}` } });

  it("show and set the period of each class", async () => {
    const shown = async (): Promise<readonly string[]> =>
      (await steward("retention", "show")).stdout.trim().split("\n").slice(1).map(spaced);
    expect(await shown()).toEqual([
      "plans 90 operator",
      "idempotency_keys no limit operator",
      "memory 365 operator",
      "usage_detail no limit operator",
    ]);
    expect((await steward("retention", "set", "plans=30", "usage_detail=700")).code).toBe(0);
    expect(await shown()).toEqual([
      "plans 30 organization",
      "idempotency_keys no limit operator",
      "memory 365 operator",
      "usage_detail 700 organization",
    ]);
    await steward("retention", "set", "plans=default", "--user", "ada");
    // A repeated change makes no version.
    await steward("retention", "set", "plans=default", "--user", "bob");
    const json = (await steward("retention", "show", "--json")).stdout;
    expect(JSON.parse(json)).toMatchObject({
      version: 2,
      changed_by: "ada",
      periods: [{ class: "plans", days: 90, operator_days: 90, own_days: null }, {}, {}, {}],
    });
  });

  it("place, list and lift legal holds", async () => {
    expect((await steward("hold", "list")).stderr).toContain("no legal holds");
    const whole = (await steward("hold", "set", "Case 17", "--user", "ada")).stdout.trim();
    const session = (await steward("hold", "set", "Case 18", "--for", "s1")).stdout.trim();
    const listed = (await steward("hold", "list")).stdout.trim().split("\n").slice(1).map(spaced);
    expect(listed).toEqual([
      expect.stringMatching(new RegExp(`^${whole} everything Case 17 ada 20`)) as string,
      expect.stringMatching(new RegExp(`^${session} session s1 Case 18 20`)) as string,
    ]);
    expect((await steward("hold", "remove", whole)).stdout).toBe(`lifted ${whole}\n`);
    expect((await steward("hold", "remove", whole)).stderr).toContain("no legal hold with this id");
  });

  it.each([
    [["retention", "set", "outputs=3"], "write class=days with one of plans, idempotency_keys"],
    [["retention", "set", "plans=0"], "give whole days from 1 to 36525, or default"],
    [["retention", "set", "plans=91"], "must be at most 90 days, for which the operator keeps"],
    [["hold", "set", " "], "reason: must have 1 to 1000 characters"],
  ])("refuse %j", async (args, message) => {
    const { code, stderr } = await steward(...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});

function spaced(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}
