import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import { runSteward, type Ended } from "../testing/steward-process.js";

describe("steward migrate-db", () => {
  let dir: string;
  let app: App;
  let shop: DatabaseSyncInstance;
  let schema: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-migrate-"));
    const path = join(dir, "shop.db");
    createSampleDatabase(path);
    shop = new DatabaseSync(path);
    const rows = shop.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
    schema = rows.map((row) => `${(row as { sql: string }).sql};\n`).join("");
    app = await openApp({
      port: 0,
      logLevel: "silent",
      dataDir: dir,
      databaseUrl: `sqlite:${join(dir, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${path}` }],
    });
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    shop.close();
    rmSync(dir, { recursive: true });
  });

  const steward = (...args: readonly string[]): Promise<Ended> =>
    runHere(["migrate-db", ...args], {
      env: { SERVICE_URL: `http://127.0.0.1:${String(app.address.port)}` },
    });
  const propose = async (sql: string, ...args: readonly string[]): Promise<Ended> => {
    const file = join(dir, "wanted.sql");
    writeFileSync(file, sql);
    return steward("propose", "shop", file, "-m", "customers have a language", ...args);
  };

  it("proposes, verifies, applies and reverts, as a person reads it and as a program does", async () => {
    const wanted = schema.replace(
      "created_at TEXT NOT NULL",
      "created_at TEXT NOT NULL, language TEXT NOT NULL DEFAULT 'en'",
    );
    const proposed = await propose(wanted);
    expect(proposed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("migrate-db apply"),
    });
    expect(proposed.stdout).toContain("+ Column customers.language");
    expect(proposed.stdout).toContain(
      `ALTER TABLE "customers" ADD COLUMN "language" TEXT NOT NULL DEFAULT 'en';`,
    );
    const id = proposed.stdout.slice(0, 36);

    const verified = await steward("verify", id);
    expect(verified.code).toBe(0);
    expect(verified.stdout.match(/equal/g)).toHaveLength(3);

    const applied = await steward("apply", id, "--json");
    expect(JSON.parse(applied.stdout)).toMatchObject({ migration_id: id, status: "applied" });
    expect(shop.prepare("SELECT DISTINCT language FROM customers").all()).toEqual([
      { language: "en" },
    ]);

    const refused = await steward("revert", id);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--accept-data-loss"),
    });
    expect((await steward("revert", id, "--accept-data-loss")).stdout).toContain("reverted");
    expect((await steward("list")).stdout).toContain("customers have a language");
    expect(JSON.parse((await steward("show", id, "--json")).stdout)).toMatchObject({
      status: "reverted",
      commits: [expect.stringMatching(/^bagu/), expect.stringMatching(/^bagu/)],
    });
  });

  it("takes a schema as files, folders and standard input, and says when nothing is to be done", async () => {
    const tables = join(dir, "wanted");
    mkdirSync(tables);
    const statements = schema.split(";\n").filter((sql) => sql.trim() !== "");
    for (const [index, sql] of statements.entries()) {
      writeFileSync(join(tables, `${String(100 + index)}.sql`), `${sql};\n`);
    }
    writeFileSync(join(tables, "notes.txt"), "no SQL");
    const message = ["-m", "as it is"];
    const unchanged = await steward("propose", "shop", tables, ...message);
    expect(unchanged).toMatchObject({
      code: 0,
      stdout: "shop already has this schema: there is nothing to change\n",
    });
    const [first = "", ...others] = statements;
    writeFileSync(join(dir, "others.sql"), others.join(";\n"));
    const piped = await runSteward(
      ["migrate-db", "propose", "shop", "-", join(dir, "others.sql"), ...message, "--json"],
      { env: { SERVICE_URL: `http://127.0.0.1:${String(app.address.port)}` }, input: first },
    );
    expect(JSON.parse(piped.stdout)).toMatchObject({ status: "unchanged", database: "shop" });
    expect((await steward("list", "--json")).stdout).not.toContain("as it is");
    writeFileSync(join(tables, "999.sql"), "\nINSERT INTO customers VALUES (1);");
    expect(await steward("propose", "shop", tables, ...message)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${join(tables, "999.sql")}, line 2: a schema is made of`),
    });
    expect(await steward("propose", "shop", "-", "-", ...message)).toMatchObject({ code: 2 });
    mkdirSync(join(dir, "empty"));
    expect(await steward("propose", "shop", join(dir, "empty"), ...message)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no file whose name ends with .sql"),
    });
  });

  it("dumps the present schema as SQL that asks for nothing when it is proposed", async () => {
    const dump = await steward("dump");
    expect(dump).toMatchObject({ code: 0, stderr: "" });
    expect(dump.stdout).toContain('CREATE TABLE "customers" (');
    const file = join(dir, "dump.sql");
    writeFileSync(file, dump.stdout);
    const proposed = await steward("propose", "shop", file, "-m", "nothing", "--json");
    expect(JSON.parse(proposed.stdout)).toMatchObject({ status: "unchanged" });
    const { sql, ...rest } = JSON.parse((await steward("dump", "shop", "--json")).stdout) as {
      readonly sql: string;
    };
    expect(`${sql}\n`).toBe(dump.stdout);
    expect(rest).toEqual({ database: "shop", dialect: "sqlite" });
    expect(await steward("dump", "none")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the data sources are: shop"),
    });
  });

  it("compares the schemas of two commits, coloured on a terminal, and as JSON", async () => {
    const log = await runHere(["state", "log", "schemas/shop", "--json"], {
      env: { SERVICE_URL: `http://127.0.0.1:${String(app.address.port)}` },
    });
    const [reverted, applied] = JSON.parse(log.stdout) as { readonly commit: string }[];
    const [from, to] = [reverted?.commit ?? "", applied?.commit ?? ""];
    const diff = await steward("diff", from, to);
    expect(diff).toMatchObject({ code: 0 });
    expect(diff.stdout).toContain("+ Column customers.language");
    expect(diff.stdout).toContain(`ADD COLUMN "language" TEXT NOT NULL DEFAULT 'en';`);
    const coloured = await runHere(["migrate-db", "diff", from, to], {
      env: { SERVICE_URL: `http://127.0.0.1:${String(app.address.port)}`, FORCE_COLOR: "1" },
    });
    expect(coloured.stdout).toContain("\u001b[32m+ Column customers.language");
    expect(JSON.parse((await steward("diff", to, from, "--json")).stdout)).toMatchObject({
      operations: [{ action: "drop", kind: "Column", path: "customers.language" }],
      findings: expect.arrayContaining([
        expect.objectContaining({ code: "destructive" }),
      ]) as object,
      down: [{ statements: [expect.stringContaining("ADD COLUMN")] }],
    });
    expect((await steward("diff", "schemas/shop", "schemas/shop")).stdout).toContain("the same");
    expect(await steward("diff", "schemas/shop", "migrations")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("holds no database schema"),
    });
    expect(await steward("diff", "schemas/shop", "none")).toMatchObject({
      stderr: expect.stringContaining('There is no branch, tag or commit "none"'),
    });
  });

  it("names drift, ends with 1, and refuses until it is accepted", async () => {
    expect(await steward("drift", "shop")).toMatchObject({ code: 0 });
    shop.exec("CREATE INDEX events_by_kind ON events (kind)");
    const drift = await steward("drift", "shop");
    expect(drift).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("+ Index events_by_kind"),
    });
    const refused = await propose(schema.replace("city TEXT NOT NULL", "city TEXT"));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("events_by_kind") });
    expect(await steward("drift", "shop", "--accept", "an index by hand")).toMatchObject({
      code: 0,
    });
    expect(await steward("drift", "shop", "--json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"differences":[]'),
    });
  });

  it("says what is wrong with SQL, files and ids", async () => {
    const broken = await propose("CREATE TABLE t (a INTEGER", "--json");
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("incomplete input");
    expect(await steward("propose", "shop", join(dir, "none.sql"), "-m", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a file of SQL"),
    });
    expect(await steward("apply", "none")).toMatchObject({ code: 1 });
    expect(await steward("verify", "none", "--role", "agent")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("manage:schema"),
    });
  });
});
