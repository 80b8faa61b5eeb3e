import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writtenName } from "../../kernel/written-name.js";
import { quotedName } from "../sql-target-postgres/quoted-name.js";

const ODD_NAMES = ["Id", "orders", "a b", 'say "x"', "größe", "1st", "a.b", "X'", "_y$"];
let database: TestDatabase;
let names: readonly string[];
beforeAll(async () => {
  database = await freshDatabase();
  const keywords = await database.query("SELECT word FROM pg_get_keywords()");
  names = [...ODD_NAMES, ...keywords.map(({ word }) => String(word))];
});
afterAll(() => database[Symbol.asyncDispose]());

/** A query that is 7 where the name is read as the column, alone and behind its table. */
function query(name: string, written: string): string {
  const table = `(SELECT 7 AS ${quotedName([name])})`;
  return `SELECT ${written} AS a, t.${written} AS b FROM ${table} AS t WHERE ${written} = 7`;
}

it("a name in a hint is read as that name by PostgreSQL", async () => {
  for (const name of names) {
    const rows = await database.query(query(name, writtenName(name, "postgres")));
    expect([name, rows]).toEqual([name, [{ a: 7, b: 7 }]]);
  }
});

it("a name in a hint is read as that name by SQLite", () => {
  const sqlite = new DatabaseSync(":memory:");
  // SQLite reads these two as numbers, even in quotes, where the column is of a query.
  for (const name of names.filter((each) => each !== "true" && each !== "false")) {
    const rows = sqlite.prepare(query(name, writtenName(name, "sqlite"))).all();
    expect([name, rows]).toEqual([name, [{ a: 7, b: 7 }]]);
  }
  sqlite.close();
});
