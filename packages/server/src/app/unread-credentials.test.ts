/**
 * Sends credentials that no mode reads to a server in the mode headers: over every operation of REST,
 * every method of gRPC, and MCP. Each request must be refused, because without the credential it would
 * have the rights of loopback.
 */
import { Client, credentials, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { ControlPlaneService, MemoryService, UsageService } from "@steward/protocol/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, openApp } from "./app.js";

type Headers = Readonly<Record<string, string>>;

const UNREAD: readonly Headers[] = [
  { authorization: "Bearer nonsense" },
  { authorization: `Bearer stw_live_${"0".repeat(24)}_${"0".repeat(64)}` },
  { authorization: "Basic cm9vdDpyb290" },
  { authorization: "Bearer nonsense", "x-user-role": "admin" },
  { "x-proxy-secret": "a-secret-of-some-length" },
];

let app: App;
beforeAll(async () => {
  app = await openApp({ port: 0, logLevel: "silent" });
});
afterAll(() => app[Symbol.asyncDispose]());

const url = (path: string): string => `http://127.0.0.1:${String(app.address.port)}${path}`;

describe("a credential that no mode reads", () => {
  it("is refused by every operation of REST", async () => {
    const { paths } = (await (await fetch(url("/openapi.json"))).json()) as Description;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security = [] }]) =>
        // The operations of a session answer callers without an identity too.
        security.length === 0 || path.startsWith("/api/session") ? [] : [{ method, path }],
      ),
    );
    expect(operations.length).toBeGreaterThan(40);
    for (const { method, path } of operations) {
      const answers = await Promise.all(UNREAD.map((headers) => ask(method, path, headers)));
      expect({ path, answers }).toEqual({ path, answers: UNREAD.map(() => 401) });
    }
  }, 120_000);

  it("is refused over MCP", async () => {
    for (const headers of UNREAD) expect(await ask("post", "/mcp", headers)).toBe(401);
  });

  it("is refused by every method of gRPC", async () => {
    const client = new Client(url("").replace("http://", ""), credentials.createInsecure());
    const methods = [ControlPlaneService, MemoryService, UsageService].flatMap((service) =>
      Object.values(service.method),
    );
    for (const { name, parent, methodKind } of methods) {
      for (const headers of UNREAD) {
        const path = `/${parent.typeName}/${name}`;
        const answer = await call(client, path, methodKind === "unary", headers);
        expect({ path, headers, code: answer }).toEqual({
          ...{ path, headers, code: status.UNAUTHENTICATED },
        });
      }
    }
    client.close();
  }, 120_000);
});

async function ask(method: string, path: string, headers: Headers): Promise<number> {
  const response = await fetch(url(path.replaceAll(/\{\w+\}/g, "x")), {
    method: method.toUpperCase(),
    headers: { ...headers, "content-type": "application/json" },
    ...(["get", "delete"].includes(method) ? {} : { body: "{}" }),
  });
  await response.body?.cancel();
  return response.status;
}

/** @returns the status of the refusal; undefined for an answer. */
function call(
  client: Client,
  path: string,
  isUnary: boolean,
  headers: Headers,
): Promise<number | undefined> {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const refused = (error: ServiceError | null): void => {
      resolve(error?.code);
    };
    if (isUnary) {
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, refused);
      return;
    }
    const stream = client.makeServerStreamRequest(path, same, same, Buffer.alloc(0), metadata);
    stream.on("error", refused);
    stream.on("data", () => stream.cancel());
    stream.on("end", () => {
      resolve(undefined);
    });
  });
}

interface Description {
  readonly paths: Record<string, Record<string, { readonly security?: readonly object[] }>>;
}
