import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase } from "@steward/test-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSchemaCommand } from "./schema-command.js";

const BIN = fileURLToPath(new URL("../../bin/steward-schema.js", import.meta.url));

const OLD =
  "CREATE TABLE orders (id INTEGER PRIMARY KEY, total TEXT); CREATE TABLE gone (x INTEGER)";
const NEW =
  "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER NOT NULL DEFAULT 0); CREATE INDEX by_total ON orders (total)";

interface Run {
  readonly code: number;
  readonly printed: string;
  readonly noted: string;
}

async function run(...args: readonly string[]): Promise<Run> {
  let [printed, noted] = ["", ""];
  const code = await runSchemaCommand(args, {
    print: (text) => void (printed += text),
    note: (text) => void (noted += text),
  });
  return { code, printed, noted };
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steward-schema-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, sql: string): string {
  const path = join(folder, name);
  execute(path, sql);
  return path;
}

function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

describe("steward-schema on two SQLite files", () => {
  it("lists what differs, proposes a script that is proven, and finds no difference after it", async () => {
    const [from, to] = [file("from.db", OLD), file("to.db", NEW)];
    const diff = await run("diff", from, to);
    expect(diff).toMatchObject({ code: 1, noted: "" });
    expect(diff.printed).toContain("- Table gone\n");
    expect(diff.printed).toContain("~ Column orders.total: ");
    expect(diff.printed).toContain("+ Index by_total\n");

    const verify = await run("verify", from, to);
    expect(verify.code).toBe(0);
    expect(verify.printed.match(/^ok /gm)).toHaveLength(3);

    const propose = await run("propose", from, to);
    expect(propose.code).toBe(0);
    expect(propose.printed).toContain("-- destructive: gone: its rows are lost\n");
    execute(from, propose.printed);
    expect(await run("diff", from, to)).toEqual({
      code: 0,
      printed: "",
      noted: "The schemas are the same.\n",
    });
    expect(await run("propose", from, to)).toMatchObject({ code: 0, printed: "" });
  });

  it("runs as a program", () => {
    const [from, to] = [file("program-from.db", OLD), file("program-to.db", NEW)];
    const { status, stdout } = spawnSync(process.execPath, [BIN, "diff", from, to]);
    expect([status, stdout.toString()]).toEqual([1, expect.stringContaining("+ Index by_total")]);
    expect(execFileSync(process.execPath, [BIN, "--help"]).toString()).toContain(
      "propose <from> <to>",
    );
  });
});

describe("steward-schema on two PostgreSQL databases", () => {
  it("does the same, with objects of both engines' names in schemas", async () => {
    await using first = await freshDatabase();
    await using second = await freshDatabase();
    await query(first.url, OLD);
    await query(second.url, `${NEW}; CREATE VIEW sums AS SELECT sum(total) FROM orders`);

    const diff = await run("diff", first.url, second.url);
    expect(diff.code).toBe(1);
    expect(diff.printed).toContain("- Table public.gone\n");
    expect(diff.printed).toContain("+ View public.sums\n");
    expect(await run("verify", first.url, second.url)).toMatchObject({ code: 0, noted: "" });

    const { printed } = await run("propose", first.url, second.url);
    // One statement after the other, as psql sends them.
    await query(first.url, ...printed.split(/(?<=;)\n/));
    expect(await run("diff", first.url, second.url)).toMatchObject({ code: 0, printed: "" });
  });
});

describe("steward-schema with arguments that do not fit", () => {
  it("says what to give instead, and exits with 2", async () => {
    const there = file("there.db", OLD);
    const wrong: readonly (readonly [args: readonly string[], note: string])[] = [
      [[], "Usage: steward-schema"],
      [["compare"], "unknown command"],
      [["diff", there], "missing required argument 'to'"],
      [["diff", there, join(folder, "nowhere.db")], "Give the path of an SQLite database or a URL"],
      [["diff", there, "postgres://elsewhere/shop"], "must be of one engine"],
      [["diff", there, "postgres://user:p#ss@x:y/shop"], "special characters of the password"],
    ];
    for (const [args, note] of wrong) {
      expect(await run(...args)).toEqual({
        code: 2,
        printed: "",
        noted: expect.stringContaining(note),
      });
    }
  });

  it("exits with 1 when a database cannot be read, and never shows its password", async () => {
    const url = "postgres://ada:secret@127.0.0.1:1/shop";
    const refused = await run("diff", url, url);
    expect(refused).toMatchObject({ code: 1, printed: "" });
    expect(refused.noted).toContain(
      "The database 127.0.0.1:1/shop cannot be reached\nCheck the address",
    );
    expect(refused.noted).not.toContain("secret");

    const text = join(folder, "notes.txt");
    writeFileSync(
      text,
      "this is no database, but a text that is long enough to be looked at\n".repeat(20),
    );
    const { code, noted } = await run("diff", text, text);
    expect([code, noted]).toEqual([1, expect.stringContaining("is not an SQLite database")]);
  });
});

async function query(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
