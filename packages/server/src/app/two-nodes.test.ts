import type { TestDatabase } from "@steward/test-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { auditKeyFile } from "./testing/audit-key-file.js";
import { silentLog } from "@steward/kernel/log.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const admin = { "x-org-id": ORG, "x-user-role": "admin", "x-user-id": "ada" };
const directory = mkdtempSync(join(tmpdir(), "steward-two-nodes-"));
/**
 * The other node must see the change within a second (decision 0016); a busy machine may need
 * longer.
 */

let database: TestDatabase;
let nodes: readonly App[];
beforeAll(async () => {
  database = await storeDatabase();
  const keyFile = auditKeyFile(directory);
  nodes = await Promise.all(
    ["a", "b"].map((name) =>
      openApp({
        port: 0,
        log: silentLog,
        databaseUrl: database.url,
        dataDir: join(directory, name),
        audit: { name: "steward/audit", witnesses: [], exports: [], keyFile },
        auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
      }),
    ),
  );
});
afterAll(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

it("a node with another audit key refuses to start, and says how to share the key", async () => {
  const other = openApp({
    ...{ port: 0, log: silentLog, databaseUrl: database.url },
    dataDir: join(directory, "c"),
  });
  await expect(other).rejects.toThrow(/same key: copy the file audit\.key.*SERVICE_AUDIT_KEY_FILE/);
});

describe("what one node is told", () => {
  it("about a key counts on the other: it opens, and is closed when it is revoked", async () => {
    const { data } = await ask(0, "POST /api/keys", admin, { name: "k", roles: ["agent"] });
    const bearer = { authorization: `Bearer ${String(data["api_key"])}` };
    const onTheOther = async (): Promise<number> =>
      (await ask(1, "GET /api/memory/stats", bearer)).status;
    expect(await onTheOther()).toBe(200);
    await ask(0, `DELETE /api/keys/${String(data["key_id"])}`, admin);
    await expect.poll(onTheOther).toBe(401);
  });

  it("about policies counts on the other", async () => {
    const agent = { "x-org-id": ORG, "x-user-role": "agent" };
    const search = async (): Promise<number> =>
      (await ask(1, "POST /api/memory/search", agent, { query: "orders" })).status;
    expect(await search()).toBe(200);
    const text = `@id("no-memory") forbid (principal in Steward::Role::"agent",
      action == Steward::Action::"memory:read", resource);`;
    expect((await ask(0, "PUT /api/policies", admin, { text, version: 0 })).status).toBe(200);
    await expect.poll(search).toBe(403);
    expect((await ask(0, "PUT /api/policies", admin, { text: "", version: 1 })).status).toBe(200);
    await expect.poll(search).toBe(200);
  });
});

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
}

async function ask(
  node: number,
  request: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ");
  const port = String(nodes[node]?.address.port);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, ...(JSON.parse(text || "{}") as Omit<Answer, "status">) };
}
