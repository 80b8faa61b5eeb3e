import { describe, expect, it } from "vitest";
import { migrationOn } from "../testing/migration-on.js";
import { PostgresSchemaDatabase } from "./index.js";
import { answersOnTheWay, define, openPair, resultOf } from "./testing/transition.js";

const P = (type: string, more = ""): string => `CREATE TABLE p(a int, b ${type} NOT NULL${more});`;
const USERS =
  "CREATE VIEW v AS SELECT b FROM c; CREATE POLICY q ON c USING (b::text <> 'x'); CREATE INDEX i ON c(b); ALTER TABLE c ADD CHECK (b::text <> 'y')";
const CHECKED = "CREATE TABLE p(a int, b int NOT NULL CONSTRAINT k CHECK (b > 0));";
const OWN_CHECK = "CREATE TABLE c(b int NOT NULL CONSTRAINT k CHECK (b > 0), n int) INHERITS (p);";

/** Schemas, rows of the first one, the second schema, and a query whose answer stays the same. */
const CHANGES: readonly (readonly [string, string, string, string, string])[] = [
  [
    "a type, with a NOT NULL of the child's own, under what uses the child's column",
    `${P("int")} CREATE TABLE c(b int NOT NULL, n int) INHERITS (p); ${USERS}`,
    "INSERT INTO c VALUES (1, 2, 3)",
    `${P("bigint")} CREATE TABLE c(b bigint NOT NULL, n int) INHERITS (p); ${USERS}`,
    "SELECT a, b::int, n FROM c",
  ],
  [
    "a type that only the parent declares, under what uses the child's column",
    `${P("int")} CREATE TABLE c(n int) INHERITS (p); CREATE TABLE g() INHERITS (c); ${USERS}`,
    "INSERT INTO c VALUES (1, 2, 3); INSERT INTO g VALUES (4, 5, 6)",
    `${P("bigint")} CREATE TABLE c(n int) INHERITS (p); CREATE TABLE g() INHERITS (c); ${USERS}`,
    "SELECT a, b::int, n FROM c ORDER BY a",
  ],
  [
    "a serial key of parent and child that gets wider",
    "CREATE TABLE p(id serial PRIMARY KEY); CREATE TABLE c(n int, PRIMARY KEY (id)) INHERITS (p)",
    "INSERT INTO c(n) VALUES (1), (2)",
    "CREATE TABLE p(id bigserial PRIMARY KEY); CREATE TABLE c(n int, PRIMARY KEY (id)) INHERITS (p)",
    "SELECT id::int, n FROM p JOIN c USING (id) ORDER BY id",
  ],
  [
    "a type that two parents hand down",
    "CREATE TABLE p(a int, b text); CREATE TABLE o(b text, z int); CREATE TABLE c(b text, n int) INHERITS (p, o); CREATE TABLE d() INHERITS (o, p)",
    "INSERT INTO c VALUES (1, 'b', 2, 3); INSERT INTO d(b) VALUES ('d')",
    "CREATE TABLE p(a int, b varchar(9)); CREATE TABLE o(b varchar(9), z int, y int); CREATE TABLE c(b varchar(9), n int) INHERITS (p, o); CREATE TABLE d() INHERITS (o, p)",
    "SELECT a, b, z FROM p LEFT JOIN o USING (b) ORDER BY b",
  ],
  [
    "a type in a diamond, and an enum's labels",
    "CREATE TYPE e AS ENUM ('x', 'y'); CREATE TABLE p(a int, b e); CREATE TABLE l() INHERITS (p); CREATE TABLE r(b e) INHERITS (p); CREATE TABLE c(a int) INHERITS (l, r)",
    "INSERT INTO c VALUES (1, 'x')",
    "CREATE TYPE e AS ENUM ('y', 'x'); CREATE TABLE p(a bigint, b e); CREATE TABLE l() INHERITS (p); CREATE TABLE r(b e) INHERITS (p); CREATE TABLE c(a bigint) INHERITS (l, r)",
    "SELECT a::int, b::text FROM p",
  ],
  [
    "a column that goes from the parent and stays in the child, with a check",
    `${CHECKED} ${OWN_CHECK} ${USERS}`,
    "INSERT INTO c VALUES (1, 2, 3)",
    `CREATE TABLE p(a int); ${OWN_CHECK} ${USERS}`,
    "SELECT a, b, n FROM c",
  ],
  [
    "a column that goes from the child too",
    `${CHECKED} ${OWN_CHECK}`.replaceAll("NOT NULL ", ""),
    "INSERT INTO c VALUES (1, 2, 3)",
    "CREATE TABLE p(a int); CREATE TABLE c(n int) INHERITS (p);",
    "SELECT a, n FROM c",
  ],
  [
    "a column that one of two parents gives up",
    "CREATE TABLE p(a int); CREATE TABLE o(a int, z int); CREATE TABLE c(a int, n int) INHERITS (p, o)",
    "INSERT INTO c VALUES (1, 2, 3)",
    "CREATE TABLE p(a int); CREATE TABLE o(z int); CREATE TABLE c(n int) INHERITS (p, o)",
    "SELECT a, n, z FROM c",
  ],
  [
    "a column that moves to the parent and its other child",
    "CREATE TABLE p(a int); CREATE TABLE c(a int, b int) INHERITS (p); CREATE TABLE d(b int) INHERITS (p); CREATE VIEW v AS SELECT b FROM c",
    "INSERT INTO c VALUES (1, 2); INSERT INTO d VALUES (3, 4)",
    "CREATE TABLE p(a int, b int); CREATE TABLE c(a int, b int) INHERITS (p); CREATE TABLE d() INHERITS (p); CREATE VIEW v AS SELECT b FROM c",
    "SELECT a, b FROM c UNION ALL SELECT a, b FROM d",
  ],
  [
    "a name, of the parent's and the child's column",
    "CREATE TABLE p(a int, b int DEFAULT 1); CREATE TABLE c(b int DEFAULT 2, n int) INHERITS (p); CREATE INDEX i ON c(b)",
    "INSERT INTO c(a) VALUES (1)",
    "CREATE TABLE p(a int, d int DEFAULT 1 /* @renamed from=b */); CREATE TABLE c(d int DEFAULT 3 /* @renamed from=b */, n int) INHERITS (p); CREATE INDEX i ON c(d)",
    "SELECT c.*::text FROM c",
  ],
  [
    "defaults and NOT NULL that differ",
    "CREATE TABLE p(a int NOT NULL, b int DEFAULT 1); CREATE TABLE c(a int, b int DEFAULT 2) INHERITS (p); CREATE TABLE d(a int NOT NULL) INHERITS (p)",
    "INSERT INTO c(a) VALUES (1)",
    "CREATE TABLE p(a int, b int DEFAULT 3); CREATE TABLE c(a int, b int DEFAULT 2 NOT NULL) INHERITS (p); CREATE TABLE d(a int NOT NULL) INHERITS (p)",
    "SELECT a, b FROM c",
  ],
  [
    "generated columns, and an identity of the child's own",
    "CREATE TABLE p(id int NOT NULL, g int GENERATED ALWAYS AS (id + 1) STORED); CREATE TABLE c(id int GENERATED ALWAYS AS IDENTITY, g int GENERATED ALWAYS AS (id + 2) STORED, n int) INHERITS (p)",
    "INSERT INTO c(n) VALUES (1)",
    "CREATE TABLE p(id bigint NOT NULL, g bigint GENERATED ALWAYS AS (id + 1) STORED); CREATE TABLE c(id bigint GENERATED ALWAYS AS IDENTITY, g bigint GENERATED ALWAYS AS (id + 2) STORED, n int) INHERITS (p)",
    "SELECT id::int, g::int, n FROM c",
  ],
];

const pair = await openPair();

describe("a column that a table inherits, and may declare itself", () => {
  it.each(CHANGES)("changes, and comes back: %s", async (_title, current, rows, desired, query) => {
    const { one, other } = pair;
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
    const given = { current, desired, rows, query };
    const [before, there, back] = await answersOnTheWay(one, other, given);
    expect([there, back]).toEqual([before, before]);
  });

  it("changes again after it was made the child's own by a first change, and goes with the parent's", async () => {
    const { one, url } = pair;
    await define(
      one,
      "CREATE TABLE p(a int, b int NOT NULL, CHECK (b > 0)); CREATE TABLE c() INHERITS (p); INSERT INTO c VALUES (1, 2)",
    );
    const database = new PostgresSchemaDatabase("shop", url);
    const wanted = (type: string): string =>
      `CREATE TABLE p(a int, b ${type} NOT NULL, CHECK (b > 0)); CREATE TABLE c() INHERITS (p)`;
    await migrationOn(database, wanted("bigint"));
    await migrationOn(database, wanted("numeric"));
    expect((await one.query<object>("SELECT a, b FROM public.p")).rows).toEqual([{ a: 1, b: "2" }]);
    await one.query("DELETE FROM public.c");
    await expect(
      migrationOn(database, "CREATE TABLE p(a int); CREATE TABLE c() INHERITS (p)"),
    ).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
  });
});
