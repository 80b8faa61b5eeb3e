import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { identify, renameHints, rootOf, type Schema, scriptBetween } from "../index.js";
import { refuseIdleHints } from "../changes/hint-effects.js";
import { lint } from "../lint/lint.js";
import { unsaid } from "../testing/command-table.js";
import { diffSchemas } from "../model/schema-diff.js";
import { introspectScratch, runScript } from "./session.js";
import { SCHEMA_MOVES, type SchemaMove } from "./testing/schema-moves.js";
import { define, openPair } from "./testing/transition.js";

const DOCUMENT = readFileSync(new URL("../../../../docs/migrations.md", import.meta.url), "utf8");
const MOVES: Readonly<Record<string, SchemaMove>> = {
  ...SCHEMA_MOVES,
  "the example of docs/migrations.md": {
    base: `CREATE SCHEMA store; CREATE TABLE store.purchases (id bigint PRIMARY KEY, amount numeric NOT NULL);
      CREATE TABLE store.invoices (id bigint PRIMARY KEY);`,
    wanted: /```sql\n(.*?)```/s.exec(DOCUMENT)?.[1] ?? "",
    rows: "INSERT INTO store.purchases VALUES (1, 7); INSERT INTO store.invoices VALUES (2)",
    query: [
      "SELECT amount::int AS total, i.id::int AS invoice FROM store.purchases, store.invoices i",
      "SELECT total::int AS total, i.id::int AS invoice FROM shop.orders, archive.invoices i",
    ],
    expected: { total: 7, invoice: 2 },
  },
};

const pair = await openPair();
const { one, other } = pair;

describe("schemas of PostgreSQL, and what is in them, go by hints and rows go with them", () => {
  it.each(Object.entries(MOVES))("there and back: %s", async (_title, move) => {
    const { base: current, wanted, rows, query, expected, isLosing = false } = move;
    expect([await define(one, current), await define(other, wanted)]).toEqual([true, true]);
    const found = async (sql: string): Promise<unknown> => {
      await one.query("SET search_path = public");
      return (await one.query<object>(sql)).rows;
    };
    await found(rows);
    expect(await found(query[0])).toEqual([expected]);
    const base = identify(await introspectScratch(one), undefined);
    const hints = renameHints(wanted, "postgres");
    const target = identify(await introspectScratch(other), base, hints);
    const go = async (from: Schema, to: Schema): Promise<void> => {
      const script = scriptBetween(from, to);
      await runScript(
        one,
        script,
        (sql, error) => new AppError("STEP_FAILED", `${sql}: ${String(error)}`),
      );
      expect(rootOf(identify(await introspectScratch(one), to))).toBe(rootOf(to));
      const losses = lint(from, to, script).filter(({ code }) => code === "destructive");
      expect(losses.length > 0).toBe(isLosing && to === target);
    };
    expect([...unsaid(base, target), ...unsaid(target, base)]).toEqual([]);
    await go(base, target);
    expect(await found(query[1])).toEqual([expected]);
    await go(target, base);
    expect(await found(query[0])).toEqual([expected]);
  });

  it("as one rename each, which names both places", async () => {
    await define(one, "CREATE SCHEMA a; CREATE TABLE a.t (x int); CREATE TABLE a.u (x int)");
    const wanted = `CREATE SCHEMA c /* @renamed from=a */; CREATE TABLE c.u (x int);
      CREATE TABLE t2 (x int) /* @renamed from=a.t */`;
    await define(other, wanted);
    const base = identify(await introspectScratch(one), undefined);
    const hints = renameHints(wanted, "postgres");
    const target = identify(await introspectScratch(other), base, hints);
    expect(diffSchemas(base, target)).toMatchObject([
      { action: "rename", kind: "Schema", path: "c", from: "a", to: "c" },
      { action: "rename", kind: "Table", path: "public.t2", from: "a.t", to: "public.t2" },
    ]);
    expect(scriptBetween(base, target).flatMap(({ statements }) => statements)).toEqual([
      'ALTER TABLE "a"."t" RENAME TO "t2"',
      'ALTER SCHEMA "a" RENAME TO "c"',
      'ALTER TABLE "c"."t2" SET SCHEMA "public"',
    ]);
  });

  it.each([
    ["CREATE SCHEMA b /* @renamed from=x */", "the database has no schema x"],
    ["CREATE SCHEMA a /* @renamed from=a */; CREATE TABLE a.t (x int)", "already"],
    ["CREATE TABLE t (x int) /* @renamed from=b.t */", "no table t in the schema b"],
    ["CREATE TABLE t (x int) /* @renamed from=t */", "no table t where this one is"],
    [
      "CREATE TABLE b (x int) /* @renamed from=a.t */; CREATE TABLE c (x int) /* @renamed from=a.t */",
      "no other hint",
    ],
    ["CREATE MATERIALIZED VIEW v /* @renamed from=old */ AS SELECT 1", "no view old"],
    ["CREATE TYPE e /* @renamed from=old */ AS ENUM ()", "no type old"],
    ["CREATE DOMAIN d /* @renamed from=old */ AS int", "no type old"],
    ["CREATE SEQUENCE s /* @renamed from=old */", "no sequence old"],
    ["CREATE TABLE t (x int, y int /* @renamed from=z */)", "no column z"],
    ["CREATE TABLE t (x int, CONSTRAINT c CHECK (x > 0) /* @renamed from=d */)", "no constraint d"],
  ])("unless a hint has no effect: %s", async (wanted, reason) => {
    await define(one, "CREATE SCHEMA a; CREATE TABLE a.t (x int)");
    await define(other, wanted);
    const base = identify(await introspectScratch(one), undefined);
    const hints = renameHints(wanted, "postgres");
    const target = identify(await introspectScratch(other), base, hints);
    expect(() => refuseIdleHints(base, target, hints)).toThrow(reason);
  });
});
