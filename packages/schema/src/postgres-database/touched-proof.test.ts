import { withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { describe, expect, it } from "vitest";
import { identify, rootOf, scriptBetween } from "../index.js";
import { proveTouched } from "../migrations/proof.js";
import { findingTouchedPart } from "../changes/touched-part.js";
import { PostgresSchemaDatabase } from "./index.js";
import { introspectScratch } from "./session.js";
import { define, openPair } from "./testing/transition.js";

/** Each table refers to the previous one; a view, a type and a function depend on some of them. */
const CHAIN = `CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'select a * 2';
  ${Array.from({ length: 9 }, (_, n) => {
    const target = n === 0 ? "" : `, before int REFERENCES t${String(n - 1)} (id)`;
    return `CREATE TABLE t${String(n)} (id int PRIMARY KEY, mood mood DEFAULT 'sad'${target});
      CREATE INDEX i${String(n)} ON t${String(n)} (twice(id));`;
  }).join("\n")}
  CREATE TABLE p (id int) PARTITION BY LIST (id);
  CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
  CREATE VIEW v AS SELECT id, mood FROM t4; CREATE VIEW w AS SELECT id FROM v;`;

const pair = await openPair();

describe("the proof of a migration on PostgreSQL", () => {
  const tried = async (wanted: string) => {
    expect([await define(pair.one, CHAIN), await define(pair.other, wanted)]).toEqual([true, true]);
    const base = identify(await introspectScratch(pair.one), undefined);
    const target = identify(await introspectScratch(pair.other), base);
    const part = withoutPauses(findingTouchedPart({ base, target }));
    const relations = part.base.objects
      .filter(({ kind }) => kind === "Table" || kind === "View")
      .map(({ name }) => name);
    const database = new PostgresSchemaDatabase("shop", pair.url);
    const [up, down] = [scriptBetween(base, target), scriptBetween(target, base)];
    const { isProven, stretches } = await proveTouched(database, { base, target, up, down });
    const isPart = stretches[0]?.expected === rootOf(part.base);
    return { relations, isProven, isPart };
  };

  it.each([
    [
      "a new column",
      CHAIN.replace("TABLE t4 (", "TABLE t4 (note text, "),
      ["t3", "t4", "t5", "v", "w"],
    ],
    [
      "another type",
      CHAIN.replace("t4 (id int PRIMARY KEY, mood mood", "t4 (id int PRIMARY KEY, mood text"),
      ["t3", "t4", "t5", "v", "w"],
    ],
    ["a column of partitions", CHAIN.replace("TABLE p (", "TABLE p (note text, "), ["p", "p1"]],
    ["a new table", `${CHAIN} CREATE TABLE n (id int REFERENCES t8 (id))`, ["t8"]],
    ["a view", CHAIN.replace("SELECT id FROM v", "SELECT id, mood FROM v"), ["t4", "v", "w"]],
  ])("makes only what %s can touch", async (_what, wanted, relations) => {
    expect(await tried(wanted)).toEqual({ relations, isProven: true, isPart: true });
  });
});
