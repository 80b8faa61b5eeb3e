import fc from "fast-check";
import { expect } from "vitest";
import type { Pick } from "../../testing/random-changes.js";
import { type DatabasePair, define, resultOf } from "./transition.js";

/** How many numbers a schema is made of; further picks are 0. */
const PICKS = 160;
/** What a migration refuses by the names of a column and a type. */
const REFUSED =
  /^AppError: The column public\.\S+ stores rows of a table with the composite type public\.\S+,/;
/** Numbers for each definition, so that a change of one definition leaves the others alone. */
const PICKS_EACH = 16;
const SCALARS = ["int", "bigint", "text", "varchar(5)", "numeric(6,2)", "date"];

/**
 * Changes random schemas at random, there and back.
 * @returns the number of schemas that were reached, and not refused by name.
 */
export async function tryRandomTypes(
  { one, other }: DatabasePair,
  parameters: { readonly numRuns: number; readonly seed?: number },
): Promise<number> {
  let reached = 0;
  const schema = fc.array(fc.nat(), { minLength: PICKS, maxLength: PICKS });
  const change = fc.tuple(fc.nat(PICKS - 1), fc.nat());
  const changes = fc.array(change, { minLength: 1, maxLength: 40 });
  const property = fc.asyncProperty(schema, changes, async (picks, changed) => {
    const others = new Map(changed);
    const current = randomSchema(picks);
    const desired = randomSchema(picks.map((pick, at) => others.get(at) ?? pick));
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    const result = await resultOf(one, other, { current, desired });
    if (REFUSED.test(result)) return;
    expect(`${current}\n→\n${desired}\n${result}`).toBe(`${current}\n→\n${desired}\nequal`);
    reached += 1;
  });
  await fc.assert(property, { ...parameters, endOnFailure: true });
  return reached;
}

/**
 * A schema in which types, domains, row types of tables, partitions, children, functions and
 * policies use each other. Similar numbers give similar schemas.
 */
function randomSchema(picks: readonly number[]): string {
  let definition = 0;
  const types = [...SCALARS];
  const next = (): Pick => {
    let at = PICKS_EACH * definition++;
    const end = at + PICKS_EACH;
    return (count) => (at < end ? (picks[at++] ?? 0) % count : 0);
  };
  const parts: string[] = [];
  const add = (make: (pick: Pick) => Made): void => {
    const { sql, type } = make(next());
    parts.push(sql);
    if (type !== undefined) types.push(type);
  };
  add(enumType);
  add((pick) => composite("k", types, pick));
  add((pick) => domain("d", types, pick));
  add((pick) => table("r", types, pick));
  add((pick) => composite("o", types, pick));
  add((pick) => domain("w", types, pick));
  add((pick) => table("t", types, pick));
  add((pick) => partitions(types, pick));
  add((pick) => child(types, pick));
  add((pick) => routines(pick));
  return parts.filter((sql) => sql !== "").join(";\n");
}

interface Made {
  readonly sql: string;
  /** The type that later definitions may use. */
  readonly type?: string;
}

const NOTHING: Made = { sql: "" };

function enumType(pick: Pick): Made {
  const labels = ["'a', 'b'", "'b', 'c', 'a'", "'a', 'b', 'c'"][pick(3)] ?? "";
  return { sql: `CREATE TYPE e AS ENUM (${labels})`, type: "e" };
}

function composite(name: string, types: readonly string[], pick: Pick): Made {
  if (pick(8) === 1) return NOTHING;
  const names = [["a"], ["a", "b"], ["b", "a"], ["a", "c", "b"]][pick(4)] ?? [];
  const attributes = names.map((each) => `${each} ${typeOf(types, pick)}`);
  return { sql: `CREATE TYPE ${name} AS (${attributes.join(", ")})`, type: name };
}

function domain(name: string, types: readonly string[], pick: Pick): Made {
  if (pick(8) === 1) return NOTHING;
  const type = typeOf(types, pick);
  const check = ["", "CHECK (VALUE IS NOT NULL)", "CHECK (VALUE::text <> 'x')", "NOT NULL"][
    pick(4)
  ];
  return { sql: `CREATE DOMAIN ${name} AS ${type} ${check ?? ""}`, type: name };
}

function table(name: string, types: readonly string[], pick: Pick): Made {
  const columns = ["a", "b", "c"].slice(0, 1 + pick(3)).map((each) => column(each, types, pick));
  const id = ["id int PRIMARY KEY", "id serial", "id bigint GENERATED ALWAYS AS IDENTITY"][pick(3)];
  const sql = [
    `CREATE TABLE ${name} (${[id, ...columns].join(", ")})`,
    ["", `CREATE INDEX ${name}_i ON ${name} (id)`][pick(2)],
    ["", `CREATE POLICY ${name}_p ON ${name} USING (a IS NOT NULL)`][pick(2)],
  ];
  return { sql: sql.filter((each) => each !== "").join("; "), type: name };
}

function column(name: string, types: readonly string[], pick: Pick): string {
  const type = typeOf(types, pick);
  const isNumber = type === "int" || type === "bigint";
  const setting = pick(4);
  if (setting === 1 && isNumber) return `${name} ${type} NOT NULL DEFAULT 7`;
  if (setting === 2 && isNumber) return `${name} ${type} GENERATED ALWAYS AS (id + 1) STORED`;
  return `${name} ${type}${setting === 3 ? " DEFAULT NULL" : ""}`;
}

function partitions(types: readonly string[], pick: Pick): Made {
  if (pick(4) === 1) return NOTHING;
  const key = ["id serial", "id int NOT NULL", "id bigserial"][pick(3)] ?? "";
  const a = column("a", types, pick).replace("id + 1", "day");
  const parent = (by: string): string =>
    `CREATE TABLE p (${key}, day int, ${a}) PARTITION BY LIST (${by})`;
  const attach = "ALTER TABLE p ATTACH PARTITION q FOR VALUES IN (1)";
  const partition = [
    "CREATE TABLE q PARTITION OF p FOR VALUES IN (1)",
    `CREATE TABLE q (LIKE p INCLUDING ALL); ${attach}`,
    `CREATE TABLE q (LIKE p INCLUDING ALL); CREATE SEQUENCE own OWNED BY q.id; ALTER TABLE q ALTER id SET DEFAULT nextval('own'); ${attach}`,
    "CREATE TABLE q PARTITION OF p FOR VALUES IN (1, 2)",
    "CREATE TABLE q (LIKE p INCLUDING ALL)",
  ][pick(5)];
  const view = ["", "; CREATE VIEW v AS SELECT day, a FROM p"][pick(2)] ?? "";
  if (pick(3) === 1 && !a.includes("GENERATED"))
    return { sql: `${parent("a")}; CREATE TABLE q PARTITION OF p DEFAULT${view}` };
  return { sql: `${parent("day")}; ${partition ?? ""}${view}` };
}

function child(types: readonly string[], pick: Pick): Made {
  if (pick(3) === 1) return NOTHING;
  const columns = [`x ${typeOf(types, pick)}`, ...(pick(2) === 1 ? ["y int DEFAULT 1"] : [])];
  const moved = ["", "ALTER TABLE c ALTER id SET DEFAULT 3"][pick(2)] ?? "";
  const sql = `CREATE TABLE c (${columns.join(", ")}) INHERITS (${pick(2) === 0 ? "r" : "t"})`;
  const isMoved = moved !== "" && !sql.includes("IDENTITY");
  // A child that was made apart declares its columns too, and a NOT NULL of its own may be stricter.
  const parent = sql.endsWith("(r)") ? "r" : "t";
  const again = `ALTER TABLE c NO INHERIT ${parent}; ALTER TABLE c INHERIT ${parent}`;
  const key = ["", "ALTER TABLE c ADD PRIMARY KEY (id)", "CREATE VIEW z AS SELECT id, a FROM c"][
    pick(3)
  ];
  return { sql: [sql, isMoved ? moved : "", ["", again][pick(2)], key].filter(Boolean).join("; ") };
}

function routines(pick: Pick): Made {
  const sql = [
    ["", "CREATE FUNCTION f(r) RETURNS t LANGUAGE sql AS 'select null'"][pick(2)],
    [
      "",
      "CREATE FUNCTION g() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(a) FROM t; END",
    ][pick(2)],
    [
      "",
      "CREATE MATERIALIZED VIEW m AS SELECT r AS whole FROM r",
      "CREATE VIEW m AS SELECT a FROM t",
    ][pick(3)],
    [
      "",
      `CREATE FUNCTION h() RETURNS bigint LANGUAGE sql RETURN 1;
      CREATE FUNCTION j() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(a) + h() FROM t; END;
      CREATE OR REPLACE FUNCTION h() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(id) + j() FROM r; END`,
    ][pick(2)],
  ];
  return { sql: sql.filter((each) => each !== "").join("; ") };
}

/** One of the types that are there, often as an array. */
function typeOf(types: readonly string[], pick: Pick): string {
  const type = types[pick(types.length)] ?? "int";
  return pick(3) === 1 ? `${type}[]` : type;
}
