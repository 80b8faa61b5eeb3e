import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { DatabaseError } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { judgeFunction } from "../sql-analyzer/postgres-functions.js";
import { CHANGES, READS, SCHEMA } from "../sql-analyzer/testing/postgres-examples.js";

let database: TestDatabase;
/** Executed statements; an older server lacks parts of the grammar and some functions. */
let ranOrNewer: readonly string[];

beforeAll(async () => {
  database = await freshDatabase();
  await database.query(SCHEMA);
  const [version] = await database.query("SELECT current_setting('server_version_num')::int AS n");
  ranOrNewer = Number(version?.["n"]) < 180_000 ? ["ran", "42601", "42883", "42704"] : ["ran"];
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});
afterEach(() => database.query("ROLLBACK"));

describe("what the analyzer says that it reads", () => {
  let before: object;
  beforeEach(async () => {
    await database.query("BEGIN READ ONLY");
    before = await traces();
  });

  it.each(READS)("runs where nothing can be changed, and leaves no trace: %s", async (sql) => {
    const outcome = await outcomeOf(sql);
    expect(ranOrNewer).toContain(outcome);
    if (outcome === "ran") expect(await traces()).toEqual(before);
  });

  it("holds for every function of the server's own that a read may call", async () => {
    const calls = await callsOfHarmlessFunctions();
    expect(calls.length).toBeGreaterThan(700);
    const outcomes = new Map<string, string>();
    for (const call of calls) {
      await database.query("SAVEPOINT call");
      outcomes.set(call, await outcomeOf(`SELECT ${call}`));
      await database.query("ROLLBACK TO call");
    }
    expect([...outcomes].filter(([, outcome]) => outcome === READ_ONLY)).toEqual([]);
    expect(await traces()).toEqual(before);
    const ran = [...outcomes.values()].filter((outcome) => outcome === "ran");
    expect(ran.length).toBeGreaterThan(calls.length / 2);
  });

  it("holds no function that gives something else each time, but for chance, clocks and sizes", async () => {
    const rows = await database.query(
      "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile = 'v'",
    );
    const harmless = rows.map((row) => row["proname"] as string).filter(isHarmless);
    expect(harmless.filter((name) => !VOLATILE.has(name))).toEqual([]);
  });

  it("holds of extensions neither what changes something nor what reaches beyond the database", async () => {
    await database.query("ROLLBACK; BEGIN");
    const available = await database.query(
      "SELECT name FROM pg_available_extensions WHERE name !~ 'plperl|plpython|pltcl'",
    );
    for (const { name } of available) {
      await database.query(`CREATE EXTENSION IF NOT EXISTS "${String(name)}" CASCADE`);
    }
    const rows = await database.query(
      `SELECT extname, proname, provolatile FROM pg_proc p
       JOIN pg_depend d ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
       JOIN pg_extension e ON e.oid = refobjid`,
    );
    const harmless = rows.filter((row) => isHarmless(row["proname"] as string));
    const extensions = new Set(harmless.map((row) => row["extname"] as string));
    expect([...extensions].filter((name) => !COMPUTING.has(name))).toEqual([]);
    const changing = harmless.filter((row) => row["provolatile"] === "v");
    expect(changing.filter((row) => !CHANCE.test(row["proname"] as string))).toEqual([]);
  });
});

describe("what the analyzer says that it changes something", () => {
  const changes = Object.values(CHANGES)
    .flat()
    .filter((sql) => !UNHEARD_OF.test(sql));

  it.each(changes)("is SQL: %s", async (sql) => {
    await database.query("BEGIN");
    expect(ranOrNewer).toContain(await outcomeOf(sql));
  });

  const refused = changes.filter((sql) => !ONLY_TOLD_BY_TEXT.test(sql));
  it.each(refused)("is refused by the engine too where nothing can be changed: %s", async (sql) => {
    await database.query("BEGIN READ ONLY");
    expect([READ_ONLY, ...ranOrNewer.slice(1)]).toContain(await outcomeOf(sql));
  });
});

/** SQLSTATE of a statement that a read-only transaction does not allow. */
const READ_ONLY = "25006";
/** Functions and other objects that the examples invent. */
const UNHEARD_OF = /unheard_of|theirs|public\.lower/;
/** Statements that the analyzer rejects although a read-only transaction allows them. */
const ONLY_TOLD_BY_TEXT =
  /^(EXPLAIN|REINDEX|CLUSTER|ANALYZE)|txid_current|pg_current_xact_id|pg_notify/;

const VOLATILE: ReadonlySet<string> = new Set([
  "array_sample",
  "array_shuffle",
  "clock_timestamp",
  "gen_random_uuid",
  "pg_database_size",
  "pg_indexes_size",
  "pg_partition_ancestors",
  "pg_partition_tree",
  "pg_relation_size",
  "pg_table_size",
  "pg_total_relation_size",
  "random",
  "random_normal",
  "timeofday",
  // Declared immutable until version 15, although a time without a date uses today's offset.
  "timezone",
  "uuidv4",
  "uuidv7",
]);

/** Extensions whose functions only compute, or take a sample. */
const COMPUTING: ReadonlySet<string> = new Set([
  "citext",
  "cube",
  "earthdistance",
  "fuzzystrmatch",
  "hstore",
  "intarray",
  "ltree",
  "pg_trgm",
  "pgcrypto",
  "tsm_system_rows",
  "tsm_system_time",
  "unaccent",
  "uuid-ossp",
]);
/** Functions with random or changing results, which are harmless. */
const CHANCE = /^(gen_|uuid_generate_|system_)/;

/** Traces that a statement could leave without writing to a table. */
async function traces(): Promise<object> {
  const [row] = await database.query(
    `SELECT pg_current_xact_id_if_assigned() AS transaction,
       (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
       (SELECT count(*)::int FROM pg_listening_channels()) AS channels,
       (SELECT count(*)::int FROM pg_cursors) AS cursors,
       (SELECT count(*)::int FROM pg_settings WHERE source = 'session') AS settings`,
  );
  return row ?? {};
}
async function outcomeOf(sql: string): Promise<string> {
  try {
    await database.query(sql);
    return "ran";
  } catch (error) {
    if (error instanceof DatabaseError) return error.code ?? error.message;
    throw error;
  }
}

function isHarmless(name: string): boolean {
  const verdict = judgeFunction([name]);
  return verdict.kind === "class" && verdict.statementClass === "read_select";
}

/** Each function is called with values of its arguments' types. */
async function callsOfHarmlessFunctions(): Promise<readonly string[]> {
  const rows = await database.query(
    `SELECT proname, array_to_json(ARRAY(SELECT format_type(type, NULL)
         FROM unnest(proargtypes) WITH ORDINALITY a (type, place) ORDER BY place)) AS types
     FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'
       AND NOT 'internal'::regtype = ANY (proargtypes)`,
  );
  return rows.flatMap((row) => {
    const [name, types] = [row["proname"] as string, row["types"] as readonly string[]];
    return isHarmless(name) ? `pg_catalog."${name}"(${types.map(sampleOf).join(", ")})` : [];
  });
}

function sampleOf(type: string): string {
  const sample = SAMPLES[type];
  if (sample !== undefined) return sample;
  return type.endsWith("[]") ? `ARRAY[]::${type}` : `NULL::${type}`;
}

const SAMPLES: Readonly<Record<string, string>> = {
  '"char"': "'a'::\"char\"",
  any: "1",
  anyarray: "ARRAY[1, 2]",
  anycompatible: "1",
  anycompatiblearray: "ARRAY[1, 2]",
  anyelement: "1",
  anyenum: "'calm'::mood",
  anymultirange: "int4multirange(int4range(1, 3))",
  anynonarray: "1",
  anyrange: "int4range(1, 3)",
  bigint: "1::bigint",
  boolean: "true",
  bytea: "'\\x41'::bytea",
  date: "date '2026-01-02'",
  "double precision": "0.5::float8",
  inet: "inet '10.0.0.1'",
  integer: "1",
  interval: "interval '1 day'",
  json: "'{\"a\": [1]}'::json",
  jsonb: "'{\"a\": [1]}'::jsonb",
  jsonpath: "'$.a'::jsonpath",
  name: "'orders'::name",
  numeric: "1.5",
  oid: "'orders'::regclass::oid",
  record: "ROW(1, 2)",
  regclass: "'orders'::regclass",
  smallint: "1::smallint",
  text: "'orders'::text",
  "time without time zone": "time '12:00'",
  "timestamp with time zone": "timestamptz '2026-01-02Z'",
  "timestamp without time zone": "timestamp '2026-01-02'",
  tsquery: "'a'::tsquery",
  tsvector: "'a'::tsvector",
  uuid: "gen_random_uuid()",
  xml: "'<a/>'::xml",
};
