import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "./app.js";
import { recordingLog, type LoggedLine } from "../transport/testing/recording-log.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const admin = { "x-org-id": ORG, "x-user-role": "admin" };
const directory = mkdtempSync(join(tmpdir(), "steward-keys-"));
const lines: LoggedLine[] = [];

let app: App;
beforeAll(async () => {
  app = await openApp({
    port: 0,
    log: recordingLog(lines),
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    dataDir: directory,
    auth: { headers: { trustedProxies: [], proxySecrets: [] }, apiKey: true },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly error?: string;
}

async function ask(
  request: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`http://127.0.0.1:${String(app.address.port)}${path}`, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Answer, "status">) };
}

const bearer = (key: unknown) => ({ authorization: `Bearer ${String(key)}` });

describe("/api/keys", () => {
  it("creates a key that opens what its roles open, and shows its secret once", async () => {
    const created = await ask("POST /api/keys", admin, { name: "billing", roles: ["admin"] });
    expect(created).toMatchObject({
      status: 201,
      data: { name: "billing", environment: "live", roles: ["admin"], scopes: [] },
    });
    const { api_key: key, key_id: keyId } = created.data;
    const used = await ask("GET /billing/prices", bearer(key));
    expect(used).toMatchObject({ status: 200, data: [] });

    const list = await ask("GET /api/keys", bearer(key));
    expect(list.data["keys"]).toContainEqual(expect.objectContaining({ key_id: keyId }));
    const secret = String(key).split("_").at(-1) ?? "";
    expect(JSON.stringify([list, lines])).not.toContain(secret);
  });

  it("creates a key with a role that a policy of the organization names, and with no other", async () => {
    const contractor = { name: "k", roles: ["contractor"] };
    expect(await ask("POST /api/keys", admin, contractor)).toMatchObject({
      status: 400,
      error: expect.stringContaining("first put a policy that names the role") as string,
    });
    const text = `@id("c") forbid (principal in Steward::Role::"contractor", action, resource);`;
    expect((await ask("PUT /api/policies", admin, { text, version: 0 })).status).toBe(200);
    expect((await ask("POST /api/keys", admin, contractor)).status).toBe(201);
    const typo = await ask("POST /api/keys", admin, { name: "k", roles: ["admim"] });
    expect(typo).toMatchObject({
      status: 400,
      error: expect.stringContaining("did you mean admin?") as string,
    });
  });

  it("rotates a key: both secrets are good for the overlap, then only the new one", async () => {
    const { data: old } = await ask("POST /api/keys", admin, { name: "k", roles: ["agent"] });
    const path = `/api/keys/${String(old["key_id"])}/rotate`;
    const { data: next } = await ask(`POST ${path}`, admin, { overlap_seconds: 60 });
    expect(next).toMatchObject({ key_id: old["key_id"] });
    for (const { api_key } of [old, next]) {
      expect((await ask("GET /api/memory/stats", bearer(api_key))).status).toBe(200);
    }
    const { data: last } = await ask(`POST ${path}`, admin, {});
    await expect
      .poll(async () => (await ask("GET /api/memory/stats", bearer(next["api_key"]))).status)
      .toBe(401);
    expect((await ask("GET /api/memory/stats", bearer(last["api_key"]))).status).toBe(200);
  });

  it("revokes a key, which is refused from then on", async () => {
    const { data } = await ask("POST /api/keys", admin, { name: "k", roles: ["agent"] });
    const asked = () => ask("GET /api/memory/stats", bearer(data["api_key"]));
    expect((await asked()).status).toBe(200);
    const revoked = await ask(`DELETE /api/keys/${String(data["key_id"])}`, admin);
    expect(revoked.data).toEqual({ key_id: data["key_id"], revoked: true });
    await expect.poll(async () => (await asked()).error, { interval: 20 }).toContain("revoked");
  });

  it("is for admins of the organization, whose keys nobody else sees", async () => {
    const { data } = await ask("POST /api/keys", admin, { name: "k", roles: ["agent"] });
    const path = `/api/keys/${String(data["key_id"])}`;
    const stranger = { ...admin, "x-org-id": "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b12" };
    expect(await ask(`DELETE ${path}`, stranger)).toMatchObject({ status: 404 });
    expect((await ask("GET /api/keys", stranger)).data["keys"]).toEqual([]);
    expect((await ask("GET /api/keys", bearer(data["api_key"]))).status).toBe(403);
    const page = await ask("GET /api/keys?limit=1", admin);
    const cursor = String(page.data["next_cursor"]);
    const next = await ask(`GET /api/keys?limit=1&cursor=${cursor}`, admin);
    expect(next.data["keys"]).not.toEqual(page.data["keys"]);
    const operator = { name: "k", roles: ["operator"] };
    expect((await ask("POST /api/keys", admin, operator)).status).toBe(403);
  });
});
