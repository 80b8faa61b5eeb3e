import { type SchemaDifference, TABLE, TRIGGER } from "./difference.js";

const FUNCTION = "CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql";

/** Differences in all other kinds of objects. */
export const OTHERS: readonly SchemaDifference[] = [
  ...["AS smallint", "START 3", "INCREMENT 2", "MINVALUE -5", "MAXVALUE 9", "CACHE 5", "CYCLE"].map(
    (option) => ({
      title: `a sequence: ${option}`,
      one: "CREATE SEQUENCE s",
      other: `CREATE SEQUENCE s ${option}`,
    }),
  ),
  {
    title: "a sequence that is not logged",
    since: 15,
    one: "CREATE SEQUENCE s",
    other: "CREATE UNLOGGED SEQUENCE s",
  },
  {
    title: "a sequence's column",
    both: TABLE,
    one: "CREATE SEQUENCE s",
    other: "CREATE SEQUENCE s OWNED BY t.a",
  },
  ...[
    ...["IMMUTABLE", "STRICT", "LEAKPROOF", "SECURITY DEFINER", "PARALLEL SAFE", "COST 7"],
    "SET work_mem = '4MB'",
  ].map((word) => ({
    ...{ title: `a function: ${word}`, one: `${FUNCTION} AS 'SELECT 1'` },
    other: `${FUNCTION} ${word} AS 'SELECT 1'`,
  })),
  {
    title: "a function's body",
    one: `${FUNCTION} AS 'SELECT 1'`,
    other: `${FUNCTION} AS 'SELECT 2'`,
  },
  {
    title: "a function's rows",
    one: "CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql AS 'SELECT 1'",
    other: "CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql ROWS 7 AS 'SELECT 1'",
  },
  {
    title: "arguments beyond the length of a name",
    one: "CREATE FUNCTION f(timestamp with time zone, timestamp with time zone, int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    other: `CREATE FUNCTION f(timestamp with time zone, timestamp with time zone, int) RETURNS int LANGUAGE sql AS 'SELECT 1';
      CREATE FUNCTION f(timestamp with time zone, timestamp with time zone, text) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  },
  {
    title: "a default argument",
    one: `${FUNCTION} AS 'SELECT 1'`,
    other: "CREATE FUNCTION f(a int DEFAULT 7) RETURNS int LANGUAGE sql AS 'SELECT 1'",
  },
  {
    title: "rights on a function",
    both: `${FUNCTION} AS 'SELECT 1';`,
    other: "REVOKE EXECUTE ON FUNCTION f FROM PUBLIC",
  },
  {
    title: "what an extension takes along",
    both: `CREATE EXTENSION IF NOT EXISTS citext SCHEMA public; ${TABLE} ${TRIGGER} CREATE INDEX i ON t (a);
      CREATE MATERIALIZED VIEW m AS SELECT * FROM t; CREATE TRIGGER z BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION g();`,
    other: `ALTER FUNCTION g() DEPENDS ON EXTENSION citext; ALTER INDEX i DEPENDS ON EXTENSION citext;
      ALTER MATERIALIZED VIEW m DEPENDS ON EXTENSION citext; ALTER TRIGGER z ON t DEPENDS ON EXTENSION citext`,
  },
  {
    title: "an aggregate",
    one: "CREATE AGGREGATE g(int) (SFUNC = int4pl, STYPE = int)",
    other: "CREATE AGGREGATE g(int) (SFUNC = int4pl, STYPE = int, INITCOND = '7', PARALLEL = SAFE)",
  },
  {
    title: "security_barrier",
    both: TABLE,
    one: "CREATE VIEW v AS SELECT a FROM t",
    other: "CREATE VIEW v WITH (security_barrier) AS SELECT a FROM t",
  },
  {
    title: "security_invoker",
    since: 15,
    both: TABLE,
    one: "CREATE VIEW v AS SELECT a FROM t",
    other: "CREATE VIEW v WITH (security_invoker) AS SELECT a FROM t",
  },
  {
    title: "CHECK OPTION",
    both: TABLE,
    one: "CREATE VIEW v AS SELECT a FROM t",
    other: "CREATE VIEW v AS SELECT a FROM t WITH LOCAL CHECK OPTION",
  },
  {
    title: "a view's default",
    both: `${TABLE} CREATE VIEW v AS SELECT a FROM t;`,
    other: "ALTER VIEW v ALTER a SET DEFAULT 7",
  },
  {
    title: "options of a materialized view",
    both: `${TABLE} CREATE MATERIALIZED VIEW m AS SELECT a FROM t;`,
    other: "ALTER MATERIALIZED VIEW m SET (fillfactor = 70)",
  },
  {
    title: "values of an enum",
    one: "CREATE TYPE e AS ENUM ('a', 'b')",
    other: "CREATE TYPE e AS ENUM ('b', 'a')",
  },
  {
    title: "attributes of a type",
    one: "CREATE TYPE y AS (a text)",
    other: 'CREATE TYPE y AS (a text COLLATE "C")',
  },
  {
    title: "a range",
    one: "CREATE TYPE y AS RANGE (SUBTYPE = float8)",
    other: "CREATE TYPE y AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = float8mi)",
  },
  {
    title: "a domain",
    one: "CREATE DOMAIN d AS int",
    other: "CREATE DOMAIN d AS int DEFAULT 7 NOT NULL",
  },
  {
    title: "an operator",
    both: "CREATE FUNCTION o(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 = $2';",
    one: "CREATE OPERATOR === (FUNCTION = o, LEFTARG = int, RIGHTARG = int)",
    other:
      "CREATE OPERATOR === (FUNCTION = o, LEFTARG = int, RIGHTARG = int, HASHES, MERGES, RESTRICT = eqsel)",
  },
  {
    title: "a cast",
    both: "CREATE TYPE y AS (a int); CREATE FUNCTION k(int) RETURNS y LANGUAGE sql IMMUTABLE AS 'SELECT row($1)::§.y';",
    one: "CREATE CAST (int AS y) WITH FUNCTION k(int)",
    other: "CREATE CAST (int AS y) WITH FUNCTION k(int) AS ASSIGNMENT",
  },
  {
    title: "a collation",
    one: "CREATE COLLATION l (PROVIDER = icu, LOCALE = 'de')",
    other: "CREATE COLLATION l (PROVIDER = icu, LOCALE = 'de', DETERMINISTIC = false)",
  },
  {
    title: "a text search configuration",
    one: "CREATE TEXT SEARCH CONFIGURATION x (COPY = simple)",
    other: "CREATE TEXT SEARCH CONFIGURATION x (COPY = english)",
  },
  {
    title: "a text search dictionary",
    one: "CREATE TEXT SEARCH DICTIONARY x (TEMPLATE = simple)",
    other: "CREATE TEXT SEARCH DICTIONARY x (TEMPLATE = simple, Accept = false)",
  },
  {
    title: "options of a foreign table",
    both: "CREATE FOREIGN DATA WRAPPER §_w; CREATE SERVER §_s FOREIGN DATA WRAPPER §_w;",
    one: "CREATE FOREIGN TABLE f (a int) SERVER §_s",
    other: "CREATE FOREIGN TABLE f (a int OPTIONS (x 'y')) SERVER §_s OPTIONS (x 'z')",
  },
  {
    title: "options of a server",
    both: "CREATE FOREIGN DATA WRAPPER §_w;",
    one: "CREATE SERVER §_s FOREIGN DATA WRAPPER §_w",
    other: "CREATE SERVER §_s VERSION '2' FOREIGN DATA WRAPPER §_w OPTIONS (x 'y')",
  },
  {
    title: "what a publication publishes",
    both: TABLE,
    one: "CREATE PUBLICATION §_p FOR TABLE t",
    other:
      "CREATE PUBLICATION §_p FOR TABLE t WITH (publish = 'insert', publish_via_partition_root)",
  },
  {
    title: "rows of a publication",
    since: 15,
    both: `${TABLE} ALTER TABLE t REPLICA IDENTITY FULL;`,
    one: "CREATE PUBLICATION §_p FOR TABLE t",
    other: "CREATE PUBLICATION §_p FOR TABLE t (a, b) WHERE (a > 7)",
  },
  {
    title: "default privileges",
    other: "ALTER DEFAULT PRIVILEGES IN SCHEMA § GRANT SELECT ON TABLES TO pg_monitor",
  },
  { title: "rights on a schema", other: "GRANT USAGE ON SCHEMA § TO pg_monitor" },
  {
    title: "a schema's owner and comment",
    other: "ALTER SCHEMA § OWNER TO pg_monitor; COMMENT ON SCHEMA § IS 'x'",
  },
];

const HASH = `CREATE FUNCTION lt(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 < $2';
  CREATE FUNCTION lt(int, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 < $2';
  CREATE FUNCTION cmp(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT sign($1 - $2)::int';
  CREATE OPERATOR <<< (FUNCTION = lt, LEFTARG = int, RIGHTARG = int);
  CREATE OPERATOR <<< (FUNCTION = lt, LEFTARG = int, RIGHTARG = bigint);`;

/** Objects that are stored as the statements that create them. */
export const OPAQUE: readonly SchemaDifference[] = [
  {
    ...{ title: "members of an operator class", both: HASH },
    one: "CREATE OPERATOR CLASS x FOR TYPE int USING btree AS OPERATOR 1 <<<",
    other: `CREATE OPERATOR CLASS x FOR TYPE int USING btree AS OPERATOR 1 <<<, FUNCTION 1 cmp(int, int);
      CREATE TABLE t (a int); CREATE INDEX i ON t (a x)`,
  },
  {
    title: "loose members of an operator family",
    both: `${HASH} CREATE OPERATOR FAMILY x USING btree;`,
    other: "ALTER OPERATOR FAMILY x USING btree ADD OPERATOR 1 <<< (int, bigint)",
  },
  {
    ...{
      title: "a conversion",
      one: "CREATE CONVERSION x FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8",
    },
    other:
      "CREATE DEFAULT CONVERSION x FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8; COMMENT ON CONVERSION x IS 'y'",
  },
  {
    title: "a text search parser and a template",
    one: "CREATE TEXT SEARCH TEMPLATE x (LEXIZE = dsimple_lexize)",
    other: `CREATE TEXT SEARCH TEMPLATE x (INIT = dsimple_init, LEXIZE = dsimple_lexize);
      CREATE TEXT SEARCH PARSER x (START = prsd_start, GETTOKEN = prsd_nexttoken, END = prsd_end, LEXTYPES = prsd_lextype);
      CREATE TEXT SEARCH DICTIONARY d (TEMPLATE = x)`,
  },
  {
    title: "a transform",
    both: `CREATE FUNCTION f(internal) RETURNS internal LANGUAGE internal IMMUTABLE AS 'int4recv';
      CREATE TYPE y AS (a int);`,
    other: "CREATE TRANSFORM FOR y LANGUAGE sql (FROM SQL WITH FUNCTION f(internal))",
  },
  {
    title: "a language",
    one: "CREATE LANGUAGE §_l HANDLER plpgsql_call_handler",
    other: `CREATE TRUSTED LANGUAGE §_l HANDLER plpgsql_call_handler INLINE plpgsql_inline_handler VALIDATOR plpgsql_validator;
      CREATE FUNCTION f() RETURNS int LANGUAGE §_l AS 'BEGIN RETURN 1; END'`,
  },
  { title: "an access method", other: "CREATE ACCESS METHOD §_m TYPE INDEX HANDLER bthandler" },
];
