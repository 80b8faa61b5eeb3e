import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import { runSteward, type Ended } from "../testing/steward-process.js";

/** A server for these tests, with hashed words as vectors. */
describe("steward memory", () => {
  let dir: string;
  let app: App | undefined;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-memory-"));
    app = await openServer(64);
  });
  afterEach(async () => {
    await app?.[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const databaseUrl = (): string => `sqlite:${join(dir, "store.db")}`;
  const openServer = (dimension: number): Promise<App> =>
    openApp({
      port: 0,
      logLevel: "silent",
      databaseUrl: databaseUrl(),
      embedding: { provider: "hash", dimension },
    });
  const steward = (...args: readonly string[]): Promise<Ended> =>
    runHere(["memory", ...args], {
      env: { SERVICE_URL: `http://127.0.0.1:${String(app?.address.port)}` },
    });
  const reembed = (...args: readonly string[]): Promise<Ended> =>
    runSteward(["memory", "reembed", ...args], {
      cwd: dir,
      env: {
        SERVICE_DATABASE_URL: databaseUrl(),
        SERVICE_EMBEDDING_PROVIDER: "hash",
        SERVICE_EMBEDDING_DIMENSION: "32",
      },
    });

  it("adds, finds, lists and deletes", async () => {
    const note = (await steward("add", "invoices are paid on Fridays")).stdout.trim();
    const json = (await steward("add", '{"hours":"9 to 5"}', "--session", "s1")).stdout.trim();
    const found = await steward("search", "invoices");
    expect(found.code).toBe(0);
    expect(found.stdout.split("\n")[1]).toContain(note);
    expect(found.stdout).toContain("  invoices are paid on Fridays");
    const narrowed = await steward("search", "x", "--session", "s1", "--top", "5", "--json");
    expect(JSON.parse(narrowed.stdout)).toMatchObject([{ entry_id: json }]);
    const listed = await steward("list", "--session", "notes", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ entries: [{ entry_id: note }] });
    expect((await steward("list")).stdout).toContain(json);
    expect((await steward("delete", note)).stdout).toBe("1 deleted\n");
    expect((await steward("delete", "--session", "s1")).stdout).toBe("1 deleted\n");
    expect((await steward("list")).stderr).toContain("no entries");
    expect(JSON.parse((await steward("stats", "--json")).stdout)).toMatchObject({ entries: 0 });
  });

  it("says how long entries are kept", async () => {
    expect((await steward("retention")).stdout).toBe("365 days\n");
    expect((await steward("retention", "30")).stdout).toBe("30 days\n");
    expect((await steward("retention", "--json")).stdout).toBe('{"days":30}\n');
    expect((await steward("retention", "default")).stdout).toBe("365 days\n");
  });

  it.each([
    [["delete"], "Name what to delete"],
    [["search", "x", "--top", "many"], "--top many is not a number"],
    [["list", "--limit", "0"], "--limit 0 is not a number of entries"],
    [["retention", "a while"], "a while is not a number of days"],
    [["retention", "40000"], "give whole days from 1 to 36525, or default"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await steward(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain("fix:");
  });

  it("changes a store to another model once its server is stopped", async () => {
    await steward("add", "invoices are paid on Fridays");
    const early = await reembed();
    expect(early.code).toBe(1);
    expect(early.stderr).toContain("stop the server of this store");
    await app?.[Symbol.asyncDispose]();
    app = undefined;
    const done = await reembed("--json");
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toEqual({ done: 1, total: 1, model: "hash@32" });
    app = await openServer(32);
    expect((await steward("search", "invoices")).stdout).toContain("Fridays");
  });

  it("does not make a store to re-embed", async () => {
    const elsewhere = ["--embedding-base-url", "https://embed.example.com"];
    const openai = ["--embedding-provider", "openai", "--embedding-model", "m", ...elsewhere];
    const { code, stderr } = await reembed("--database-url", "sqlite:gone.db", ...openai);
    expect(code).toBe(2);
    // The texts of memory would leave this machine.
    expect(stderr).toContain("are sent to embed.example.com");
    expect(stderr).toContain("gone.db does not exist");
  });
});
