import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { credentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  adaClient,
  agentClient,
  clientAuthority,
  impostorClient,
  nobodyClient,
  type TestClient,
} from "@steward/kernel/testing/client-certificates.js";
import { openApp, type App } from "./app.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { recordingLog, type LoggedLine } from "../transport/testing/recording-log.js";
import { testTlsIdentity } from "../transport/testing/tls-identity.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OTHER_ORG = "0b2f9a51-1f64-4a3c-8a57-6f1f6f7f0b22";
const SPOOFED = { "x-org-id": OTHER_ORG, "x-user-role": "operator" };
const directory = mkdtempSync(join(tmpdir(), "steward-mtls-"));
const lines: LoggedLine[] = [];

let app: App;
beforeAll(async () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  app = await openApp({
    port: 0,
    log: recordingLog(lines),
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataDir: directory,
    organization: ORG,
    dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
    tls: {
      certFile: file("cert.pem", String(testTlsIdentity.cert)),
      keyFile: file("key.pem", String(testTlsIdentity.key)),
      clientCaFile: file("clients.pem", clientAuthority.cert),
    },
    auth: {
      mtls: {
        clientsFile: file(
          "clients.yaml",
          `clients:
            - { uri: "spiffe://example.com/invoice-agent", org: ${ORG}, agent: invoice-agent, roles: [agent] }
            - { email: ada@example.com, org: ${ORG}, user: ada, roles: [admin] }`,
        ),
      },
      apiKey: true,
    },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly body: { readonly code?: string; readonly error?: string; readonly data?: unknown };
}

/** A request and its headers. */
interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const trusted = (client: Partial<TestClient>) => ({ ...client, ca: testTlsIdentity.cert });

/** Sends a request over HTTP/1.1. */
function ask(client: Partial<TestClient>, asked: Ask): Promise<Answer> {
  const { method = "GET", path, headers = {}, body } = asked;
  const text = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      `https://localhost:${String(app.address.port)}${path}`,
      { ...trusted(client), method, agent: false, headers: { ...headers, ...text } },
      (response) => {
        json(response).then((content) => {
          resolve({ status: response.statusCode, body: content as Answer["body"] });
        }, reject);
      },
    );
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The status of a request over HTTP/2. */
async function statusOverHttp2(client: Partial<TestClient>, path: string): Promise<unknown> {
  const session = connectHttp2(`https://localhost:${String(app.address.port)}`, trusted(client));
  try {
    const stream = session.request({ ":path": path });
    return await new Promise((resolve, reject) => {
      session.once("error", reject);
      stream.once("error", reject);
      stream.once("close", () => {
        reject(new Error("the stream was closed without an answer"));
      });
      stream.once("response", (headers) => {
        resolve(headers[":status"]);
      });
      stream.resume();
    });
  } finally {
    session.close();
  }
}

function grpcClient({ cert, key }: TestClient): BareClient {
  const pem = (text: string | Buffer) => Buffer.from(text);
  return new BareClient(
    app.address.port,
    credentials.createSsl(pem(testTlsIdentity.cert), pem(key), pem(cert)),
  );
}

describe("a client certificate", () => {
  it("says who calls, over HTTP/1.1, HTTP/2 and gRPC, whatever the identity headers say", async () => {
    const plan = {
      name: "mine",
      steps: [{ id: "a", query_template: "SELECT 1" }],
    };
    const submitted = await ask(agentClient, {
      ...{ method: "POST", path: "/api/plans" },
      ...{ headers: SPOOFED, body: plan },
    });
    expect(submitted.body).toMatchObject({ data: { plan_id: expect.any(String) as string } });
    const listed = await ask(adaClient, { path: "/api/plans", headers: SPOOFED });
    expect(JSON.stringify(listed)).toContain('"mine"');
    expect(await statusOverHttp2(agentClient, "/api/plans")).toBe(200);
    const client = grpcClient(agentClient);
    expect(JSON.stringify(await client.call("ListPlans", {}, { metadata: SPOOFED }))).toContain(
      '"mine"',
    );
    client.close();
  });

  it("has the roles of its client and no others", async () => {
    const prices = "/billing/prices";
    expect(await ask(adaClient, { path: prices })).toMatchObject({ status: 200 });
    expect(await ask(agentClient, { path: prices, headers: SPOOFED })).toMatchObject({
      ...{ status: 403, body: { code: "POLICY_DENIED" } },
    });
  });

  it("that belongs to nobody known is 401 and logged, and so is none", async () => {
    expect(await ask(nobodyClient, { path: "/api/plans" })).toMatchObject({
      status: 401,
      body: {
        error: expect.stringMatching(
          /is not listed in the file of known clients.*CN=nobody/,
        ) as string,
      },
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "warn", event: "authentication failed" }),
    );
    expect(await ask({}, { path: "/api/plans", headers: SPOOFED })).toMatchObject({
      status: 401,
      body: {
        error: expect.stringMatching(/send an API key .* or a client certificate/) as string,
      },
    });
    const client = grpcClient(nobodyClient);
    await expect(client.call("ListPlans", {})).rejects.toMatchObject({
      details: expect.stringContaining("is not listed in the file of known clients") as string,
    });
    client.close();
  });

  it("that no trusted authority signed ends its connection, and is logged", async () => {
    await expect(ask(impostorClient, { path: "/api/plans" })).rejects.toThrow();
    await expect(statusOverHttp2(impostorClient, "/api/plans")).rejects.toThrow();
    const refused = lines.filter(({ event }) => event === "client certificate refused");
    expect(refused.map(({ level }) => level)).toEqual(["warn", "warn"]);
  });

  it("gives way to an API key that the request shows", async () => {
    const made = await ask(adaClient, {
      ...{ method: "POST", path: "/api/keys", body: { name: "k", roles: [], scopes: ["plans"] } },
    });
    const { api_key: key } = made.body.data as { readonly api_key: string };
    const authorization = `Bearer ${key}`;
    const asked = { path: "/billing/prices", headers: { authorization } };
    expect(await ask(adaClient, asked)).toMatchObject({ status: 403 });
  });

  it("is not needed where anybody may ask", async () => {
    expect(await ask({}, { path: "/healthz" })).toMatchObject({ status: 200 });
  });
});
