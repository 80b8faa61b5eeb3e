import { PostgresClient } from "@steward/postgres";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { AppError } from "@steward/kernel/errors.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dumpSchema, readDefinitions, rootOf, identify, scriptBetween } from "../index.js";
import { wantedSchema } from "../migrations/proposal.js";
import type { Schema } from "../model/schema.js";
import { PostgresSchemaDatabase } from "./index.js";
import { PostgresScratch } from "./scratch-postgres.js";

// Each schema makes PostgreSQL evaluate a function while objects are defined. The function ends the
// connection of a witness, whatever it declares of itself; the witness must survive.

let database: TestDatabase;
let witness: PostgresClient;
let pid: number;

beforeAll(async () => {
  database = await freshDatabase();
  witness = new PostgresClient({ connectionString: database.url });
  witness.on("error", () => undefined);
  await witness.connect();
  const { rows } = await witness.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  pid = rows[0]?.pid ?? 0;
});
afterAll(async () => {
  await witness.end();
  await database[Symbol.asyncDispose]();
});

/** Functions `kill(int)` that return the given type. */
const BODIES: Readonly<Record<string, (type: string) => string>> = {
  "in PL/pgSQL": (type) =>
    `CREATE FUNCTION kill(a int) RETURNS ${type} LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM pg_terminate_backend(a); RETURN NULL; END $$;`,
  "in SQL": (type) =>
    `CREATE FUNCTION kill(a int) RETURNS ${type} LANGUAGE sql IMMUTABLE AS 'SELECT pg_terminate_backend($1)::text::${type}';`,
  "in SQL, its language and body in the other order": (type) =>
    `CREATE OR REPLACE FUNCTION kill(a int) RETURNS ${type} AS 'SELECT pg_terminate_backend($1)::text::${type}' SET application_name TO as STRICT /* LANGUAGE c */ IMMUTABLE LANGUAGE 'sql';`,
  "in SQL that PostgreSQL parses": (type) =>
    `CREATE FUNCTION kill(a int) RETURNS ${type} IMMUTABLE RETURN pg_terminate_backend(a)::text::${type};`,
  "in a block that PostgreSQL parses": (type) =>
    `CREATE FUNCTION kill(a int) RETURNS ${type} LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT pg_terminate_backend(a)::text::${type}; END;`,
  "behind one that PostgreSQL parses": (type) =>
    `CREATE FUNCTION inner_kill(a int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN pg_terminate_backend(a); END';
     CREATE FUNCTION kill(a int) RETURNS ${type} IMMUTABLE RETURN inner_kill(a)::text::${type};`,
};

/** Places where PostgreSQL evaluates `kill(§)` at once; `N` is the witness. */
const PLACES: Readonly<Record<string, readonly [type: string, sql: string]>> = {
  "the predicate of an index": [
    "boolean",
    "CREATE TABLE t (a int); CREATE INDEX i ON t (a) WHERE kill(§)",
  ],
  "the expression of an index": [
    "int",
    "CREATE TABLE t (a int); CREATE INDEX i ON t ((a + kill(§)))",
  ],
  "the default of a new column": [
    "int",
    "CREATE TABLE t (a int); ALTER TABLE t ADD b int DEFAULT kill(§)",
  ],
  "a generated column": [
    "int",
    "CREATE TABLE t (a int); ALTER TABLE t ADD b int GENERATED ALWAYS AS (kill(§)) STORED",
  ],
  "a check of a domain": [
    "boolean",
    "CREATE DOMAIN d AS int CHECK (kill(§)); CREATE TABLE t (a int); ALTER TABLE t ADD b d DEFAULT 1",
  ],
  "a cast": [
    "point",
    "CREATE CAST (int AS point) WITH FUNCTION kill(int) AS IMPLICIT; CREATE TABLE t (a int); ALTER TABLE t ADD b point DEFAULT §::int",
  ],
  "an operator in a default": [
    "int",
    "CREATE OPERATOR !@ (FUNCTION = kill, RIGHTARG = int); CREATE TABLE t (a int); ALTER TABLE t ADD b int DEFAULT (!@ §)",
  ],
  "an operator in a partition's bound": [
    "int",
    "CREATE OPERATOR !@ (FUNCTION = kill, RIGHTARG = int); CREATE TABLE t (a int) PARTITION BY LIST (a); CREATE TABLE p PARTITION OF t FOR VALUES IN ((!@ §))",
  ],
  "extended statistics": [
    "int",
    "CREATE TABLE t (a int, b int); CREATE STATISTICS s ON (a + kill(§)), b FROM t",
  ],
  "a row security policy": [
    "boolean",
    "CREATE TABLE t (a int); ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (kill(§))",
  ],
};

const isAlive = async (): Promise<boolean> =>
  witness.query("SELECT 1").then(
    () => true,
    () => false,
  );

/** Every body at the places that differ in how PostgreSQL evaluates, and one body at every place. */
const BODIES_AT_EACH = Object.entries(BODIES).map(([how, body], index) => {
  const some = ["the predicate of an index", "a cast", "an operator in a partition's bound"];
  return { how, body, places: index === 0 ? Object.keys(PLACES) : some };
});

describe.each(BODIES_AT_EACH)("a function $how", ({ body, places }) => {
  const tried = Object.entries(PLACES).filter(([place]) => places.includes(place));
  it.each(tried)("is not run for %s", async (_place, [type, sql]) => {
    const wanted = `${body(type)} ${sql.replaceAll("§", String(pid))}`;
    await using scratch = await PostgresScratch.open(database.url, "shop");
    // PostgreSQL may refuse the definition, but it never runs the function.
    const defined = await readDefinitions(wanted, "postgres")
      .then((definitions) => scratch.define(definitions))
      .then(() => scratch.introspect())
      .catch(() => undefined);
    expect(await isAlive()).toBe(true);
    if (defined === undefined) return;
    // A migration is proven by its scripts, which define the same.
    await using proof = await PostgresScratch.open(database.url, "shop");
    const empty = identify(await proof.introspect(), undefined);
    await proof.run(scriptBetween(empty, identify(defined, empty))).catch(() => undefined);
    await proof.introspect();
    expect(await isAlive()).toBe(true);
  });
});

it("would be run by PostgreSQL for most of these places", async () => {
  const run: string[] = [];
  for (const [place, [type, sql]] of Object.entries(PLACES)) {
    await using other = await freshDatabase();
    const body =
      BODIES["in PL/pgSQL"]?.(type).replace("pg_terminate_backend(a)", "public.ran()") ?? "";
    const ran = `CREATE SEQUENCE count; CREATE FUNCTION ran() RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('public.count') $$;`;
    await other.query(`${ran} ${body}`);
    for (const each of sql.replaceAll("§", "1").split("; ")) {
      await other.query(each).catch(() => undefined);
    }
    const [count] = (await other.query("SELECT is_called FROM count")) as readonly object[];
    if (count !== undefined && "is_called" in count && count.is_called === true) run.push(place);
  }
  expect(run).toEqual([
    "the predicate of an index",
    "the expression of an index",
    "the default of a new column",
    "a generated column",
    "a check of a domain",
    "a cast",
    "an operator in a default",
    "an operator in a partition's bound",
  ]);
});

describe("the schema that a scratch database is read as", () => {
  const ROUTINES = `
    CREATE TABLE t (a int PRIMARY KEY, b text);
    CREATE FUNCTION one(a int, OUT b int, OUT c text) LANGUAGE plpgsql STABLE AS 'BEGIN b := a; END';
    CREATE FUNCTION rows() RETURNS SETOF t LANGUAGE sql AS $f$ SELECT * FROM t WHERE b <> '$function$' $f$;
    CREATE FUNCTION as_table(x int DEFAULT 1) RETURNS TABLE (y int, z text) ROWS 5 LANGUAGE sql AS E'SELECT 1, \\'a\\'';
    CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO public, pg_temp AS $$ BEGIN RETURN NEW; END $$;
    CREATE TRIGGER noting BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION noted();
    CREATE FUNCTION number() RETURNS bigint RETURN nextval('counter');
    CREATE FUNCTION sum_of(VARIADIC n numeric(10,2)[]) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 7 RETURN n[1];
    CREATE FUNCTION at() RETURNS timestamp(3) with time zone LANGUAGE sql AS 'SELECT now()';
    CREATE PROCEDURE work(INOUT a int) LANGUAGE plpgsql AS 'BEGIN COMMIT; END';
    CREATE PROCEDURE clean() LANGUAGE sql AS 'DELETE FROM t';
    CREATE FUNCTION renamed(begin int) RETURNS int LANGUAGE sql AS 'SELECT 1';
    ALTER FUNCTION renamed(int) RENAME TO other_name;
    ALTER FUNCTION other_name(int) IMMUTABLE STRICT;
    CREATE VIEW v AS SELECT number() AS n, (one(1)).c AS o;`;

  it("has the real bodies, with everything that was changed since", async () => {
    await using real = await freshDatabase();
    await real.query(`CREATE SEQUENCE counter; ${ROUTINES}`);
    const draft = await new PostgresSchemaDatabase("shop", real.url).introspect();
    await using scratch = await PostgresScratch.open(real.url, "shop");
    await scratch.define(await readDefinitions(`CREATE SEQUENCE counter; ${ROUTINES}`, "postgres"));
    const base = identify(draft, undefined);
    const found = identify(await scratch.introspect(), base);
    expect(dumpSchema(found)).toBe(dumpSchema(draft));
    expect(rootOf(found)).toBe(rootOf(base));
    await using again = await PostgresScratch.open(real.url, "shop");
    await again.run(scriptBetween(identify(await again.introspect(), undefined), base));
    expect(rootOf(identify(await again.introspect(), base))).toBe(rootOf(base));
  });
});

describe("a proposal that makes PostgreSQL load code", () => {
  const DENIED = new AppError("POLICY_DENIED", "may not define code");
  const trying = async (sql: string): Promise<unknown> => {
    await using real = await freshDatabase();
    await real.query("CREATE EXTENSION citext");
    const shop = new PostgresSchemaDatabase("shop", real.url);
    const read = async (): Promise<Schema> => identify(await shop.introspect(), undefined);
    const mayDefineCode = (): Promise<void> => Promise.reject(DENIED);
    const proposal = { database: "shop", sql, message: "" };
    return await wantedSchema({ database: shop, read, mayDefineCode }, proposal);
  };

  it.each([
    "CREATE EXTENSION hstore",
    "CREATE EXTENSION IF NOT EXISTS hstore; CREATE EXTENSION missing",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE internal AS 'int4um'",
    "CREATE FUNCTION f(int) RETURNS int AS '$libdir/missing', 'f' LANGUAGE 'C'",
  ])("is refused before anything is tried, without the right to define code: %s", async (sql) => {
    await expect(trying(sql)).rejects.toBe(DENIED);
  });

  it("needs no right for the extensions that the database has", async () => {
    await expect(
      trying("CREATE EXTENSION citext; CREATE TABLE t (a citext)"),
    ).resolves.toBeDefined();
  });
});
