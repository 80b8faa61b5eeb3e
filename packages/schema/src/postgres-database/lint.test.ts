import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Finding, identify, renameHints, type Schema, scriptBetween } from "../index.js";
import { lint } from "../lint/lint.js";
import { unsaid } from "../testing/command-table.js";
import { introspectScratch } from "./session.js";
import { HAZARD_CASES } from "./testing/hazard-cases.js";
import { LOSS_CASES } from "./testing/loss-cases.js";
import { connect, define } from "./testing/transition.js";

let databases: readonly TestDatabase[];
let one: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  databases = [await freshDatabase(), await freshDatabase()];
  [one, other] = (await Promise.all(databases.map(({ url }) => connect(url)))) as [
    pg.Client,
    pg.Client,
  ];
});
afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  for (const database of databases) await database[Symbol.asyncDispose]();
});

async function findings(current: string, desired: string): Promise<readonly Finding[]> {
  expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
  const base: Schema = identify(await introspectScratch(one), undefined);
  const target = identify(await introspectScratch(other), base, renameHints(desired, "postgres"));
  expect([...unsaid(base, target), ...unsaid(target, base)]).toEqual([]);
  return lint(base, target, scriptBetween(base, target));
}

const DATA = [...LOSS_CASES, ...HAZARD_CASES];

describe("what there is to think about in a migration on PostgreSQL", () => {
  // One migration with all of the changes, so that two schemas are read in total and not two for
  // each rule.
  let all: readonly Finding[];
  const nameOf = (index: number): string => `case_${String(index)}_`;
  const named = (sql: string, index: number): string => sql.replaceAll("$", nameOf(index));

  beforeAll(async () => {
    const whole = (side: "current" | "desired"): string =>
      DATA.map((each, index) => named(each[side], index)).join(";\n");
    all = await findings(whole("current"), whole("desired"));
  });

  it.each(DATA.map((each, index) => ({ ...each, index })))(
    "says of $rule what it must, and no more",
    ({ object = "public.$", expected, index }) => {
      const about = all.filter((each) => each.object === named(object, index));
      const found = about
        .filter(({ code }) => code !== "lock-brief" && !isAboutLocks(code))
        .map(({ code, message }) => `${code}: ${message}`);
      for (const [code, message] of expected) {
        const given = about.map((each) => `${each.code}: ${each.message}`);
        expect(given).toContainEqual(
          expect.stringMatching(`^${code}: .*${escaped(named(message, index))}`),
        );
      }
      const codes = new Set(expected.map(([code]) => code));
      if (expected.length === 0) expect(found).toEqual([]);
      else if (!codes.has("destructive")) expect(found.join()).not.toContain("destructive");
    },
  );
});

/**
 * Changes of existing tables, with the expected lock findings; empty for locks that do not block
 * other sessions.
 */
const LOCKS: readonly (readonly [
  current: string,
  desired: string,
  expected: Readonly<Record<string, string>>,
])[] = [
  [
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a int, b int)",
    { "public.t": "lock-brief: ACCESS EXCLUSIVE for an instant" },
  ],
  [
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a int, b uuid DEFAULT gen_random_uuid())",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten" },
  ],
  [
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a int, b serial)",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten" },
  ],
  [
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a int, b int GENERATED ALWAYS AS (a) STORED)",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten" },
  ],
  [
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a bigint)",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten" },
  ],
  [
    "CREATE TABLE t(a varchar(3))",
    "CREATE TABLE t(a varchar(9))",
    { "public.t": "lock-brief: ACCESS EXCLUSIVE for an instant" },
  ],
  [
    "CREATE TABLE t(a varchar(9))",
    "CREATE TABLE t(a varchar(3))",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten" },
  ],
  [
    "CREATE TABLE t(a int); CREATE TABLE u(a int)",
    "CREATE TABLE t(a int, b int); CREATE TABLE u(a bigint)",
    {
      "public.t": "lock-heavy: ACCESS EXCLUSIVE while public.u is rewritten",
      "public.u": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten",
    },
  ],
  [
    "CREATE TABLE t(a int); CREATE TABLE u(a int)",
    "CREATE TABLE t(a int); CREATE TABLE u(a int, b int)",
    { "public.u": "lock-brief: ACCESS EXCLUSIVE for an instant" },
  ],
  ["CREATE TABLE t(a int)", "CREATE TABLE t(a int); CREATE INDEX i ON t(a)", {}],
  [
    "CREATE TABLE t(a int); CREATE INDEX i ON t(a)",
    "CREATE TABLE t(a int)",
    { "public.t": "lock-brief: ACCESS EXCLUSIVE for an instant" },
  ],
  [
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a int NOT NULL)",
    { "public.t": "lock-brief: ACCESS EXCLUSIVE for an instant" },
  ],
  [
    "CREATE TABLE t(a int4range)",
    "CREATE TABLE t(a int4range, EXCLUDE USING gist (a WITH &&))",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is scanned" },
  ],
  [
    "CREATE TABLE t(a int)",
    "CREATE UNLOGGED TABLE t(a int)",
    { "public.t": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten" },
  ],
  [
    "CREATE TABLE t(a int PRIMARY KEY); CREATE TABLE u(b int)",
    "CREATE TABLE t(a int PRIMARY KEY); CREATE TABLE u(b int REFERENCES t)",
    {
      "public.t": "lock-brief: SHARE ROW EXCLUSIVE for an instant: writes wait",
      "public.u": "lock-brief: SHARE ROW EXCLUSIVE for an instant: writes wait",
    },
  ],
  [
    "CREATE TABLE t(a int PRIMARY KEY)",
    "CREATE TABLE t(a int PRIMARY KEY); CREATE TABLE u(b int REFERENCES t)",
    { "public.t": "lock-brief: SHARE ROW EXCLUSIVE for an instant: writes wait" },
  ],
  ["CREATE TABLE t(a int)", "CREATE TABLE t(a int); COMMENT ON TABLE t IS 'x'", {}],
  ["CREATE TABLE t(a int)", "CREATE TABLE t(a int); CREATE TABLE u(a int)", {}],
  [
    "CREATE TABLE t(a int); CREATE MATERIALIZED VIEW m AS SELECT 1 AS a",
    "CREATE TABLE t(a int, b int); CREATE MATERIALIZED VIEW m AS SELECT 2 AS a",
    {
      "public.t": "lock-heavy: ACCESS EXCLUSIVE while public.m is rewritten",
      "public.m": "lock-heavy: ACCESS EXCLUSIVE while it is rewritten",
    },
  ],
  [
    "CREATE DOMAIN d AS int; CREATE TABLE t(a d)",
    "CREATE DOMAIN d AS int NOT NULL; CREATE TABLE t(a d)",
    { "public.t": "lock-heavy: SHARE while it is scanned: writes wait" },
  ],
];

describe("the locks to think about in a migration on PostgreSQL", () => {
  it.each(LOCKS)("from %s to %s", async (current, desired, expected) => {
    const locks = (await findings(current, desired)).filter(
      ({ code, object }) => code.startsWith("lock-") && !object.includes("fkey"),
    );
    const said = locks.map(({ code, object, message }) => [object, `${code}: ${message}`] as const);
    const wanted = Object.entries(expected).map(([object, message]) => [
      object,
      expect.stringContaining(message),
    ]);
    expect(said).toHaveLength(wanted.length);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(wanted));
  });
});

function isAboutLocks(code: Finding["code"]): boolean {
  return code === "lock-heavy";
}

function escaped(text: string): string {
  return text.replaceAll(/[()[\]{}.*+?^$|\\]/g, "\\$&");
}
