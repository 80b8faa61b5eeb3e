import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { violationsOf } from "../../audit-export/ocsf/testing/violations.js";
import { runHere } from "../testing/run-here.js";
import { runSteward } from "../testing/steward-process.js";

/** One server with a store, and a plan that was submitted and cancelled. */
describe("steward audit", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-audit-cli-"));
  const exported = join(directory, "export");
  let app: App;
  let baseUrl = "";
  let planId = "";
  beforeAll(async () => {
    const databaseUrl = `sqlite:${join(directory, "store.db")}`;
    const shop = join(directory, "shop.db");
    writeFileSync(shop, "");
    app = await openApp({
      ...{ port: 0, logLevel: "silent", databaseUrl, dataDir: directory },
      dataSources: [{ name: "shop", url: `sqlite:${shop}` }],
    });
    baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    const { plans } = createClient({ baseUrl, userId: "ada" });
    const step = { id: "a", name: "a", tool_name: "sql", query_template: "SELECT 1" };
    ({ plan_id: planId } = await plans.submit({ name: "p", steps: [step] }));
    await plans.cancelPlan({ plan_id: planId });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const steward = (...args: readonly string[]) =>
    runHere(["audit", ...args], { env: { SERVICE_URL: baseUrl, SERVICE_DATA_DIR: directory } });
  const key = async () => (await steward("key")).stdout.trim();

  it("lists what happened and who asked for it, at once", async () => {
    const { stdout } = await steward("list", "--subject", planId);
    expect(stdout).toMatch(/plan\.changed +ada +\S+ +PlanCancelRequested, .*PlanCancelled/);
    expect(stdout).toMatch(/plan\.changed +ada +\S+ +PlanCreated/);
  });

  it("shows a record with its values, after checking its proof", async () => {
    const { stdout } = await steward("list", "--subject", planId, "--json");
    const [{ index }] = JSON.parse(stdout) as [{ readonly index: number }];
    const shown = await steward("show", String(index));
    expect(shown.stdout).toContain("by.user: ada");
    expect(shown.stderr).toMatch(/in the log of \d+ records, as its proof shows/);
    expect(await steward("show", "999")).toMatchObject({ code: 1 });
  });

  it("exports the log, verifies the export alone, and names a record that was changed", async () => {
    expect((await steward("export", exported)).stdout).toMatch(/^3 records in/);
    const kept = join(directory, "kept");
    writeFileSync(kept, readFileSync(join(exported, "checkpoint")));
    const { plans } = createClient({ baseUrl });
    await plans.retryPlan({ plan_id: planId }).catch(() => undefined);
    // The log has grown: an export is recorded too.
    const again = await steward("export", exported);
    const size = /^(\d+) records in/.exec(again.stdout)?.[1] ?? "";
    const verify = ["verify", exported, "--key", await key(), "--checkpoint", kept];
    const verified = await runSteward(["audit", ...verify]);
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`All ${size} records`) as string,
    });
    const file = join(exported, `tile/entries/000.p/${size}`);
    const bytes = readFileSync(file);
    const at = bytes.indexOf("PlanCancelled");
    bytes.write("PlanCompleted", at);
    writeFileSync(file, bytes);
    const tampered = await steward(...verify);
    expect(tampered).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Record 2 differs from its hash in tile/0/000.p/${size}`,
      ) as string,
    });
  });

  it("does not verify without the log's key, or with another one", async () => {
    expect(await steward("verify", exported)).toMatchObject({ code: 2 });
    const other = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    expect(await steward("verify", exported, "--key", other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("None of the given keys") as string,
    });
  });

  it("keeps the records of all organizations for the operator", async () => {
    const get = async (path: string, role: string) => {
      const headers = { "x-user-role": role, "x-user-id": "ada" };
      return (await fetch(`${baseUrl}${path}`, { headers })).status;
    };
    expect(await get("/audit/tile/entries/000.p/1", "auditor")).toBe(403);
    expect(await get("/audit/tile/entries/000.p/1", "operator")).toBe(200);
    expect(await get("/audit/tile/0/000.p/1", "auditor")).toBe(200);
    expect(await get("/audit/tile/0/001", "auditor")).toBe(404);
    expect(await get("/audit/tile/9/zero", "auditor")).toBe(400);
    expect(await get("/audit/checkpoint", "agent")).toBe(403);
    expect(await get("/api/audit/records?limit=0", "auditor")).toBe(400);
    expect(await get("/api/audit/consistency?older=9&newer=1", "auditor")).toBe(400);
  });

  it("does not grow by the reads of a mirror that follows it", async () => {
    const { audit } = createClient({ baseUrl, userId: "mirror", role: "operator" });
    const sizes: number[] = [];
    // A mirror reads the newest records whenever there are more than before.
    for (let poll = 0; poll < 10; poll += 1) {
      const size = Number((await audit.checkpoint()).split("\n")[1]);
      if (size !== sizes.at(-1)) await audit.tile(`tile/entries/000.p/${String(size)}`);
      sizes.push(size);
    }
    expect(new Set(sizes.slice(1)).size, String(sizes)).toBe(1);
  });

  it("exports the log as OCSF events, in which digests stand for persons", async () => {
    const file = join(directory, "audit.jsonl");
    const { code, stdout } = await steward("export", file, "--format", "ocsf");
    expect([code, stdout]).toEqual([0, expect.stringContaining("events in")]);
    const text = readFileSync(file, "utf8");
    const events = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(events.flatMap((event) => violationsOf(event))).toEqual([]);
    expect(events.map(({ metadata }) => metadata)).toMatchObject(
      events.map((_event, sequence) => ({ sequence, log_name: "steward/audit" })),
    );
    expect(text).toContain(planId);
    expect(text).not.toMatch(/"ada"|127\.0\.0\.1/);
  });
});
