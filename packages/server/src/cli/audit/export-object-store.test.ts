import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import { ObjectStore } from "./testing/object-store.js";

describe("steward audit export s3://…", () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-audit-s3-"));
  let app: App;
  let store: ObjectStore;
  let baseUrl = "";
  beforeAll(async () => {
    const databaseUrl = `sqlite:${join(directory, "store.db")}`;
    const shop = join(directory, "shop.db");
    writeFileSync(shop, "");
    app = await openApp({
      ...{ port: 0, logLevel: "silent", databaseUrl, dataDir: directory },
      dataSources: [{ name: "shop", url: `sqlite:${shop}` }],
    });
    baseUrl = `http://127.0.0.1:${String(app.address.port)}`;
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });
  beforeEach(async () => {
    store = await ObjectStore.open();
  });
  afterEach(() => store[Symbol.asyncDispose]());

  const exported = (target: string, env: Readonly<Record<string, string>> = store.env) => {
    const around = { SERVICE_URL: baseUrl, SERVICE_DATA_DIR: directory };
    return runHere(["audit", "export", target], { env: { ...around, ...env } });
  };
  const submitPlan = () => {
    const steps = [{ id: "a", name: "a", tool_name: "sql", query_template: "SELECT 1" }];
    return createClient({ baseUrl, userId: "ada" }).plans.submit({ name: "p", steps });
  };

  it("writes files that verify, with the checkpoint last, and continues with new files only", async () => {
    await submitPlan();
    expect(await exported("s3://proofs/of steward")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ records in s3:\/\/proofs\/of steward/) as string,
    });
    expect(store.written.at(-1)).toBe("proofs/of steward/checkpoint");
    const before = store.written.length;
    await submitPlan();
    expect(await exported("s3://proofs/of steward")).toMatchObject({ code: 0 });
    const again = store.written.slice(before).filter((path) => !path.endsWith("/checkpoint"));
    expect(again).not.toEqual([]);
    expect(store.written.slice(0, before)).not.toEqual(expect.arrayContaining(again));
    const env = { SERVICE_URL: baseUrl, SERVICE_DATA_DIR: directory };
    const key = (await runHere(["audit", "key"], { env })).stdout.trim();
    const verify = ["audit", "verify", "s3://proofs/of steward", "--key", key];
    expect(await runHere(verify, { env: store.env })).toMatchObject({ code: 0, stderr: "" });
    const [tile = ""] = store.written.filter((path) => path.includes("/entries/")).slice(-1);
    const changed = Buffer.from(store.objects.get(tile) ?? "");
    changed.write("PlanCompleted", changed.indexOf("PlanCreated"));
    store.objects.set(tile, changed);
    expect(await runHere(verify, { env: store.env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: Record \d+ differs/) as string,
    });
  });

  it("tells that there is no export", async () => {
    const key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    for (const place of ["s3://proofs", join(directory, "none"), join(directory, "shop.db")]) {
      const args = ["audit", "verify", place, "--key", key];
      expect(await runHere(args, { env: store.env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("There is no export here") as string,
      });
    }
  });

  it("refuses to continue an export of another log", async () => {
    await exported("s3://proofs");
    const path = "proofs/checkpoint";
    const note = store.objects.get(path)?.toString("utf8") ?? "";
    const [origin = "", , , ...rest] = note.split("\n");
    const other = [origin, "1", Buffer.alloc(32).toString("base64"), ...rest].join("\n");
    store.objects.set(path, Buffer.from(other));
    expect(await exported("s3://proofs")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("does not begin with the 1 records") as string,
    });
    expect(store.objects.get(path)?.toString("utf8")).toBe(other);
  });

  it("repeats a request that a busy store refuses", async () => {
    store.failures.push(503, 500);
    expect(await exported("s3://proofs")).toMatchObject({ code: 0 });
  });

  it("tells what the store refuses, and never the secret", async () => {
    const env = { ...store.env, AWS_SECRET_ACCESS_KEY: "wrong-secret" };
    const { code, stderr } = await exported("s3://proofs", env);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The object store refused reading s3://proofs/checkpoint: SignatureDoesNotMatch (403)",
    );
    expect(stderr).toContain("s3:ListBucket");
    expect(stderr).not.toContain("wrong-secret");
  });

  it("tells that no store answers", async () => {
    const { env } = store;
    await store[Symbol.asyncDispose]();
    expect(await exported("s3://proofs", env)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("cannot be reached: ECONNREFUSED") as string,
    });
  });

  it.each([
    ["s3://", {}, "write it as s3://BUCKET"],
    ["s3://proofs/../other", {}, "write it as s3://BUCKET"],
    ["s3://proofs", { AWS_ACCESS_KEY_ID: "" }, "set AWS_ACCESS_KEY_ID"],
    ["s3://proofs", { AWS_ENDPOINT_URL_S3: "ftp://somewhere" }, "https://storage.example.com"],
    ["s3://proofs", { AWS_ENDPOINT_URL_S3: "http://a:b@127.0.0.1" }, "without a name or password"],
  ])("refuses %s with %o before it asks the server", async (target, variables, fix) => {
    expect(await exported(target, { ...store.env, ...variables })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(fix) as string,
    });
    expect(store.written).toEqual([]);
  });

  it("writes OCSF events to files only", async () => {
    const args = ["audit", "export", "s3://proofs", "--format", "ocsf"];
    const env = { SERVICE_URL: baseUrl, ...store.env };
    expect(await runHere(args, { env })).toMatchObject({ code: 2 });
  });
});
