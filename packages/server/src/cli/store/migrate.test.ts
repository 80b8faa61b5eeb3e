import { freshDatabase } from "@steward/test-postgres";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runHere } from "../testing/run-here.js";
import { runSteward } from "../testing/steward-process.js";

const cwd = mkdtempSync(join(tmpdir(), "steward-migrate-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

describe("steward migrate", () => {
  it("says what it would do, does it, and then has nothing to do, on PostgreSQL", async () => {
    await using database = await freshDatabase();
    const run = async (...more: readonly string[]) =>
      runHere(["migrate", "--database-url", database.url, ...more], { cwd });
    const dry = await runSteward(["migrate", "--database-url", database.url, "--dry-run"], { cwd });
    expect(dry.stdout).toMatch(/^would apply v7-store\n/);
    const password = new URL(database.url).password;
    const done = await run();
    expect(done.stdout).toBe(dry.stdout.replaceAll("would apply", "applied"));
    const again = await run();
    expect(again.stdout).toMatch(/is up to date\n$/);
    expect(again.stdout).not.toContain(password === "" ? "\0" : password);
  });

  it("that is to distribute a store where there is no Citus says so, and changes nothing", async () => {
    await using database = await freshDatabase();
    for (const url of [database.url, `sqlite:${join(cwd, "alone.db")}`]) {
      const run = await runHere(["migrate", "--distribute", "--database-url", url], { cwd });
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(/cannot be distributed; nothing was changed: /);
    }
    expect(await database.query("SELECT to_regclass('plans') AS plans")).toEqual([{ plans: null }]);
    expect(existsSync(join(cwd, "alone.db"))).toBe(false);
  });

  it("does the same on SQLite, and a dry run creates no file", async () => {
    const store = join(cwd, "store.db");
    const args = ["migrate", "--database-url", `sqlite:${store}`, "--json"];
    const dry = await runHere([...args, "--dry-run"], { cwd });
    const { pending } = JSON.parse(dry.stdout);
    expect(pending.length).toBeGreaterThan(0);
    expect(existsSync(store)).toBe(false);
    expect(JSON.parse((await runHere(args, { cwd })).stdout).applied).toEqual(pending);
  });

  it("says of a file that is no database, or cannot be opened, what is wrong with it", async () => {
    writeFileSync(join(cwd, "notes.txt"), "not a database at all, only text".repeat(200), {
      mode: 0o600,
    });
    mkdirSync(join(cwd, "folder"), { mode: 0o700 });
    for (const [path, reason] of [
      ["notes.txt", "is not an SQLite database: name another file, or restore it from a backup"],
      ["folder", "is not a file that can be opened: check the path, and that its directory exists"],
    ] as const) {
      const file = join(cwd, path);
      const { code, stderr } = await runHere(["migrate", "--database-url", `sqlite:${file}`], {
        cwd,
      });
      expect(code).toBe(1);
      expect(stderr).toContain(`error: database: The store cannot be opened: ${file} ${reason}\n`);
      expect(stderr).toContain("SERVICE_DATABASE_URL");
    }
  });

  it("ends with 2 and the fix when there is no store", async () => {
    const { code, stderr } = await runHere(["migrate"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("set SERVICE_DATABASE_URL");
  });
});
