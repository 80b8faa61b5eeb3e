import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "@steward/kernel/log.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";
import { recordOf, RECORDED_OPERATIONS } from "../transport/operations.js";
import { openApp, type App } from "./app.js";
import {
  type ApiRoute,
  countOf,
  DescribedOperations,
  type Entry,
  NEEDS_APPROVAL,
  ORG,
  TARGET,
} from "./testing/described-operations.js";

/**
 * Every operation that changes something is asked for over REST, with the example of its own
 * description, and must leave its record. An operation that is neither recorded nor known to change
 * nothing prevents the start of a server, so that this list cannot lack one.
 */
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const OTHER_ORG = "22222222-2222-4222-8222-222222222222";

describe.each([
  { engine: "SQLite", database: () => Promise.resolve(undefined) },
  { engine: "PostgreSQL", database: () => storeDatabase() },
])("operations on $engine", ({ database }) => {
  let directory: string;
  let store: Awaited<ReturnType<typeof database>>;
  let app: App;
  let operations: DescribedOperations;
  let routes: readonly ApiRoute[];
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "steward-audited-"));
    store = await database();
    app = await openApp({
      ...{
        port: 0,
        log: silentLog,
        dataDir: directory,
        tools: { strict: false, tools: [], webhooks: [TARGET] },
      },
      databaseUrl: store?.url ?? `sqlite:${join(directory, "store.db")}`,
      auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
    });
    operations = new DescribedOperations(`http://127.0.0.1:${String(app.address.port)}`);
    routes = await operations.routes();
  }, 60_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  it("leave a record each, with who asked, from where, and with which parameters", async () => {
    const ids = await operations.existingIds();
    const secrets: string[] = [];
    for (const route of routes) {
      const { operation } = route;
      const before = (await operations.entries()).length;
      const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;
      const headers = { traceparent, "x-request-id": `r-${operation}` };
      const response = await operations.askFor(route, ids, headers);
      const answer = await response.text();
      secrets.push(...(/stw_[\w-]+/.exec(answer) ?? []));
      const added = (await operations.entries()).slice(0, -before);
      const own = added.filter(({ detail }) => detail["operation"] === operation);
      const record = recordOf(operation);
      const told = `${operation} answered ${String(response.status)} ${answer.slice(0, 300)}`;
      expect(own.length, told).toBe(record?.time === "around" ? 2 : 1);
      for (const { kind, by, request, detail } of own) {
        expect({ operation, kind }).toEqual({ operation, kind: record?.kind });
        expect(by).toMatchObject({ kind: "person", roles: ["operator"] });
        expect(request).toEqual({ trace: TRACE });
        expect(detail["policy_version"]).toMatch(/./);
        expect(detail["request"]).toBeUndefined();
      }
      const statuses = own.map(({ detail }) => detail["status"]).toReversed();
      if (record?.time === "around") expect(statuses[0]).toBe("begun");
      else expect(statuses).toEqual([record?.time === "withEffect" ? "succeeded" : "permitted"]);
    }
    const asked = [...routes.map(({ operation }) => operation), NEEDS_APPROVAL];
    expect(new Set(asked)).toEqual(new Set(RECORDED_OPERATIONS));
    const told = (await operations.entries()).map(({ user: _value, ...entry }) => entry);
    const all = JSON.stringify(told);
    expect(all).not.toContain("lovelace");
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(all).not.toContain(secret);
  }, 120_000);

  it("that were refused have a record with their number, and so have failed authentications", async () => {
    const other = { "x-user-role": "auditor", "x-org-id": ORG };
    for (let tries = 0; tries < 3; tries += 1) {
      const refused = await operations.ask(
        { method: "PUT", path: "/api/policies" },
        { headers: { ...other, "content-type": "application/json" }, body: "{}" },
      );
      expect(refused.status).toBe(403);
      const wrong = { authorization: `Bearer stw_live_${"0".repeat(24)}_${"0".repeat(43)}` };
      expect(
        (await operations.ask({ method: "GET", path: "/api/keys" }, { headers: wrong })).status,
      ).toBe(401);
    }
    const refusals = (await operations.entries()).filter(
      ({ kind }) => kind === "operation.refused",
    );
    expect(count(refusals, "policies:write")).toBe(3);
    const failures = (await operations.entries("00000000-0000-0000-0000-000000000000")).filter(
      ({ kind }) => kind === "authentication.failed",
    );
    expect(count(failures, "")).toBe(3);
  });

  it("that no policy names, and are refused all the same, have a record", async () => {
    const json = { "content-type": "application/json" };
    const key = JSON.stringify({ name: "reader", roles: ["admin"], user_id: "ada.lovelace" });
    const made = await operations.ask(
      { method: "POST", path: "/api/keys" },
      { headers: json, body: key },
    );
    const [secret = ""] = /stw_[\w-]+/.exec(await made.text()) ?? [];
    const search = JSON.stringify({ query: "orders", org_id: OTHER_ORG });
    const asked = await fetch(`http://127.0.0.1:${String(app.address.port)}/api/memory/search`, {
      ...{ method: "POST", body: search },
      headers: { ...json, authorization: `Bearer ${secret}` },
    });
    expect(asked.status).toBe(403);
    const refusals = (await operations.entries()).filter(
      ({ kind }) => kind === "operation.refused",
    );
    expect(count(refusals, "memory:read")).toBe(1);
  });

  it("of which nothing took effect leave no record that they succeeded", async () => {
    const before = (await operations.entries()).length;
    const path = `/api/keys/${"a".repeat(24)}`;
    expect((await operations.ask({ method: "DELETE", path })).status).toBe(404);
    expect((await operations.entries()).length).toBe(before);
  });
});

function count(records: readonly Entry[], subject: string): number {
  return countOf(records.filter((record) => record.subject === subject));
}
