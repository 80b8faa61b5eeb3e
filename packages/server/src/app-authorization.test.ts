import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, credentials, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { ControlPlaneService, MemoryService, UsageService } from "@steward/protocol/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { type Action, ACTIONS } from "./identity/index.js";
import { actionOf } from "./transport/operations.js";
import { recordingLog } from "./transport/testing/recording-log.js";

/**
 * Every operation of every wire is tried with two API keys of an operator who is an admin too: one that is limited to the operation's own action,
 * and one that is limited to all the others.
 */
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const directory = mkdtempSync(join(tmpdir(), "steward-authorization-"));
const LIMITED = /^The API key is limited to /;

let app: App;
const keys = new Map<Action, { readonly own: string; readonly others: string }>();
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
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function url(path: string): string {
  return `http://127.0.0.1:${String(app.address.port)}${path}`;
}

async function newKey(scopes: readonly string[]): Promise<string> {
  const response = await createKey(scopes);
  const { data } = (await response.json()) as { data: { api_key: string } };
  return data.api_key;
}

function createKey(scopes: readonly string[]): Promise<Response> {
  return fetch(url("/api/keys"), {
    method: "POST",
    headers: { "x-org-id": ORG, "x-user-role": "operator", "content-type": "application/json" },
    body: JSON.stringify({ name: "k", roles: ["admin", "operator"], scopes }),
  });
}

describe("REST", () => {
  it("takes a key for the actions that its scopes cover, on every route, and for no other", async () => {
    const { paths } = (await (await fetch(url("/openapi.json"))).json()) as Description;
    const found: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, security = [] }] of Object.entries(methods)) {
        if (security.length === 0) continue;
        const answers = await asked(operationId, (key) => ask(method, path, key));
        found.push(operationId);
        expect({ operationId, ...answers }).toEqual({ operationId, own: false, others: true });
      }
    }
    expect(found.length).toBeGreaterThan(40);
  }, 120_000);

  it("gives no key a scope that does not exist", async () => {
    const response = await createKey(["plan"]);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("plan is no scope (did you mean plans?)"),
    ]);
  });
});

describe("gRPC", () => {
  it("takes a key for the actions that its scopes cover, on every method, and for no other", async () => {
    const client = new Client(url("").replace("http://", ""), credentials.createInsecure());
    const methods = [ControlPlaneService, MemoryService, UsageService].flatMap((service) =>
      Object.values(service.method),
    );
    for (const { localName, name, parent, methodKind } of methods) {
      const path = `/${parent.typeName}/${name}`;
      const answers = await asked(localName, (key) => call(client, path, key, methodKind));
      expect({ localName, ...answers }).toEqual({ localName, own: false, others: true });
    }
    client.close();
  }, 120_000);
});

/** Whether each of the two keys of an operation's action is refused for its scopes. */
async function asked(
  operation: string,
  isLimited: (key: string) => Promise<boolean>,
): Promise<{ readonly own: boolean; readonly others: boolean }> {
  const { own = "", others = "" } = keys.get(actionOf(operation)) ?? {};
  return { own: await isLimited(own), others: await isLimited(others) };
}

async function ask(method: string, path: string, key: string): Promise<boolean> {
  const ended = new AbortController();
  const response = await fetch(url(path.replaceAll(/\{\w+\}/g, "x")), {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(["get", "delete"].includes(method) ? {} : { body: "{}" }),
    signal: ended.signal,
  });
  if (response.status !== 403) {
    // A stream of events would go on.
    ended.abort();
    return false;
  }
  return LIMITED.test(((await response.json()) as { error: string }).error);
}

function call(client: Client, path: string, key: string, kind: string): Promise<boolean> {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${key}`);
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null): void => {
      resolve(error?.code === status.PERMISSION_DENIED && LIMITED.test(error.details));
    };
    if (kind === "unary") {
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
