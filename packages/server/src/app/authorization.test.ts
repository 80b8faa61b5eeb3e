import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { ControlPlaneService, MemoryService, UsageService } from "@steward/protocol/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { type Action, ACTIONS, groupOf } from "../identity/index.js";
import { OPERATIONS } from "../cli/gen/operations.js";
import { actionOf } from "../transport/operations.js";
import { recordingLog } from "../transport/testing/recording-log.js";

/**
 * The test tries every operation of every protocol, in the names of the routes and services: with
 * two API keys of an operator who is also an admin, one limited to the operation's own action and
 * one limited to all others; with a key for each role; and with unauthenticated identity headers.
 * An operation without an action fails the test.
 */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const directory = mkdtempSync(join(tmpdir(), "steward-authorization-"));
const LIMITED = /^The API key is limited to /;

const BILLING = ["usage", "prices", "budgets", "payments"];
/** Actions that concern more than one organization. */
const OPERATION: readonly Action[] = [
  ...(["usage:read_all", "prices:write", "payments:rebind", "audit:export"] as const),
  "system:read",
];
const READS = ACTIONS.filter((action) => action.endsWith(":read") && !OPERATION.includes(action));

const PAYMENTS = ["payments:read", "payments:write"];

/** The permitted actions, and groups of actions, of each role; all others are denied. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  operator: ACTIONS,
  admin: ACTIONS.filter((action) => !OPERATION.includes(action)),
  billing: ["usage:read", "usage:report", "usage:repair", "prices:read", "budgets", ...PAYMENTS],
  schema: ["catalog:read", "migrations", "state", "plans", "approvals:read"],
  approver: ["plans:read", "approvals", "migrations:read", "state:read", "policies:read"],
  agent: [
    ...["plans", "approvals:read", "catalog:read", "memory:read", "memory:write"],
    ...["state:read", "state:write"],
  ],
  auditor: READS,
};

/** What a caller without a role may do on plain loopback. */
const TRYING_OUT = ACTIONS.filter(
  (action) => !BILLING.includes(groupOf(action)) && !OPERATION.includes(action),
);

/** The permitted actions of unauthenticated callers with identity headers. */
const HEADERS: readonly (readonly [
  who: string,
  headers: Readonly<Record<string, string>>,
  rights: readonly string[],
])[] = [
  ["nobody", {}, TRYING_OUT],
  ["an admin", { "x-user-role": "Admin" }, RIGHTS["admin"] ?? []],
  // A role that no policy knows counts as none on plain loopback (Decision §18).
  ["a person with another role", { "x-user-role": "user" }, TRYING_OUT],
  [
    "a person with another role and a permission",
    { "x-user-role": "viewer", "x-user-permissions": "manage:billing" },
    [
      ...TRYING_OUT,
      ...["usage:read", "usage:report", "usage:repair", "prices:read", "budgets", ...PAYMENTS],
    ],
  ],
  // The contract permits the role admin and the permission, and no other role (§5).
  [
    "billing",
    { "x-user-role": "billing" },
    ["usage:report", "usage:repair", "prices:read", "budgets"],
  ],
];

let app: App;
const keys = new Map<Action, { readonly own: string; readonly others: string }>();
/** The caller's name, credentials, and permitted actions. */
const callers: (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [];
beforeAll(async () => {
  app = await openApp({
    port: 0,
    log: recordingLog([]),
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataDir: directory,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
  });
  for (const action of ACTIONS) {
    const others = ACTIONS.filter((each) => each !== action);
    keys.set(action, { own: await newKey([action]), others: await newKey(others) });
  }
  for (const [role, rights] of Object.entries(RIGHTS)) {
    callers.push([role, { authorization: `Bearer ${await newKey([], [role])}` }, rights]);
  }
  callers.push(...HEADERS);
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function url(path: string): string {
  return `http://127.0.0.1:${String(app.address.port)}${path}`;
}

async function newKey(scopes: readonly string[], roles = ["admin", "operator"]): Promise<string> {
  const response = await createKey(scopes, roles);
  const { data } = (await response.json()) as { data: { api_key: string } };
  return data.api_key;
}

function createKey(scopes: readonly string[], roles = ["admin", "operator"]): Promise<Response> {
  return fetch(url("/api/keys"), {
    method: "POST",
    headers: { "x-org-id": ORG, "x-user-role": "operator", "content-type": "application/json" },
    body: JSON.stringify({ name: "k", roles, scopes }),
  });
}

describe("REST", () => {
  it("takes a key for the actions that its scopes cover, on every route, and for no other", async () => {
    for (const { operationId, method, path } of await operations()) {
      const answers = await asked(operationId, async (key) =>
        LIMITED.test(await ask(method, path, { authorization: `Bearer ${key}` })),
      );
      expect({ operationId, ...answers }).toEqual({ operationId, own: false, others: true });
    }
  }, 120_000);

  it("lets each role do what it may, on every route, and nothing else", async () => {
    for (const { operationId, method, path } of await operations()) {
      const may = async (who: Readonly<Record<string, string>>) =>
        (await ask(method, path, who)) === "";
      expect({ operationId, may: await whoMay(may) }).toEqual({
        operationId,
        may: expected(operationId),
      });
    }
  }, 120_000);

  it("gives no key a scope that does not exist", async () => {
    const response = await createKey(["plan"]);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("plan is not a scope (did you mean plans?)"),
    ]);
  });
});

describe("gRPC", () => {
  const methods = [ControlPlaneService, MemoryService, UsageService].flatMap((service) =>
    Object.values(service.method),
  );
  /** The name of the operation that a method does. */
  const operationOf = ({ name, parent }: (typeof methods)[number]): string =>
    OPERATIONS.find(({ grpc }) => grpc === `${parent.name}/${name}`)?.operation ?? name;

  it("takes a key for the actions that its scopes cover, on every method, and for no other", async () => {
    const client = new Client(url("").replace("http://", ""), credentials.createInsecure());
    for (const method of methods) {
      const answers = await asked(operationOf(method), async (key) =>
        LIMITED.test(await call(client, method, { authorization: `Bearer ${key}` })),
      );
      const { localName } = method;
      expect({ localName, ...answers }).toEqual({ localName, own: false, others: true });
    }
    client.close();
  }, 120_000);

  it("lets each role do what it may, on every method, and nothing else", async () => {
    const client = new Client(url("").replace("http://", ""), credentials.createInsecure());
    for (const method of methods) {
      const may = async (who: Readonly<Record<string, string>>) =>
        (await call(client, method, who)) === "";
      const { localName } = method;
      expect({ localName, may: await whoMay(may) }).toEqual({
        localName,
        may: expected(operationOf(method)),
      });
    }
    client.close();
  }, 120_000);
});

/**
 * All REST operations for authenticated callers. Those of a session need no right: they are about the caller's own.
 */
async function operations(): Promise<readonly Operation[]> {
  const { paths } = (await (await fetch(url("/openapi.json"))).json()) as Description;
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, security = [] }]) =>
      security.length === 0 || path.startsWith("/api/session")
        ? []
        : [{ operationId, method, path }],
    ),
  );
  expect(found.length).toBeGreaterThan(40);
  return found;
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/** The callers whose request is not denied. */
async function whoMay(
  may: (who: Readonly<Record<string, string>>) => Promise<boolean>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, who] of callers) if (await may(who)) found.push(name);
  return found;
}

/** The callers with a right to an operation, according to the tables above. */
function expected(operation: string): readonly string[] {
  const action = actionOf(operation);
  return callers
    .filter(([, , rights]) => rights.includes(action) || rights.includes(groupOf(action)))
    .map(([name]) => name);
}

/** Whether each of the two keys is refused because of its scopes. */
async function asked(
  operation: string,
  isLimited: (key: string) => Promise<boolean>,
): Promise<{ readonly own: boolean; readonly others: boolean }> {
  const { own = "", others = "" } = keys.get(actionOf(operation)) ?? {};
  return { own: await isLimited(own), others: await isLimited(others) };
}

/** @returns the reason for the denial; empty when the request is not denied. */
async function ask(
  method: string,
  path: string,
  who: Readonly<Record<string, string>>,
): Promise<string> {
  const ended = new AbortController();
  const response = await fetch(url(path.replaceAll(/\{\w+\}/g, "x")), {
    method: method.toUpperCase(),
    headers: { ...who, "content-type": "application/json" },
    ...(["get", "delete"].includes(method) ? {} : { body: "{}" }),
    signal: ended.signal,
  });
  if (response.status !== 403) {
    // A stream of events would not end.
    ended.abort();
    return "";
  }
  return ((await response.json()) as { error: string }).error;
}

/** @returns the reason for the denial; empty when the request is not denied. */
function call(
  client: Client,
  { name, parent, methodKind }: DescMethod,
  who: Readonly<Record<string, string>>,
): Promise<string> {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(who)) metadata.set(key, value);
  const path = `/${parent.typeName}/${name}`;
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null): void => {
      resolve(error?.code === status.PERMISSION_DENIED ? error.details : "");
    };
    if (methodKind === "unary") {
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, answer);
      return;
    }
    const stream = client.makeServerStreamRequest(path, same, same, Buffer.alloc(0), metadata);
    stream.on("error", answer);
    stream.on("data", () => stream.cancel());
    stream.on("end", () => {
      answer(null);
    });
  });
}

interface Description {
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; readonly security?: readonly object[] }>
  >;
}
