import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "@steward/client";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import type { Ended } from "../testing/steward-process.js";

describe("steward retention, steward hold and steward erase", () => {
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

  it("erase a session, after a look at it, with a receipt", async () => {
    const client = createClient({ baseUrl: `http://127.0.0.1:${String(app?.address.port)}` });
    for (const session_id of ["s1", "s1", "s2"]) {
      await client.memory.addMemoryEntry({ session_id, content: '{"note":"secret"}' });
    }
    const look = await steward("erase", "--session", "s1", "--dry-run");
    expect(look.stdout.trim().split("\n").slice(1).map(spaced)).toEqual([
      "plans 0 0",
      "memory entries 2 34",
      "usage rows 0",
    ]);
    const unasked = await steward("erase", "--session", "s1");
    expect(unasked.stderr).toContain("look with --dry-run, then add --yes");
    const hold = (await steward("hold", "set", "Case 17")).stdout.trim();
    const held = await steward("erase", "--session", "s1", "--yes");
    expect(held.stderr).toContain(`the legal hold ${hold} covers the organization (Case 17)`);
    await steward("hold", "remove", hold);
    const erased = await steward("erase", "--session", "s1", "--yes");
    expect(erased.stdout).toContain("erased 0 plans, 2 memory entries and 0 usage rows");
    const left = await client.memory.listMemoryEntries();
    expect(left.entries.map((entry) => entry.session_id)).toEqual(["s2"]);
    const [receipt] = await client.retention.listErasures();
    expect(receipt).toMatchObject({ scope: "session", entries: 2 });
    expect(JSON.stringify(receipt)).not.toContain("s1");
    const [, salt = ""] = /Keep the salt (\S+):/.exec(erased.stderr) ?? [];
    const digest = createHash("sha256").update(`${salt}s1`).digest("hex");
    expect(receipt?.subject_digest).toBe(digest);
  });

  it.each([
    [["erase"], "give one of --organization, --session <id> and --user <id>"],
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
