import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GOOD_KEY, StripeServer } from "../../adapters/payment-stripe/testing/stripe-server.js";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { openConnection } from "../../storage/sqlite/connection.js";
import { runHere } from "../testing/run-here.js";
import { runSteward, type Ended } from "../testing/steward-process.js";

const NIL = "00000000-0000-0000-0000-000000000000";

/** Two calls on one day, one on the next: 4 and 1 AAU. */
const EVENTS = [
  ["1", "2026-01-05T10:00:00Z", "list_orders"],
  ["2", "2026-01-05T23:30:00Z", "create_invoice"],
  ["3", "2026-01-06T12:00:00Z", "list_orders"],
] as const;

describe("the commands of billing admins", () => {
  let dir: string;
  let app: App;
  let stripe: StripeServer;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-billing-"));
    stripe = await StripeServer.start();
    stripe.addCustomer("cus_A");
    stripe.addCard("pm_1", "cus_A");
    createSampleDatabase(join(dir, "shop.db"));
    app = await openApp({
      port: 0,
      logLevel: "silent",
      databaseUrl: `sqlite:${join(dir, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
      payments: { secretKey: GOOD_KEY, apiBase: stripe.url },
    });
    const { billing } = createClient({ baseUrl: url(), role: "admin" });
    await billing.createSetupIntent({ customer_id: "cus_A" });
    await billing.report(
      EVENTS.map(([id, time, tool_name]) => ({
        ...{ specversion: "1.0", id, source: "test", type: "tool-call", time },
        data: { tool_name },
      })),
    );
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const url = (): string => `http://127.0.0.1:${String(app.address.port)}`;
  const steward = (...args: readonly string[]): Promise<Ended> =>
    runHere(args, { env: { SERVICE_URL: url() } });

  it("show usage as a table with a bar for each day", async () => {
    const { code, stdout } = await runSteward(["usage", "--from", "2026-01-01"], {
      env: { SERVICE_URL: url() },
    });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "DATE        CALLS  AAU   USD",
        `2026-01-05      2    4  0.00  ${"█".repeat(30)}`,
        `2026-01-06      1    1  0.00  ${"█".repeat(8)}`,
        "",
      ].join("\n"),
    );
  });

  it("group usage, in the days of a zone", async () => {
    const { stdout } = await steward("usage", "--tz", "Europe/Berlin", "--group-by", "tool");
    expect(stdout.split("\n").map((line) => line.split(/\s+/).slice(0, 3))).toEqual([
      ["DATE", "GROUP", "CALLS"],
      ["2026-01-05", "list_orders", "1"],
      ["2026-01-06", "create_invoice", "1"],
      ["2026-01-06", "list_orders", "1"],
      [""],
    ]);
  });

  it("show the usage of a month", async () => {
    const all = await steward("usage", "--from", "2026-01-01", "--to", "2026-01-31");
    expect((await steward("usage", "--month", "2026-01")).stdout).toBe(all.stdout);
    expect((await steward("usage", "--month", "2026-02")).stderr).toMatch(
      /^no usage in this range\nstored: .*, without a quota\n$/,
    );
    const leap = await steward("usage", "export", "--month", "2024-02");
    expect(leap.code).toBe(0);
    for (const wrong of [["2026-13"], ["2026-01", "--from", "2026-01-02"]]) {
      expect((await steward("usage", "--month", ...wrong)).code).toBe(2);
    }
  });

  it("show what takes the space", async () => {
    const { stdout, stderr } = await steward("usage", "storage");
    expect(stdout).toMatch(/^OF +STORED\nplans, .* [\d.]+ (bytes|KiB)\nmemory, /);
    expect(stderr).toMatch(/^stored: [\d.]+ (bytes|KiB), without a quota\n$/);
    const json = JSON.parse((await steward("usage", "storage", "--json")).stdout) as object;
    expect(Object.keys(json).sort()).toEqual(["bytes", "measured_at", "stored_bytes"]);
  });

  it("show the operator the usage of all organizations", async () => {
    const { stdout } = await steward("usage", "--all-organizations", "--from", "2026-01-06");
    expect(stdout.split("\n").map((line) => line.split(/\s+/))).toEqual([
      ["ORGANIZATION", "CALLS", "AAU", "USD"],
      [NIL, "1", "1", "0.00"],
      [""],
    ]);
    const asAdmin = await steward("usage", "--all-organizations", "--role", "admin");
    expect(asAdmin).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("needs the role operator") as unknown,
    });
  });

  it("export usage as CSV or as lines of JSON", async () => {
    const csv = await steward("usage", "export", "--to", "2026-01-05");
    expect(csv.stdout.split(/\r?\n/)).toEqual([
      "date,action_count,total_aau,total_cost_usd",
      "2026-01-05,2,4,0",
      "",
    ]);
    const lines = await steward("usage", "export", "--format", "jsonl", "--from", "2026-01-06");
    expect(lines.stdout).toBe(
      '{"date":"2026-01-06","action_count":1,"total_aau":1,"total_cost_usd":0}\n',
    );
  });

  it("find and repair a wrong total", async () => {
    expect(await steward("usage", "verify")).toMatchObject({
      code: 0,
      stdout: "every total equals the sum of its rows\n",
    });
    const store = openConnection(join(dir, "store.db"), false);
    store.exec("UPDATE usage_heat_map SET total_aau = 99 WHERE intent = 'write_insert'");
    store.close();
    const found = await steward("usage", "verify");
    expect(found).toMatchObject({ code: 1, stderr: "repair them with --repair\n" });
    expect(found.stdout).toContain("heat map unknown write_insert");
    expect((await steward("usage", "verify", "--repair", "--json")).code).toBe(0);
    expect((await steward("usage", "verify", "--json")).stdout).toBe("[]\n");
  });

  it("set and list prices", async () => {
    const set = await steward(
      "price",
      "set",
      "tool",
      "0.25",
      "list_orders",
      "--from",
      "2026-01-01",
    );
    expect(set.stdout).toBe("$0.25 from 2026-01-01T00:00:00.000Z on\n");
    const { stdout } = await steward("price", "list");
    expect(stdout).toMatch(/^tool +list_orders +0\.25 +2026-01-01T00:00:00\.000Z$/m);
    expect(await steward("price", "set", "mood", "1")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("scope: must be one of aau, intent, model, tool") as unknown,
    });
  });

  it("price recorded calls anew", async () => {
    // Two calls of the tool in January, at the price that the test before has set.
    const { stdout } = await steward("price", "reprice", "--month", "2026-01");
    expect(stdout).toBe("2 corrections, $0.5 in all\n");
    const again = await steward(
      "price",
      "reprice",
      "--from",
      "2026-01-01",
      "--until",
      "2026-02-01",
    );
    expect(again.stdout).toBe("0 corrections, $0 in all\n");
    expect(await steward("price", "reprice")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--month") as unknown,
    });
  });

  it("set, list and remove budgets", async () => {
    const { stdout } = await steward("budget", "set", "100", "usd", "--action", "warn");
    const id = stdout.trim();
    const list = await steward("budget", "list");
    expect(list.stdout).toMatch(
      new RegExp(`^${id} +organization +0 +100 +100 +usd +month +warn +organization$`, "m"),
    );
    const ceiling = await steward("budget", "set", "50", "usd", "--for", NIL);
    const operators = ceiling.stdout.trim();
    expect(await steward("budget", "set", "100", "usd")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("limit: must not be higher than $50 per month") as unknown,
    });
    expect((await steward("budget", "remove", operators)).code).toBe(1);
    expect((await steward("budget", "remove", operators, "--for", NIL)).stdout).toBe("removed\n");
    expect((await steward("budget", "remove", id)).stdout).toBe("removed\n");
    expect((await steward("budget", "list")).stderr).toBe("no budgets: usage has no limit\n");
  });

  it("name the customer, and make it another organization's", async () => {
    expect((await steward("payments", "customer")).stdout).toBe("cus_A\n");
    const other = "22222222-2222-4222-8222-222222222222";
    const rebound = await steward("payments", "rebind", "cus_A", other);
    expect(rebound.stdout).toBe(`cus_A belongs to ${other}\n`);
    expect((await steward("payments", "rebind", "cus_A", NIL)).code).toBe(0);
  });

  it("list and detach payment methods", async () => {
    expect((await steward("payments", "list")).stdout).toMatch(
      /^pm_1 +card +visa +4242 +08\/2030$/m,
    );
    expect((await steward("payments", "detach", "pm_1")).stdout).toBe("detached\n");
    expect((await steward("payments", "list")).stderr).toBe("no payment methods are saved\n");
  });

  it("are refused in another role", async () => {
    expect(await steward("usage", "--role", "viewer")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Billing needs the role admin") as unknown,
    });
  });

  it("name the group of calls that have no tool name or session", async () => {
    // The last test, because it adds an organization to the reports.
    const orgId = crypto.randomUUID();
    const client = createClient({ baseUrl: url(), role: "agent", orgId });
    const { plan_id } = await client.plans.submit({
      steps: [{ id: "a", query_template: "SELECT 1" }],
    });
    await client.plans.run(plan_id);
    const groupsBy = async (what: string) =>
      (await steward("usage", "--org", orgId, "--group-by", what)).stdout;
    await expect.poll(() => groupsBy("tool")).toMatch(/^[\d-]{10} {2}\(no tool name\) +1 /m);
    expect(await groupsBy("session")).toMatch(/^[\d-]{10} {2}\(no session\) +1 /m);
  });
});
