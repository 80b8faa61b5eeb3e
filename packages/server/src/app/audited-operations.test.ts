import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "@steward/kernel/log.js";
import { recordOf, RECORDED_OPERATIONS } from "../transport/operation-records.js";
import { openApp, type App } from "./app.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";

/**
 * Every operation that changes something is asked for over REST, with the example of its own
 * description, and must leave its record. An operation that is neither recorded nor known to change
 * nothing prevents the start of a server, so that this list cannot lack one.
 */
const ORG = "11111111-1111-4111-8111-111111111111";
const ADA = { "x-org-id": ORG, "x-user-role": "operator", "x-user-id": "ada.lovelace" };
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** Needs an approval that stands; standing-approvals.test.ts shows its record. */
const NEEDS_APPROVAL = "revokeApproval";

/** Nobody listens there. */
const TARGET = {
  ...{ name: "desk", url: "http://127.0.0.1:9/", secrets: [`whsec_${"A".repeat(32)}`] },
  events: [],
};

interface Entry {
  readonly kind: string;
  readonly subject: string;
  readonly by?: Readonly<Record<string, unknown>>;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly detail: Readonly<Record<string, unknown>>;
}

interface ApiRoute {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly mediaType: string | undefined;
  readonly example: object | undefined;
}

describe.each([
  { engine: "SQLite", database: () => Promise.resolve(undefined) },
  { engine: "PostgreSQL", database: () => storeDatabase() },
])("operations on $engine", ({ database }) => {
  let directory: string;
  let store: Awaited<ReturnType<typeof database>>;
  let app: App;
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
    routes = await describedRoutes();
  }, 60_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const ask = (
    { method, path }: Pick<ApiRoute, "method" | "path">,
    more: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
  ): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(app.address.port)}${path}`, {
      method,
      headers: { ...ADA, "x-user-permissions": "manage:billing", ...more.headers },
      ...(more.body === undefined ? {} : { body: more.body }),
    });

  const json = async (response: Response): Promise<Readonly<Record<string, unknown>>> =>
    ((await response.json()) as { readonly data: Readonly<Record<string, unknown>> }).data;

  async function entries(orgId = ORG): Promise<readonly Entry[]> {
    const headers = { "x-org-id": orgId };
    const path = "/api/audit/records?limit=500";
    const { data } = (await (await ask({ method: "GET", path }, { headers })).json()) as {
      readonly data: { readonly records: readonly { readonly entry: string }[] };
    };
    return data.records.map(({ entry }) => JSON.parse(entry) as Entry);
  }

  async function describedRoutes(): Promise<readonly ApiRoute[]> {
    const described = (await (await ask({ method: "GET", path: "/openapi.json" })).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    const found = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, requestBody }]) => {
        const [[mediaType, body] = [undefined, undefined]] = Object.entries(
          requestBody?.content ?? {},
        );
        const name = body?.schema.$ref?.split("/").at(-1) ?? "";
        const schema = described.components.schemas[name] ?? body?.schema;
        const example = schema?.examples?.[0];
        return { operation: operationId, method: method.toUpperCase(), path, mediaType, example };
      }),
    );
    return found.filter(
      ({ operation }) => RECORDED_OPERATIONS.includes(operation) && operation !== NEEDS_APPROVAL,
    );
  }

  /** Ids of things that exist, for the parameters of paths. */
  async function existingIds(): Promise<Readonly<Record<string, string>>> {
    const make = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
      const headers = { "content-type": "application/json" };
      return json(await ask({ method: "POST", path }, { headers, body: JSON.stringify(body) }));
    };
    const [key, hold, budget, entry] = await Promise.all([
      make("/api/keys", { name: "k", roles: ["agent"] }),
      make("/api/holds", { session_id: "held", reason: "a case" }),
      make("/billing/budgets", {
        ...{ scope: "organization", unit: "aau", period: "day", limit: "5", action: "warn" },
      }),
      make("/api/memory/entries", { session_id: "s", content: '{"note":"n"}' }),
    ]);
    return {
      key_id: String(key["key_id"]),
      hold_id: String(hold["hold_id"]),
      budget_id: String(budget["id"] ?? budget["budget_id"]),
      entry_id: String(entry["entry_id"]),
      session_id: "s",
      migration_id: "bagunoneatall",
      pm_id: "pm_1",
      customer_id: "cus_1",
      "*": "000.p/1",
    };
  }

  it("leave a record each, with who asked, from where, and with which parameters", async () => {
    const ids = await existingIds();
    const secrets: string[] = [];
    for (const route of routes) {
      const { operation, mediaType } = route;
      const before = (await entries()).length;
      const path =
        route.path.replace(/\{(.+?)\}/g, (_all, name: string) => ids[name] ?? "1") + queryOf(route);
      const headers = {
        ...(mediaType === undefined ? {} : { "content-type": mediaType }),
        ...{ traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, "x-request-id": `r-${operation}` },
      };
      const body = mediaType === undefined ? undefined : bodyOf(route);
      const response = await ask({ ...route, path }, { headers, ...(body && { body }) });
      const answer = await response.text();
      secrets.push(...(/stw_[\w-]+/.exec(answer) ?? []));
      const added = (await entries()).slice(0, -before);
      const own = added.filter(({ detail }) => detail["operation"] === operation);
      const record = recordOf(operation);
      const told = `${operation} answered ${String(response.status)} ${answer.slice(0, 300)}`;
      expect(own.length, told).toBe(record?.time === "around" ? 2 : 1);
      for (const { kind, by, request, detail } of own) {
        expect({ operation, kind }).toEqual({ operation, kind: record?.kind });
        expect(by).toMatchObject({ kind: "person", roles: ["operator"] });
        expect(request).toMatchObject({
          id: expect.stringMatching(/^sha256:/) as string,
          trace: TRACE,
        });
        expect(detail["policy_version"]).toMatch(/./);
        expect(detail["request"]).toMatch(/^sha256:/);
      }
      const statuses = own.map(({ detail }) => detail["status"]).toReversed();
      if (record?.time === "around") expect(statuses[0]).toBe("begun");
      else expect(statuses).toEqual([record?.time === "withEffect" ? "succeeded" : "permitted"]);
    }
    const asked = [...routes.map(({ operation }) => operation), NEEDS_APPROVAL];
    expect(new Set(asked)).toEqual(new Set(RECORDED_OPERATIONS));
    const all = JSON.stringify(await entries());
    expect(all).not.toContain("lovelace");
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(all).not.toContain(secret);
  }, 120_000);

  it("that were refused have a record with their number, and so have failed authentications", async () => {
    const other = { "x-user-role": "auditor", "x-org-id": ORG };
    for (let tries = 0; tries < 3; tries += 1) {
      const refused = await ask(
        { method: "PUT", path: "/api/policies" },
        { headers: { ...other, "content-type": "application/json" }, body: "{}" },
      );
      expect(refused.status).toBe(403);
      const wrong = { authorization: `Bearer stw_live_${"0".repeat(24)}_${"0".repeat(43)}` };
      expect((await ask({ method: "GET", path: "/api/keys" }, { headers: wrong })).status).toBe(
        401,
      );
    }
    const refusals = (await entries()).filter(({ kind }) => kind === "operation.refused");
    expect(count(refusals, "policies:write")).toBe(3);
    const failures = (await entries("00000000-0000-0000-0000-000000000000")).filter(
      ({ kind }) => kind === "authentication.failed",
    );
    expect(count(failures, "")).toBe(3);
  });

  it("of which nothing took effect leave no record that they succeeded", async () => {
    const before = (await entries()).length;
    const path = `/api/keys/${"a".repeat(24)}`;
    expect((await ask({ method: "DELETE", path })).status).toBe(404);
    expect((await entries()).length).toBe(before);
  });
});

interface Described {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly object[];
}

function count(records: readonly Entry[], subject: string): number {
  return records
    .filter((record) => record.subject === subject)
    .reduce((sum, { detail }) => sum + Number(detail["count"]), 0);
}

/** The example of the description, or one that fits to a store with nothing in it. */
function bodyOf({ operation, example }: ApiRoute): string {
  if (operation === "importStateDocument") return "<urn:a> <urn:b> <urn:c> .\n";
  if (operation.includes("Webhook")) return JSON.stringify({ target: TARGET.name });
  // The erasure of the examples' session would be held.
  if (operation === "placeHold") return JSON.stringify({ ...example, session_id: "held" });
  if (operation === "reportUsage") return JSON.stringify([USAGE_EVENT]);
  return JSON.stringify(operation === "putPolicies" ? { ...example, version: 0 } : (example ?? {}));
}

function queryOf({ operation }: ApiRoute): string {
  return operation === "importStateDocument" ? "?message=m" : "";
}

const USAGE_EVENT = {
  ...{ specversion: "1.0", id: "1", source: "shop", type: "tool-call" },
  ...{ time: "2026-02-03T10:00:00Z", data: { tool_name: "create_invoice" } },
};
