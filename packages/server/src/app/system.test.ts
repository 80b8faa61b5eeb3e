import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, StewardError } from "@steward/client";
import { afterAll, describe, expect, it } from "vitest";
import { ALL_SETTINGS, readConfig } from "../config/index.js";
import { openApp } from "./app.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const CANARY = "canary-5ecre7-d0-n0t-5h0w";
const URL_WITH_SECRETS = `postgres://app:${CANARY}@db.invalid/app?sslpassword=${CANARY}`;

/** A value with a secret for each setting that may hold one. */
const VALUES: Readonly<Record<string, string>> = {
  SERVICE_DATABASE_URL: URL_WITH_SECRETS,
  SERVICE_DATA_SOURCES: `shop=${URL_WITH_SECRETS},crm=postgres://x:a@b:${CANARY}@db.invalid/crm`,
  SERVICE_MIGRATION_URLS: `shop=${URL_WITH_SECRETS}`,
  SERVICE_AUDIT_EXPORT: `https://siem.invalid/${CANARY}?token=${CANARY},json+https://u:${CANARY}@log.invalid/`,
  SERVICE_AUDIT_EXPORT_HEADER: `Authorization: Bearer ${CANARY}`,
  SERVICE_PROXY_SECRET: `${CANARY},${CANARY}-before`,
  SERVICE_OPENID_CLIENT_SECRET: CANARY,
  SERVICE_EMBEDDING_API_KEY: CANARY,
  SERVICE_EMBEDDING_BASE_URL: `https://u:${CANARY}@model.invalid/v1`,
  PAYMENT_SECRET_KEY: CANARY,
};

const directory = mkdtempSync(join(tmpdir(), "steward-system-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** What an operator reads of a server that was started with these settings. */
async function statusWith(env: Readonly<Record<string, string>>) {
  const { settings } = await readConfig({ env });
  await using app = await openApp({
    ...{ port: 0, logLevel: "silent", dataDir: directory, settings },
    databaseUrl: `sqlite:${join(directory, "steward.db")}`,
  });
  const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  const operator = createClient({ baseUrl, orgId: ORG, role: "operator" });
  return { status: await operator.system.getSystemStatus(), baseUrl };
}

describe("the system's state", () => {
  it("has a canary for each setting that may hold a secret", () => {
    const secret = ALL_SETTINGS.filter(({ mask }) => mask !== undefined);
    expect(secret.map(({ name }) => name).toSorted()).toEqual(Object.keys(VALUES).toSorted());
  });

  it("shows each setting with its source, and no secret of the environment or of a file", async () => {
    const files = Object.entries(VALUES).map(([name, value]) => {
      const file = join(directory, name);
      writeFileSync(file, value);
      return [`${name}_FILE`, file] as const;
    });
    for (const [source, env] of [
      ["environment", VALUES],
      ["file", Object.fromEntries(files)],
    ] as const) {
      const { status } = await statusWith({ ...env, SERVICE_LOG_LEVEL: "warn" });
      const settings = new Map(status.settings?.map((each) => [each.name, each]));
      for (const name of Object.keys(VALUES)) {
        expect(settings.get(name)).toMatchObject({ source, value: expect.stringContaining("***") });
      }
      expect(settings.get("SERVICE_LOG_LEVEL")).toMatchObject({
        ...{ source: "environment", value: "warn", flag: "log-level" },
      });
      expect(settings.get("SERVICE_PORT")).toMatchObject({ source: "default", value: "8080" });
      expect(settings.get("SERVICE_GRPC_PORT")).toMatchObject({ source: "unset" });
      expect(JSON.stringify(status)).not.toContain(CANARY);
    }
  });

  it("shows health, versions, the node and the queues", async () => {
    const { status } = await statusWith({});
    expect(status).toMatchObject({
      health: { ready: true },
      versions: { node: process.versions.node, database: expect.stringMatching(/^SQLite 3/) },
      nodes: [{ is_answering: true, has_lease: true, steps_running: 0 }],
      queues: { plans_unfinished: 0, webhooks_dead: 0 },
      exports: [],
    });
  });

  it("is for operators, and each reading leaves a record in the audit log", async () => {
    await using app = await openApp({
      ...{ port: 0, logLevel: "silent", dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "steward.db")}`,
    });
    const baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
    for (const role of ["admin", "auditor", "agent"]) {
      const asked = createClient({ baseUrl, orgId: ORG, role }).system.getSystemStatus();
      await expect(asked).rejects.toThrow(StewardError);
      await expect(asked).rejects.toMatchObject({ code: "POLICY_DENIED" });
    }
    const operator = createClient({ baseUrl, orgId: ORG, role: "operator" });
    const before = (await operator.audit.listAuditRecords({ kind: "system.read" })).records.length;
    expect((await operator.system.getSystemStatus()).settings).toBeUndefined();
    await expect
      .poll(
        async () => (await operator.audit.listAuditRecords({ kind: "system.read" })).records.length,
      )
      .toBe(before + 1);
  });
});
