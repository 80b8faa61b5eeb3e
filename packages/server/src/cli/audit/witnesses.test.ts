import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WitnessServer } from "../../adapters/testing/witness-server.js";
import { openApp, type App } from "../../app/app.js";
import { parseVerifierKey } from "../../audit/index.js";
import { auditVerifierKey } from "../../app/rooms/audit.js";
import { runHere } from "../testing/run-here.js";

/** A server that asks two witnesses, of which one knows its log. */
describe("steward audit with witnesses", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-witnessed-"));
  const exported = join(directory, "export");
  const audit = { name: "steward.example.com/audit" };
  let app: App;
  let baseUrl = "";
  let key = "";
  let one: WitnessServer;
  let two: WitnessServer;
  beforeAll(async () => {
    key = auditVerifierKey({ audit: { ...audit, witnesses: [], exports: [] }, dataDir: directory });
    one = await WitnessServer.start("witness.example.com/one");
    two = await WitnessServer.start("witness.example.com/two");
    one.log = parseVerifierKey(key);
    app = await openApp({
      ...{ port: 0, logLevel: "silent", dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "store.db")}`,
      audit: {
        ...audit,
        witnesses: [one, two].map((each) => ({ key: each.key, url: each.url })),
        exports: [],
      },
    });
    baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const steward = (...args: readonly string[]) =>
    runHere(["audit", ...args], { env: { SERVICE_URL: baseUrl, SERVICE_DATA_DIR: directory } });

  it("serves what a witness has cosigned, and names which have not", async () => {
    const client = createClient({ baseUrl, role: "auditor" });
    const covered = async () =>
      (await client.audit.listAuditWitnesses()).map(({ size = 0 }) => size > 0);
    await expect.poll(covered).toEqual([true, false]);
    const [witness] = await client.audit.listAuditWitnesses();
    expect(witness).toMatchObject({
      name: "witness.example.com/one",
      verifier_key: one.keyText,
      size: one.latest?.size,
      cosigned_at: expect.stringMatching(/^20/) as string,
    });
    // It is served with the checkpoint itself as long as that is the newest one.
    expect(await client.audit.checkpoint()).toBe(witness?.checkpoint);
  }, 60_000);

  it("exports it, and verifies it offline with a quorum", async () => {
    expect(await steward("export", exported)).toMatchObject({ code: 0 });
    expect(readdirSync(join(exported, "witnessed"))).toEqual([one.key.keyId]);
    const witness = (each: WitnessServer) => ["--witness", each.keyText];
    const verify = ["verify", exported, "--key", key];
    const alone = await steward(...verify, ...witness(one));
    expect(alone).toMatchObject({ code: 0 });
    expect(alone.stdout).toMatch(/witness\.example\.com\/one has cosigned the first \d+, at 20/);
    const both = await steward(...verify, ...witness(one), ...witness(two));
    expect(both.code).toBe(1);
    expect(both.stderr).toContain("no cosignature of witness.example.com/two");
    const json = await steward(
      ...verify,
      ...witness(one),
      ...witness(two),
      "--quorum",
      "1",
      "--json",
    );
    expect(JSON.parse(json.stdout)).toMatchObject({
      isIntact: true,
      witnesses: [{ name: "witness.example.com/one" }],
    });
    const tooMany = await steward(...verify, ...witness(one), "--quorum", "2");
    expect(tooMany).toMatchObject({ code: 2 });
    expect(await steward(...verify, "--witness", key)).toMatchObject({ code: 2 });
  });

  it("does not take a log for witnessed whose cosignatures were removed", async () => {
    rmSync(join(exported, "witnessed", one.key.keyId));
    const path = join(exported, "checkpoint");
    const checkpoint = readFileSync(path, "utf8");
    writeFileSync(path, checkpoint.replace(/— witness.*\n/g, ""));
    expect(await steward("verify", exported, "--key", key, "--witness", one.keyText)).toMatchObject(
      { code: 1, stderr: expect.stringContaining("only 0 of the 1") as string },
    );
  });
});
