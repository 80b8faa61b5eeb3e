import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { identify, rootOf, scriptBetween } from "../index.js";
import { withoutUnmanaged } from "../postgres/objects/unmanaged.js";
import { introspectScratch, runScript } from "./session.js";
import {
  answersOnTheWay,
  define,
  openPair,
  resultOf,
  touchedObjects,
} from "./testing/transition.js";

const USERS_OF_C = `CREATE VIEW v AS SELECT a, b FROM c; CREATE VIEW w AS SELECT * FROM v; CREATE MATERIALIZED VIEW m AS SELECT b FROM c;
  CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT sum(b) FROM c; END; CREATE POLICY q ON c USING (b > 0); CREATE STATISTICS s ON a, b FROM c;
  CREATE TRIGGER t BEFORE UPDATE OF b ON c FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`;
const MOVED_COLUMN = [
  "a column that moves from a parent to its child, under views, routines and more",
  `CREATE TABLE p(a int, b int DEFAULT 3); CREATE TABLE c(k int) INHERITS (p); ${USERS_OF_C}`,
  `CREATE TABLE p(a int); CREATE TABLE c(k int, b int DEFAULT 3) INHERITS (p); ${USERS_OF_C}`,
] as const;

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
    "a foreign key to columns that an index makes unique",
    "CREATE TABLE a(i int); CREATE TABLE b(i int); CREATE TABLE p(i int) PARTITION BY LIST (i); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)",
    `CREATE TABLE a(i int); CREATE UNIQUE INDEX ON a(i); CREATE TABLE b(i int REFERENCES a(i));
      CREATE TABLE p(i int) PARTITION BY LIST (i); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
      CREATE UNIQUE INDEX ON p(i); ALTER TABLE b ADD CONSTRAINT k FOREIGN KEY (i) REFERENCES p(i); COMMENT ON CONSTRAINT k ON b IS 'x'`,
  ],
  [
    "a partition of a table that a foreign key refers to",
    "CREATE TABLE p(i int PRIMARY KEY) PARTITION BY LIST (i); CREATE TABLE b(i int REFERENCES p)",
    "CREATE TABLE p(i int PRIMARY KEY) PARTITION BY LIST (i); CREATE TABLE b(i int REFERENCES p); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)",
  ],
  [
    "a key of partitions, of other columns, and one that has not been attached",
    `CREATE TABLE p(i int, j int, PRIMARY KEY (i)) PARTITION BY LIST (i); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
      CREATE TABLE q(i int NOT NULL) PARTITION BY LIST (i); CREATE TABLE q1 PARTITION OF q FOR VALUES IN (1);
      CREATE UNIQUE INDEX k ON ONLY q(i); ALTER TABLE q1 ADD PRIMARY KEY (i)`,
    `CREATE TABLE p(i int, j int, PRIMARY KEY (i, j)) PARTITION BY LIST (i); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
      CREATE TABLE q(i int NOT NULL) PARTITION BY LIST (i); CREATE TABLE q1 PARTITION OF q FOR VALUES IN (1);
      ALTER TABLE q ADD CONSTRAINT k PRIMARY KEY (i)`,
  ],
  [
    "a column under a partition's own key",
    `CREATE TABLE p(i int) PARTITION BY LIST (i); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)`,
    `CREATE TABLE p(i int, j int) PARTITION BY LIST (i); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
      ALTER TABLE p1 ADD PRIMARY KEY (i, j)`,
  ],
  [
    "lists of values that PostgreSQL prints otherwise than it reads them",
    "CREATE TABLE t(a varchar(9) CHECK (a IN ('p', 'q')), b int); CREATE INDEX i ON t(b) WHERE a IN ('p', 'q')",
    `CREATE TABLE t(a varchar(9) CHECK (a IN ('p', 'q', 'r')), b int, c int); CREATE INDEX i ON t(b) WHERE a IN ('p', 'q');
      CREATE VIEW v AS SELECT b FROM t WHERE a IN ('p', 'q') AND b = ANY ((ARRAY[1, 2])::bigint[]); CREATE POLICY p ON t USING (a NOT IN ('x', 'y'))`,
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
  [
    "rights: revoked ones, an owner's, a type's, an identity column's sequence",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'; CREATE TYPE e AS ENUM ('a'); CREATE TABLE t(i int GENERATED ALWAYS AS IDENTITY)",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'; REVOKE ALL ON FUNCTION f() FROM PUBLIC; CREATE TYPE e AS ENUM ('a'); REVOKE ALL ON TYPE e FROM PUBLIC; GRANT USAGE ON TYPE e TO readonly_x; CREATE TABLE t(i int GENERATED ALWAYS AS IDENTITY); REVOKE DELETE ON t FROM CURRENT_USER; GRANT USAGE ON SEQUENCE t_i_seq TO readonly_x",
  ],
  [
    "default privileges, and tables that are made under them",
    "CREATE SCHEMA s; ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO readonly_x; CREATE TABLE s.a(x int)",
    "CREATE SCHEMA s; ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO readonly_x; CREATE TABLE s.a(x int); CREATE TABLE s.b(x int); REVOKE SELECT ON s.b FROM readonly_x; ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
  ],
  ...(
    [
      ["a database's default privileges, the owner among the grantees", "", "postgres"],
      ["a schema's, the owner among the grantees", "IN SCHEMA public ", "postgres"],
      ["a schema's, and everybody among the grantees", "IN SCHEMA public ", "PUBLIC"],
      ["a schema's, and an owner-to-be", "IN SCHEMA public ", "owner_x"],
    ] as const
  ).map(([title, place, grantee]) => {
    const given = ["TABLES", "SEQUENCES", "FUNCTIONS", "TYPES"]
      .map(
        (sort) =>
          `ALTER DEFAULT PRIVILEGES ${place}GRANT ALL ON ${sort} TO readonly_x, ${grantee};`,
      )
      .join(" ");
    return [
      `new objects of every sort under ${title}`,
      `${given} CREATE TABLE t(a int)`,
      `${given} CREATE TABLE t(a int, b serial); CREATE TABLE u(a int GENERATED ALWAYS AS IDENTITY); CREATE TYPE e AS ENUM ('a');
        CREATE VIEW v AS SELECT a FROM t; ALTER VIEW v OWNER TO owner_x; CREATE PROCEDURE q() LANGUAGE sql AS 'select 1';
        CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'; ALTER FUNCTION f() OWNER TO owner_x; ALTER TABLE u OWNER TO owner_x`,
    ] as const;
  }),
  [
    "a schema's default privileges with the option to grant, and what a database's take away",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO postgres WITH GRANT OPTION; ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO PUBLIC",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO postgres WITH GRANT OPTION; ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO PUBLIC; CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'",
  ],
  [
    "an owner who had rights before",
    "CREATE TABLE t(a int); GRANT SELECT, UPDATE (a) ON t TO owner_x",
    "CREATE TABLE t(a int); GRANT UPDATE (a) ON t TO owner_x; ALTER TABLE t OWNER TO owner_x",
  ],
  [
    "the schema public as older servers make it",
    "COMMENT ON SCHEMA public IS NULL; GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE TABLE t(a int)",
    "CREATE TABLE t(a int, b int)",
  ],
  [
    "an owner of a table with a serial column",
    "CREATE TABLE t(a serial)",
    "CREATE TABLE t(a serial, b serial); ALTER TABLE t OWNER TO readonly_x",
  ],
  [
    "what is said of a view's columns, when the view is made again",
    "CREATE TABLE t(a int, b int); CREATE VIEW v AS SELECT a FROM t; COMMENT ON COLUMN v.a IS 'c'; ALTER VIEW v ALTER a SET DEFAULT 7; GRANT UPDATE (a) ON v TO readonly_x",
    "CREATE TABLE t(a bigint, b int); CREATE VIEW v AS SELECT a FROM t; COMMENT ON COLUMN v.a IS 'c'; ALTER VIEW v ALTER a SET DEFAULT 8; GRANT UPDATE (a) ON v TO readonly_x",
  ],
  [
    "defaults of inherited columns, beside their parent's",
    "CREATE TABLE p(a int DEFAULT 1, b int DEFAULT 1); CREATE TABLE c() INHERITS (p); ALTER TABLE c ALTER a SET DEFAULT 3",
    "CREATE TABLE p(a int DEFAULT 2, b int DEFAULT 1); CREATE TABLE c() INHERITS (p); ALTER TABLE c ALTER a SET DEFAULT 3, ALTER b DROP DEFAULT",
  ],
  [
    "how columns and indexes are kept",
    "CREATE TABLE t(a int NOT NULL, b text); CREATE UNIQUE INDEX i ON t(a)",
    "CREATE TABLE t(a int NOT NULL, b text); CREATE UNIQUE INDEX i ON t(a); ALTER TABLE t ALTER a SET STATISTICS 500, ALTER b SET STORAGE EXTERNAL, ALTER a SET (n_distinct = 5); ALTER TABLE t CLUSTER ON i, REPLICA IDENTITY USING INDEX i; CREATE TABLE u(k int, PRIMARY KEY (k) WITH (fillfactor = 50)); COMMENT ON INDEX u_pkey IS 'k'",
  ],
  [
    "aggregates, operators, casts and rules",
    "CREATE TYPE c AS (x int); CREATE FUNCTION toc(int) RETURNS c LANGUAGE sql IMMUTABLE AS 'select row($1)::c'; CREATE FUNCTION same(c, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'select true'; CREATE TABLE t(a c, b int)",
    "CREATE TYPE c AS (x int); CREATE FUNCTION toc(int) RETURNS c LANGUAGE sql IMMUTABLE AS 'select row($1)::c'; CREATE FUNCTION same(c, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'select true'; CREATE OPERATOR === (FUNCTION = same, LEFTARG = c, RIGHTARG = int); CREATE CAST (int AS c) WITH FUNCTION toc(int) AS ASSIGNMENT; CREATE AGGREGATE total(int) (SFUNC = int4pl, STYPE = int, INITCOND = '0'); CREATE TABLE t(a c, b int, CHECK (a === b)); CREATE RULE r AS ON DELETE TO t DO INSTEAD NOTHING; CREATE VIEW v AS SELECT total(b) FROM t",
  ],
  [
    "collations, statistics and text search",
    "CREATE COLLATION k (PROVIDER = icu, LOCALE = 'de'); CREATE TABLE t(a text COLLATE k, b int); CREATE INDEX i ON t(a)",
    "CREATE COLLATION k (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false); CREATE TEXT SEARCH CONFIGURATION z (COPY = simple); CREATE TABLE t(a text COLLATE k, b int, v tsvector GENERATED ALWAYS AS (to_tsvector('z', b::text)) STORED); CREATE INDEX i ON t(a); CREATE STATISTICS s ON a, b FROM t",
  ],
  [
    "foreign tables, their servers, and publications",
    "CREATE EXTENSION postgres_fdw; CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'a'); CREATE FOREIGN TABLE f(a int) SERVER s; CREATE VIEW v AS SELECT a FROM f; CREATE TABLE t(a int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t",
    "CREATE EXTENSION postgres_fdw; CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'b'); CREATE FOREIGN TABLE f(a int, b text OPTIONS (column_name 'x')) SERVER s OPTIONS (table_name 'y'); CREATE VIEW v AS SELECT a FROM f; CREATE TABLE t(a bigint PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t WITH (publish = 'insert')",
  ],
  [
    "functions that need a view, or a key that they group by",
    "CREATE TABLE t(a int PRIMARY KEY, b int)",
    "CREATE TABLE t(a int PRIMARY KEY, b int); CREATE VIEW v AS SELECT * FROM t; CREATE FUNCTION f() RETURNS SETOF v LANGUAGE sql AS 'select * from v'; CREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT b FROM t GROUP BY a; END",
  ],
  [
    "a table whose check and index need a function of its rows",
    "CREATE TABLE t(a int); CREATE FUNCTION ok(t) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'select true'; ALTER TABLE t ADD CHECK (ok(t.*)); CREATE INDEX i ON t((ok(t.*)))",
    "CREATE TABLE u(a int)",
  ],
  [
    "a name that passes from one sort of object to another",
    "CREATE FUNCTION f(int) RETURNS void LANGUAGE sql AS 'select 1'; CREATE VIEW x AS SELECT 1 AS a; CREATE SEQUENCE y",
    "CREATE PROCEDURE f(int) LANGUAGE sql AS 'select 1'; CREATE TABLE x(a int); CREATE TYPE y AS ENUM ('a')",
  ],
  [
    "parameters that have other names",
    "CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'select 1'; CREATE TABLE t(x int DEFAULT f(1))",
    "CREATE FUNCTION f(b int) RETURNS int LANGUAGE sql AS 'select 1'; CREATE TABLE t(x int DEFAULT f(1))",
  ],
  [
    "a function under a generated column",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'select 1'; CREATE TABLE t(a int, b int GENERATED ALWAYS AS (f(a)) STORED); CREATE INDEX i ON t(b)",
    "CREATE FUNCTION f(int) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'select 1::bigint'; CREATE TABLE t(a int, b bigint GENERATED ALWAYS AS (f(a)) STORED); CREATE INDEX i ON t(b)",
  ],
  [
    "a function that gets a parameter with a default, under all that calls it",
    `CREATE FUNCTION f(a int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'select true'; CREATE TABLE t(a int, b boolean DEFAULT f(1), CHECK (f(a)));
      CREATE POLICY p ON t USING (f(a)); CREATE VIEW v AS SELECT f(a) FROM t; CREATE INDEX i ON t (f(a)); CREATE TABLE g(a int, b boolean GENERATED ALWAYS AS (f(a)) STORED)`,
    `CREATE FUNCTION f(a int, b int DEFAULT 1) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'select true'; CREATE TABLE t(a int, b boolean DEFAULT f(1), CHECK (f(a)));
      CREATE POLICY p ON t USING (f(a)); CREATE VIEW v AS SELECT f(a) FROM t; CREATE INDEX i ON t (f(a)); CREATE TABLE g(a int, b boolean GENERATED ALWAYS AS (f(a)) STORED)`,
  ],
  [
    "a sequence that outlives the column it went with",
    "CREATE TABLE t(a int, b int); CREATE SEQUENCE s OWNED BY t.b",
    "CREATE TABLE t(a int); CREATE SEQUENCE s",
  ],
  [
    "an identity column that becomes a serial one",
    "CREATE TABLE t(id int GENERATED ALWAYS AS IDENTITY)",
    "CREATE TABLE t(id serial)",
  ],
  [
    "the type of a partition key, under indexes of one partition",
    "CREATE TABLE p(a int, b int) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (9); CREATE INDEX i ON p1(b); CREATE VIEW v AS SELECT a FROM p",
    "CREATE TABLE p(a bigint, b int) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p (b DEFAULT 5 NOT NULL) FOR VALUES FROM (0) TO (9); CREATE INDEX i ON p1(b); CREATE VIEW v AS SELECT a FROM p",
  ],
  [
    "the type under a domain with a check",
    "CREATE DOMAIN d AS int CHECK (VALUE > 0); CREATE TABLE t(a d, b d[])",
    "CREATE DOMAIN d AS bigint CHECK (VALUE > 0); CREATE TABLE t(a d, b d[])",
  ],
  [
    "a narrower type under a domain over a domain",
    "CREATE DOMAIN d AS bigint; CREATE DOMAIN e AS d CHECK (VALUE > 0); CREATE TABLE t(a e, b d)",
    "CREATE DOMAIN d AS int; CREATE DOMAIN e AS d CHECK (VALUE > 0); CREATE TABLE t(a e, b d)",
  ],
  [
    "storage and statistics of columns of a partition and of its parent",
    `CREATE TABLE c(a int NOT NULL, b text, d text); ALTER TABLE c ALTER d SET STATISTICS 3, ALTER d SET STORAGE MAIN;
     CREATE TABLE p(a int NOT NULL, b text, d text) PARTITION BY LIST (a); ALTER TABLE p ALTER b SET STATISTICS 9, ALTER b SET STORAGE EXTERNAL;
     ALTER TABLE p ATTACH PARTITION c FOR VALUES IN (1);`,
    `CREATE TABLE p(a int NOT NULL, b text, d text) PARTITION BY LIST (a); CREATE TABLE c PARTITION OF p FOR VALUES IN (1);
     ALTER TABLE p ALTER d SET STATISTICS 4, ALTER d SET STORAGE EXTERNAL; ALTER TABLE ONLY p ALTER b SET STATISTICS 5, ALTER b SET STORAGE MAIN;`,
  ],
  [
    "a column that moves from a parent to its child, with a default and an index",
    "CREATE TABLE p(a int, b int DEFAULT 3); CREATE TABLE c(k int) INHERITS (p); CREATE TABLE g() INHERITS (c); CREATE INDEX i ON c (b)",
    "CREATE TABLE p(a int); CREATE TABLE c(k int, b int DEFAULT 3) INHERITS (p); CREATE TABLE g() INHERITS (c); CREATE INDEX i ON c (b)",
  ],
  [
    "a checked column that moves from a parent to its child",
    "CREATE TABLE p(a int, b int NOT NULL CHECK (b > 0)); CREATE TABLE c(k int) INHERITS (p); CREATE INDEX i ON c (b)",
    "CREATE TABLE p(a int); CREATE TABLE c(k int, b int NOT NULL) INHERITS (p); CREATE INDEX i ON c (b)",
  ],
  [
    "a column that moves from a parent to a grandchild",
    "CREATE TABLE p(a int, b int); CREATE TABLE c() INHERITS (p); CREATE TABLE g() INHERITS (c)",
    "CREATE TABLE p(a int); CREATE TABLE c() INHERITS (p); CREATE TABLE g(b int) INHERITS (c)",
  ],
  MOVED_COLUMN,
  [
    "a generated column that needs a column which moves to its parent",
    "CREATE TABLE p(a int); CREATE TABLE c(k int, b int, g int GENERATED ALWAYS AS (b + k) STORED, CHECK (b > k)) INHERITS (p)",
    "CREATE TABLE p(a int, b int); CREATE TABLE c(k int, g int GENERATED ALWAYS AS (b + k) STORED, CHECK (b > k)) INHERITS (p)",
  ],
  [
    "a routine that needs a new column, and one that needs a retyped column",
    "CREATE TABLE t(a int); CREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT a FROM t; END",
    "CREATE TABLE t(a bigint, b int); CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT b FROM t; END; CREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT a::int FROM t; END",
  ],
  [
    "domains whose checks need a new column, a new attribute and a function of a new view",
    "CREATE TABLE r(a int); CREATE TYPE k AS (a int); CREATE DOMAIN e AS r; CREATE TABLE t(x e)",
    `CREATE TABLE r(a int, b int); CREATE TYPE k AS (a int, b int); CREATE VIEW v AS SELECT b FROM r;
      CREATE FUNCTION f(int) RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC SELECT $1 > min(b) FROM v; END;
      CREATE DOMAIN d AS r CHECK ((VALUE).b > 0); CREATE DOMAIN dk AS k CHECK ((VALUE).b > 0); CREATE DOMAIN df AS int CHECK (f(VALUE));
      CREATE DOMAIN e AS r CHECK ((VALUE).b > 0); CREATE TABLE t(x e, y d); CREATE TABLE u(x d, y dk, z df)`,
  ],
  [
    "an identity narrowed from bigint, under its primary key",
    "CREATE TABLE t(a bigint GENERATED BY DEFAULT AS IDENTITY (START 5) PRIMARY KEY, b bigint GENERATED ALWAYS AS IDENTITY (INCREMENT -1))",
    "CREATE TABLE t(a smallint GENERATED ALWAYS AS IDENTITY (START 5) PRIMARY KEY, b int GENERATED ALWAYS AS IDENTITY (INCREMENT -1))",
  ],
  [
    "a column of a table whose row type is that of a domain and of arrays",
    "CREATE TABLE r(a int); CREATE DOMAIN d AS r; CREATE TABLE t(x d, y r[])",
    "CREATE TABLE r(a int, b text); CREATE DOMAIN d AS r; CREATE TABLE t(x d, y r[])",
  ],
  [
    "an extension's version, and back",
    "CREATE EXTENSION pg_trgm VERSION '1.5'",
    "CREATE EXTENSION pg_trgm VERSION '1.6'",
  ],
];

const COMPOSITE = (number: string, text: string): string =>
  `CREATE TYPE k AS (a ${number}, b ${text}); CREATE DOMAIN d AS k CHECK ((VALUE).a > 0);
  CREATE TABLE t(x k DEFAULT '(7,u)', y k[], z d); CREATE INDEX i ON t (((x).a)); CREATE VIEW v AS SELECT (x).a, y FROM t; CREATE FUNCTION f(k) RETURNS k LANGUAGE sql AS 'select $1'`;
const SERIAL_PARTITION =
  "CREATE TABLE p(id int NOT NULL, b int) PARTITION BY LIST (b); CREATE TABLE c(id serial, b int); ALTER TABLE p ATTACH PARTITION c FOR VALUES IN (1);";

/** Schemas, the rows of the first one, and a query whose result stays the same. */
const WITH_ROWS: readonly (readonly [string, string, string, string, string])[] = [
  [
    "a table with a serial column that is attached as a partition",
    "CREATE TABLE p(id int NOT NULL, b int) PARTITION BY LIST (b); CREATE TABLE c(id serial, b int)",
    "INSERT INTO c(b) VALUES (1), (1)",
    SERIAL_PARTITION,
    "SELECT id, b, last_value FROM public.c, public.c_id_seq",
  ],
  [
    "a partition with a serial column of its own, whose name changes with its parent's",
    SERIAL_PARTITION,
    "INSERT INTO c(b) VALUES (1), (1)",
    `CREATE TABLE p(k int NOT NULL, -- @renamed from=id
      b int, d int) PARTITION BY LIST (b); CREATE TABLE c(k int NOT NULL, b int, d int); CREATE SEQUENCE c_id_seq AS int OWNED BY c.k;
      ALTER TABLE c ALTER k SET DEFAULT nextval('c_id_seq'); ALTER TABLE p ATTACH PARTITION c FOR VALUES IN (1);`,
    "SELECT c.*::text ~ '^.1,1', last_value FROM public.c, public.c_id_seq",
  ],
  [
    "an attribute's type of a composite in columns, arrays and domains, under a view, a default and an index",
    COMPOSITE("int", "varchar(9)"),
    `INSERT INTO t VALUES ('(1,"x, y")', '{"(2,)","(,\\"\\")",NULL}', '(3,z)'), (NULL, NULL, NULL)`,
    COMPOSITE("bigint", "text"),
    "SELECT x::text, y::text, z::text FROM public.t",
  ],
];

const pair = await openPair();
const { one, other } = pair;

describe("a PostgreSQL schema becomes another one, and comes back", () => {
  it.each(TRANSITIONS)("%s", async (_name, current, desired) => {
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    const { touched, all } = await touchedObjects(one, other, { desired });
    expect(touched).toEqual(all);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
  });

  it.each(WITH_ROWS)("%s, with rows", async (_name, current, rows, desired, query) => {
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
    const given = { current, desired, rows, query };
    const [before, there, back] = await answersOnTheWay(one, other, given);
    expect([there, back]).toEqual([before, before]);
  });

  it("keeps the values of a column that moves from a parent to its child", async () => {
    const [, current, desired] = MOVED_COLUMN;
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    await one.query("INSERT INTO c(a, b, k) VALUES (1, 2, 3)");
    const base = identify(await introspectScratch(one), undefined);
    const target = identify(await introspectScratch(other), base);
    await runScript(one, scriptBetween(base, target), (sql) => new AppError("STEP_FAILED", sql));
    const { rows } = await one.query<object>("SELECT a, b, k, public.f() FROM public.c");
    expect(rows).toEqual([{ a: 1, b: 2, k: 3, f: "2" }]);
  });

  it.for([
    {
      title: "a virtual column",
      version: 18,
      current: "CREATE TABLE t(a int)",
      desired: "CREATE TABLE t(a int, b int GENERATED ALWAYS AS (a + 1) VIRTUAL)",
    },
    {
      title: "rows, columns and schemas of a publication",
      version: 15,
      current: "CREATE TABLE t(a int PRIMARY KEY, b int); CREATE PUBLICATION p FOR TABLE t",
      desired: `CREATE TABLE t(a int PRIMARY KEY, b int); CREATE SCHEMA s;
        CREATE PUBLICATION p FOR TABLE t (a) WHERE (a > 1); CREATE PUBLICATION q FOR TABLES IN SCHEMA s`,
    },
  ])("$title, since PostgreSQL $version", async ({ version, current, desired }, context) => {
    const { rows } = await one.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    context.skip((rows[0]?.version ?? 0) < version * 10_000, "the server has no such");
    expect([await define(one, current), await define(other, desired)]).toEqual([true, true]);
    expect(await resultOf(one, other, { current, desired })).toBe("equal");
  });

  it("goes on counting where a column's values end when its sequence is a new one", async () => {
    await define(one, "CREATE TABLE t(id int GENERATED ALWAYS AS IDENTITY, a int)");
    await define(other, "CREATE TABLE t(id serial, a int)");
    await one.query("INSERT INTO public.t(a) VALUES (1), (2), (3)");
    const base = identify(await introspectScratch(one), undefined);
    const target = identify(await introspectScratch(other), base);
    const insert = async (): Promise<unknown> =>
      (await one.query<object>("INSERT INTO public.t(a) VALUES (9) RETURNING id")).rows[0];
    await runScript(one, scriptBetween(base, target), (sql) => new AppError("STEP_FAILED", sql));
    expect(await insert()).toEqual({ id: 4 });
    await runScript(one, scriptBetween(target, base), (sql) => new AppError("STEP_FAILED", sql));
    expect(await insert()).toEqual({ id: 5 });
  });

  it("leaves alone what no migration makes, and refuses to by its name", async () => {
    await define(one);
    await define(other, "CREATE TYPE c");
    const base = identify(await introspectScratch(one), undefined);
    const target = identify(await introspectScratch(other), base);
    expect(() => scriptBetween(base, target)).toThrow("the shell type public.c");
    expect(rootOf(target)).not.toBe(rootOf(base));
    expect(rootOf(withoutUnmanaged(target))).toBe(rootOf(withoutUnmanaged(base)));
  });
});
