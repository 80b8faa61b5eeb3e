import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, define, dropMadeRoles, resultOf } from "./testing/transition.js";

const TRANSITIONS: readonly (readonly [string, string, string])[] = [
  [
    "a function that a default, a check and an index need",
    "CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'select a'; CREATE TABLE t(a int DEFAULT f(1), CHECK (f(a) > 0)); CREATE INDEX i ON t (f(a))",
    "CREATE FUNCTION f(a int) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'select a::bigint'; CREATE TABLE t(a int DEFAULT f(1), CHECK (f(a) > 0)); CREATE INDEX i ON t (f(a))",
  ],
  [
    "a type under a generated column",
    "CREATE TABLE t(a int, b int GENERATED ALWAYS AS (a*2) STORED); CREATE INDEX i ON t(b); CREATE VIEW v AS SELECT b FROM t",
    "CREATE TABLE t(a bigint, b bigint GENERATED ALWAYS AS (a*3) STORED); CREATE INDEX i ON t(b); CREATE VIEW v AS SELECT b FROM t",
  ],
  [
    "an enum under a default, a check, an index, a view and a function",
    "CREATE TYPE e AS ENUM ('a','b'); CREATE TABLE t(x e DEFAULT 'a', CHECK (x <> 'b')); CREATE INDEX i ON t(x) WHERE x = 'a'; CREATE VIEW v AS SELECT * FROM t; CREATE FUNCTION f(z e) RETURNS e LANGUAGE sql AS 'select z'",
    "CREATE TYPE e AS ENUM ('b','c'); CREATE TABLE t(x e DEFAULT 'c', CHECK (x <> 'b')); CREATE INDEX i ON t(x) WHERE x = 'c'; CREATE VIEW v AS SELECT * FROM t; CREATE FUNCTION f(z e) RETURNS e LANGUAGE sql AS 'select z'",
  ],
  [
    "partitions that move their bounds",
    "CREATE TABLE p(a int, b int) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
    "CREATE TABLE p(a int, b int, c text NOT NULL DEFAULT '') PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (20); CREATE INDEX pi ON p(b); CREATE TABLE p2 PARTITION OF p DEFAULT",
  ],
  [
    "foreign keys in a circle",
    "CREATE TABLE a(i int primary key, b int)",
    "CREATE TABLE a(i int primary key, b int); CREATE TABLE b(i int primary key, a int references a); ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b",
  ],
  [
    "a type under a policy and a trigger",
    "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end'; CREATE TABLE t(a int); CREATE POLICY p ON t USING (a > 1); CREATE TRIGGER g BEFORE UPDATE OF a ON t FOR EACH ROW WHEN (OLD.a > 1) EXECUTE FUNCTION f()",
    "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end'; CREATE TABLE t(a bigint); CREATE POLICY p ON t USING (a > 1); CREATE TRIGGER g BEFORE UPDATE OF a ON t FOR EACH ROW WHEN (OLD.a > 1) EXECUTE FUNCTION f()",
  ],
  [
    "names that need quotes",
    'CREATE TABLE "a b"("c d" int, "E""f" text)',
    'CREATE SCHEMA "S p"; CREATE TABLE "a b"("c d" bigint, "E""f" text NOT NULL DEFAULT \'q\'\'\'); CREATE INDEX "i USING x" ON "a b"("c d"); CREATE VIEW "S p".v AS SELECT "c d" FROM "a b"',
  ],
  [
    "a schema that goes with everything in it",
    "CREATE SCHEMA s; CREATE TABLE s.t(a int); CREATE TYPE s.e AS ENUM('a'); CREATE FUNCTION s.f() RETURNS int LANGUAGE sql AS 'select 1'",
    "CREATE TABLE x(a int)",
  ],
  [
    "two enums replaced",
    "CREATE TYPE e AS ENUM ('a','b'); CREATE TYPE f AS ENUM ('a','b'); CREATE TABLE t(x e, y f)",
    "CREATE TYPE e AS ENUM ('b'); CREATE TYPE f AS ENUM ('z','a'); CREATE TABLE t(x e, y f NOT NULL, PRIMARY KEY (x))",
  ],
  [
    "grants cols",
    "CREATE TABLE t(a int, b int)",
    "CREATE TABLE t(a int, b int); GRANT SELECT (a) ON t TO readonly_x; GRANT SELECT ON t TO PUBLIC; CREATE VIEW v AS SELECT a FROM t; GRANT SELECT ON v TO readonly_x",
  ],
  [
    "view recreated keeps grants",
    "CREATE TABLE t(a int, b int); CREATE VIEW v AS SELECT a FROM t; GRANT SELECT ON v TO readonly_x; COMMENT ON VIEW v IS 'c'",
    "CREATE TABLE t(a text, b int); CREATE VIEW v AS SELECT a FROM t; GRANT SELECT ON v TO readonly_x; COMMENT ON VIEW v IS 'c'",
  ],
  ["int to uuid", "CREATE TABLE t(a int)", "CREATE TABLE t(a uuid)"],
  ["text to jsonb", "CREATE TABLE t(a text DEFAULT '{}')", "CREATE TABLE t(a jsonb DEFAULT '{}')"],
  ["bool to int", "CREATE TABLE t(a boolean DEFAULT true)", "CREATE TABLE t(a smallint DEFAULT 1)"],
  ["ts", "CREATE TABLE t(a timestamp)", "CREATE TABLE t(a timestamptz DEFAULT now())"],
  ["bytea", "CREATE TABLE t(a int)", "CREATE TABLE t(a bytea)"],
  [
    "ext",
    "CREATE TABLE t(a text)",
    "CREATE EXTENSION pg_trgm; CREATE TABLE t(a text); CREATE INDEX i ON t USING gin (a gin_trgm_ops)",
  ],
  ["citext", "CREATE EXTENSION citext; CREATE TABLE t(a citext)", "CREATE TABLE t(a text)"],
  [
    "domain on domain",
    "CREATE DOMAIN a AS text",
    "CREATE DOMAIN a AS text CHECK (VALUE <> ''); CREATE DOMAIN b AS a NOT NULL; CREATE TYPE c AS (x b); CREATE TABLE t(z c, y b[])",
  ],
  ["serial drop", "CREATE TABLE t(a serial, b int)", "CREATE TABLE t(b int)"],
  ["serial to int", "CREATE TABLE t(a serial)", "CREATE TABLE t(a int)"],
  ["bigserial", "CREATE TABLE t(a serial primary key)", "CREATE TABLE t(a bigserial primary key)"],
  [
    "seq default shared",
    "CREATE SEQUENCE s; CREATE TABLE t(a int DEFAULT nextval('s'))",
    "CREATE TABLE t(a int)",
  ],
  [
    "overload",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql AS 'select 1'",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql AS 'select 1'; CREATE FUNCTION f(text) RETURNS int LANGUAGE sql AS 'select 2'; COMMENT ON FUNCTION f(text) IS 'two'",
  ],
  [
    "fk to fk type change",
    "CREATE TABLE a(i int primary key); CREATE TABLE b(i int references a)",
    "CREATE TABLE a(i bigint primary key); CREATE TABLE b(i bigint references a on delete cascade)",
  ],
  [
    "fk type mismatch step",
    "CREATE TABLE a(i int primary key); CREATE TABLE b(i int references a)",
    "CREATE TABLE a(i uuid primary key); CREATE TABLE b(i uuid references a)",
  ],
  [
    "part key idx",
    "CREATE TABLE p(a int, b int) PARTITION BY RANGE (a)",
    "CREATE TABLE p(a int, b int, PRIMARY KEY (a)) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (1) TO (2); CREATE TABLE r(x int REFERENCES p)",
  ],
  [
    "not null part",
    "CREATE TABLE p(a int, b int) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (1) TO (2)",
    "CREATE TABLE p(a int, b bigint NOT NULL CHECK (b > 0)) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (1) TO (2)",
  ],
  [
    "trigger fn gone",
    "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end'; CREATE TABLE t(a int); CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()",
    "CREATE TABLE t(a int)",
  ],
  [
    "view chain col rename-ish",
    "CREATE TABLE t(a int, b int); CREATE VIEW v AS SELECT a AS x FROM t; CREATE VIEW w AS SELECT x FROM v",
    "CREATE TABLE t(b int); CREATE VIEW v AS SELECT b AS y FROM t; CREATE VIEW w AS SELECT y FROM v",
  ],
  ["case", 'CREATE TABLE "T"("A" int); CREATE TABLE t(a int)', 'CREATE TABLE t("A" int, a text)'],
  [
    "check not valid",
    "CREATE TABLE t(a int)",
    "CREATE TABLE t(a int); ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID",
  ],
  [
    "long names",
    "CREATE TABLE t(a int)",
    "CREATE TABLE aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb int UNIQUE CHECK (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb > 0))",
  ],
  [
    "collation",
    "CREATE TABLE t(a text)",
    'CREATE TABLE t(a text COLLATE "C"); CREATE INDEX i ON t(a COLLATE "POSIX")',
  ],
  [
    "identity opts",
    "CREATE TABLE t(a int GENERATED ALWAYS AS IDENTITY)",
    "CREATE TABLE t(a bigint GENERATED BY DEFAULT AS IDENTITY (START 10 CACHE 5 CYCLE))",
  ],
];

describe("a PostgreSQL schema becomes another one, and comes back", () => {
  let databases: readonly TestDatabase[];
  let one: pg.Client;
  let other: pg.Client;

  beforeAll(async () => {
    const [first, second] = [await freshDatabase(), await freshDatabase()];
    databases = [first, second];
    [one, other] = [await connect(first.url), await connect(second.url)];
  });
  afterAll(async () => {
    await Promise.all([one.end(), other.end()]);
    for (const database of databases) await database[Symbol.asyncDispose]();
    await using server = await freshDatabase();
    await dropMadeRoles(server.url);
  });

  it.each(TRANSITIONS)("%s", async (_name, current, desired) => {
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
  });

  it("a virtual column, where the server has such", async (context) => {
    const { rows } = await one.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    context.skip((rows[0]?.version ?? 0) < 180_000, "since PostgreSQL 18");
    const current = "CREATE TABLE t(a int)";
    const desired = "CREATE TABLE t(a int, b int GENERATED ALWAYS AS (a + 1) VIRTUAL)";
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
  });
});
