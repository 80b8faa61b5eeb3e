import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { openApp, type App } from "./app.js";
import { silentLog } from "@steward/kernel/log.js";

/** Organizations set their own policies over REST, and their callers run plans on a data source. */
const directory = mkdtempSync(join(tmpdir(), "steward-policies-"));

let app: App;
beforeAll(async () => {
  const file = join(directory, "shop.db");
  createSampleDatabase(file);
  app = await openApp({
    port: 0,
    log: silentLog,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "shop", url: `sqlite:${file}` }],
    dataDir: directory,
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const url = (path: string): string => `http://127.0.0.1:${String(app.address.port)}${path}`;

/** A new organization. */
class Tenant {
  readonly orgId = crypto.randomUUID();

  async ask(request: string, body?: object, role = "admin"): Promise<Answer> {
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(url(path), {
      method,
      headers: {
        ...{ "x-org-id": this.orgId, "x-user-role": role, "x-user-id": "ada" },
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as Omit<Answer, "status">) };
  }

  put(text: string, version = 0): Promise<Answer> {
    return this.ask("PUT /api/policies", { text, version });
  }

  submit(query_template: string) {
    const client = createClient({ baseUrl: url(""), orgId: this.orgId, role: "agent" });
    return client.plans
      .submit({ name: "p", steps: [{ id: "a", query_template }] })
      .then(({ plan_id }) => client.plans.execute(plan_id, "a"));
  }
}

interface Answer {
  readonly status: number;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly details?: readonly object[];
}

const NO_CUSTOMERS = `@id("no-customers") @reason("Customers are for people")
  forbid (principal, action in Steward::Action::"statements", resource == Steward::Table::"shop/customers")
  unless { principal in Steward::Role::"admin" };`;

describe("an organization's own policies", () => {
  it("hold back its own callers at once, name what is denied and what is left, and nobody else's", async () => {
    const [tenant, other] = [new Tenant(), new Tenant()];
    const sql = "SELECT * FROM orders JOIN main.Customers c ON c.id = customer_id";
    expect((await tenant.submit(sql)).step_result.status).toBe("completed");
    expect(await tenant.put(NO_CUSTOMERS)).toMatchObject({ status: 200, data: { version: 1 } });
    await expect(tenant.submit(sql)).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("Customers are for people: denied here: table") as string,
      details: expect.arrayContaining([
        expect.objectContaining({ field: "policy no-customers" }),
        { field: "instead", reason: expect.stringContaining("table orders") as string },
      ]) as object[],
    });
    expect((await tenant.submit("SELECT * FROM orders")).step_result.status).toBe("completed");
    expect((await other.submit(sql)).step_result.status).toBe("completed");
  });

  it("count for a step that was submitted before them", async () => {
    const tenant = new Tenant();
    const client = createClient({ baseUrl: url(""), orgId: tenant.orgId, role: "agent" });
    const { plan_id } = await client.plans.submit({
      name: "p",
      steps: [{ id: "a", query_template: "SELECT name FROM customers" }],
    });
    await tenant.put(NO_CUSTOMERS);
    await expect(client.plans.execute(plan_id, "a")).rejects.toMatchObject({ status: 403 });
  });

  it("limit the rows of a write, and ask for approvals", async () => {
    const tenant = new Tenant();
    await tenant.put(`
      @id("few") @rows_changed_max("2")
      forbid (principal, action in Steward::Action::"writes", resource)
      when { context.rowsChangedMax > 2 };
      @id("two-eyes") @approval("the data owner")
      forbid (principal, action == Steward::Action::"write_delete", resource)
      unless { context.approved };`);
    const updated = await tenant.submit("UPDATE customers SET name = name");
    expect(updated.step_result).toMatchObject({ status: "failed" });
    expect(updated.step_result.error?.message).toContain("at most 2 may change");
    await expect(tenant.submit("DELETE FROM orders")).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      status: 409,
    });
  });

  it("keep callers from writing and moving a branch of the state", async () => {
    const tenant = new Tenant();
    const document = { format: "n-quads", content: '<urn:a> <urn:b> "c" .\n', message: "m" };
    expect(await tenant.ask("POST /api/state/import", document)).toMatchObject({ status: 200 });
    await tenant.put(`@id("main-is-kept") forbid (
      principal, action in Steward::Action::"state", resource == Steward::Branch::"main");`);
    const { data } = await tenant.ask("GET /api/state/refs");
    const [{ commit }] = data as unknown as readonly [{ readonly commit: string }];
    for (const [request, body] of [
      ["POST /api/state/import", document],
      ["POST /api/state/documents?message=m", document],
      ["POST /api/state/merge", { from: commit, message: "m" }],
      ["POST /api/state/revert", { commit, message: "m" }],
      ["POST /api/state/refs", { name: "heads/main", commit: null, expected: commit }],
    ] as const) {
      expect({ request, ...(await tenant.ask(request, body)) }).toMatchObject({
        ...{ request, status: 403 },
        error: expect.stringContaining("main-is-kept") as string,
      });
    }
    const other = { name: "heads/other", commit, expected: null };
    expect(await tenant.ask("POST /api/state/refs", other)).toMatchObject({ status: 200 });
    const elsewhere = { ...document, branch: "other" };
    expect(await tenant.ask("POST /api/state/import", elsewhere)).toMatchObject({ status: 200 });
  });

  it("keep callers from adding to a session of the memory, and from deleting of it", async () => {
    const tenant = new Tenant();
    const entry = { content: '"a note"', session_id: "kept" };
    const added = await tenant.ask("POST /api/memory/entries", entry);
    expect(added).toMatchObject({ status: 201 });
    await tenant.put(`@id("session-is-kept") forbid (
      principal, action in Steward::Action::"memory", resource == Steward::MemorySession::"kept");`);
    for (const [request, body] of [
      ["POST /api/memory/entries", entry],
      ["DELETE /api/memory/sessions/kept", undefined],
      [`DELETE /api/memory/entries/${String(added.data?.["entry_id"])}`, undefined],
    ] as const) {
      expect(await tenant.ask(request, body)).toMatchObject({
        status: 403,
        error: expect.stringContaining("session-is-kept") as string,
      });
    }
    const other = { ...entry, session_id: "other" };
    expect(await tenant.ask("POST /api/memory/entries", other)).toMatchObject({ status: 201 });
  });

  it("are shown with their version, and put only by who has seen the latest", async () => {
    const tenant = new Tenant();
    expect((await tenant.ask("GET /api/policies")).data).toMatchObject({ version: 0, text: "" });
    await tenant.put(NO_CUSTOMERS);
    expect(await tenant.put("")).toMatchObject({ status: 409 });
    expect(await tenant.put("", 1)).toMatchObject({ status: 200, data: { version: 2 } });
    expect((await tenant.ask("GET /api/policies")).data).toMatchObject({
      ...{ version: 2, text: "", changed_by: "ada" },
      shipped: expect.stringContaining('@id("operator")') as string,
    });
    expect(await tenant.ask("PUT /api/policies", { text: "", version: 2 }, "agent")).toMatchObject({
      status: 403,
    });
  });

  it.each([
    ["permit (principal, action, resource);", 1, 1, "only forbid"],
    [
      '@id("a") forbid (principal in Steward::Role::"Temp", action, resource);',
      1,
      1,
      'Role::"temp"',
    ],
    ["forbid (principal, action, resource);", 1, 1, "@id is missing"],
    ['\n@id("a") forbid (principal, action, resource)\nwhen { principal.rank };', 3, 8, "rank"],
    [
      `@id("a") forbid (principal, action, resource) when { ${"(".repeat(7000)}true${")".repeat(7000)} };`,
      ...[1, 1, "nested too deeply"],
    ],
    [`// ${"x".repeat(17_000)}`, 1, 1, "at most 16384"],
  ] as const)(
    "are refused with the place of each mistake: %#",
    async (text, line, column, message) => {
      const tenant = new Tenant();
      const { data } = await tenant.ask("POST /api/policies/check", { text });
      expect(data?.["problems"]).toContainEqual({
        ...{ line, column },
        message: expect.stringContaining(message) as string,
      });
      expect(await tenant.put(text)).toMatchObject({
        status: 400,
        error: expect.stringContaining(
          `line ${String(line)}, column ${String(column)}: `,
        ) as string,
      });
    },
  );

  it("are explained: which policy decided, and why", async () => {
    const tenant = new Tenant();
    await tenant.put(NO_CUSTOMERS);
    const explain = async (question: object) =>
      (await tenant.ask("POST /api/policies/explain", question)).data;
    const read = { action: "read_select", roles: ["agent"], data_source: "shop" };
    expect(await explain({ action: "plans:submit", roles: ["agent"] })).toEqual({
      permitted: true,
      because: [{ name: "policy agent", reason: expect.stringContaining("runs plans") as string }],
    });
    expect(await explain({ ...read, tables: ["orders"] })).toMatchObject({ permitted: true });
    expect(await explain({ ...read, tables: ["customers"] })).toMatchObject({
      ...{ permitted: false, code: "POLICY_DENIED" },
      because: expect.arrayContaining([
        { name: "policy no-customers", reason: "Customers are for people" },
      ]) as object[],
    });
    expect(
      await tenant.ask("POST /api/policies/explain", { action: "plans:sumbit" }),
    ).toMatchObject({
      status: 400,
      error: expect.stringContaining("did you mean plans:submit?") as string,
    });
  });

  it("are tried with cases, as they are or as a draft, which is checked and not kept", async () => {
    const tenant = new Tenant();
    await tenant.put(NO_CUSTOMERS);
    const test = (more: object) => tenant.ask("POST /api/policies/test", more);
    const about = (name: string, expected: string, tables: readonly string[]) => ({
      ...{ name, expect: expected, action: "read_select", roles: ["agent"] },
      ...{ data_source: "shop", tables },
    });
    const remembered = { ...about("memory", "permit", ["orders"]), action: "memory:record" };
    const cases = [about("a", "permit", ["orders"]), about("b", "deny", ["customers"]), remembered];
    expect(await test({ cases })).toMatchObject({ status: 200, data: { failed: 0 } });
    const text = `@id("draft") @approval("the owner") forbid (principal, action, resource == Steward::Table::"shop/orders")
      unless { context.approved };`;
    expect(await test({ cases, text })).toMatchObject({
      data: {
        failed: 3,
        results: [
          { name: "a", passed: false, answer: { permitted: false, code: "APPROVAL_REQUIRED" } },
          { name: "b", passed: false, answer: { permitted: true } },
          { name: "memory", passed: false, answer: { because: [{ name: "policy draft" }] } },
        ],
      },
    });
    expect(await test({ cases })).toMatchObject({ data: { failed: 0 } });
    expect(await test({ cases, text: "permit (principal, action, resource);" })).toMatchObject({
      ...{ status: 400, error: expect.stringContaining("line 1, column 1") as string },
    });
    const wrong = [cases[0], { ...cases[1], action: "read" }];
    expect(await test({ cases: wrong })).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^cases\[1\]\.action: read is no action/) as string,
    });
  });
});
