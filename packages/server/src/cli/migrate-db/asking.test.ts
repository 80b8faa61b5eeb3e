import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient } from "@steward/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../../app/app.js";
import { runHere } from "../testing/run-here.js";
import type { Ended } from "../testing/steward-process.js";
import { phaseLines } from "./phase-lines.js";

const BASE = "CREATE TABLE t (a INTEGER)";

describe("steward migrate-db apply on a terminal", () => {
  let dir: string;
  let app: App;
  let id: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "steward-asking-"));
    using db = new DatabaseSync(join(dir, "shop.db"));
    db.exec(BASE);
    app = await openApp({
      port: 0,
      logLevel: "silent",
      dataDir: dir,
      databaseUrl: `sqlite:${join(dir, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
    });
    const { migrations } = createClient({ baseUrl: url(), role: "admin" });
    const sql = "CREATE TABLE t (a INTEGER NOT NULL); CREATE INDEX i ON t (a)";
    const outcome = await migrations.proposeMigration({
      database: "shop",
      sql,
      message: "a change",
    });
    if (outcome.status === "unchanged") throw new Error("nothing is to be done");
    id = outcome.migration_id;
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  const url = (): string => `http://127.0.0.1:${String(app.address.port)}`;
  const steward = (args: readonly string[], answer?: string): Promise<Ended> =>
    runHere(["migrate-db", ...args], {
      env: { SERVICE_URL: url() },
      ...(answer === undefined ? {} : { answer }),
    });

  it("shows what will happen, asks, and changes nothing without a yes", async () => {
    for (const answer of ["n\n", "\n", "yesterday\n", ""]) {
      const refused = await steward(["apply", id], answer);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain("apply it? [y/N] nothing was changed");
      expect(refused.stderr).toContain("! data-dependent  t.a: rows with NULL stop the migration");
      expect(refused.stderr).toMatch(
        /in one transaction:\n {2}CREATE TABLE (.*\n)* {2}locks until its end: RESERVED on t: reads continue, writes to the whole file wait, while every row is rewritten\napply/,
      );
    }
    expect((await steward(["show", id, "--json"])).stdout).toContain('"status":"proposed"');
  });

  it("asks nobody who cannot answer, or says --yes or --json beforehand", async () => {
    expect((await steward(["apply", id])).stdout).toContain("applied");
    expect((await steward(["apply", id], "never read\n")).stderr).toBe("");
    const asked = await steward(["revert", id], "Y\n");
    expect(asked.stderr).toContain("revert it? [y/N] ");
    expect(asked.stdout).toContain("reverted");
    expect(await steward(["apply", id, "--yes"], "")).toMatchObject({ code: 0, stderr: "" });
    expect(await steward(["revert", id, "--json"], "")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("the statements of a migration", () => {
  it("stand in their transactions, with what they lock", () => {
    const lock = { table: "public.orders", holds_while: "instant" } as const;
    expect(
      phaseLines([
        {
          atomic: true,
          statements: ["ALTER TABLE a", "ALTER TABLE b"],
          locks: [
            { ...lock, statement: 0, mode: "SHARE", effect: "reads continue, writes wait" },
            { ...lock, statement: 1, mode: "ACCESS EXCLUSIVE", effect: "reads and writes wait" },
            { ...lock, statement: 1, table: "public.b", mode: "SHARE", effect: "writes wait" },
          ],
        },
        {
          atomic: false,
          statements: ["CREATE INDEX CONCURRENTLY c", "VALIDATE"],
          locks: [{ ...lock, statement: 1, mode: "SHARE UPDATE EXCLUSIVE", effect: "all go on" }],
        },
      ]),
    ).toEqual([
      "in one transaction:",
      "  ALTER TABLE a;",
      "  ALTER TABLE b;",
      "  locks until its end: ACCESS EXCLUSIVE on public.orders: reads and writes wait",
      "  locks until its end: SHARE on public.b: writes wait",
      "each by itself:",
      "  CREATE INDEX CONCURRENTLY c;",
      "  VALIDATE;",
      "  locks: SHARE UPDATE EXCLUSIVE on public.orders: all go on",
    ]);
  });
});
