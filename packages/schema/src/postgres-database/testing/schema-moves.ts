/** A schema, a changed one with hints, and rows that show which objects were kept. */
export interface SchemaMove {
  readonly base: string;
  readonly wanted: string;
  readonly rows: string;
  /** Queries for one row, before and after the migration. */
  readonly query: readonly [before: string, after: string];
  readonly expected: object;
  /** Whether the migration also loses other data. */
  readonly isLosing?: boolean;
}

/** Renamed schemas, and objects moved between schemas, all with hints. */
export const SCHEMA_MOVES: Readonly<Record<string, SchemaMove>> = {
  "a schema with everything in it": {
    base: `CREATE SCHEMA store; CREATE TYPE store.mood AS ENUM ('sad'); CREATE DOMAIN store.price AS int;
      CREATE TABLE store.t (id serial PRIMARY KEY, m store.mood DEFAULT 'sad'::store.mood, p store.price CHECK (p > 0));
      CREATE TABLE store.u (t int REFERENCES store.t); CREATE INDEX by_m ON store.t (m);
      CREATE VIEW store.v AS SELECT t.id FROM store.t; CREATE MATERIALIZED VIEW store.mv AS SELECT p FROM store.t;
      CREATE FUNCTION store.f(store.mood) RETURNS store.t LANGUAGE sql AS 'SELECT NULL';`,
    wanted: `-- @renamed from=store
      CREATE SCHEMA shop; CREATE TYPE shop.mood AS ENUM ('sad'); CREATE DOMAIN shop.price AS int;
      CREATE TABLE shop.t (id serial PRIMARY KEY, m shop.mood DEFAULT 'sad'::shop.mood, p shop.price CHECK (p > 0));
      CREATE TABLE shop.u (t int REFERENCES shop.t); CREATE INDEX by_m ON shop.t (m);
      CREATE VIEW shop.v AS SELECT t.id FROM shop.t; CREATE MATERIALIZED VIEW shop.mv AS SELECT p FROM shop.t;
      CREATE FUNCTION shop.f(shop.mood) RETURNS shop.t LANGUAGE sql AS 'SELECT NULL';`,
    rows: "INSERT INTO store.t (p) VALUES (7), (8); INSERT INTO store.u VALUES (1); REFRESH MATERIALIZED VIEW store.mv",
    query: [
      "SELECT (SELECT sum(id + p)::int FROM store.v JOIN store.t USING (id)) AS t, (SELECT sum(p)::int FROM store.mv) AS mv",
      "SELECT (SELECT sum(id + p)::int FROM shop.v JOIN shop.t USING (id)) AS t, (SELECT sum(p)::int FROM shop.mv) AS mv",
    ],
    expected: { t: 18, mv: 15 },
  },
  "two schemas that change their names": {
    base: "CREATE SCHEMA a; CREATE TABLE a.t (x int); CREATE SCHEMA b; CREATE TABLE b.t (x int);",
    wanted: `CREATE SCHEMA b /* @renamed from=a */; CREATE TABLE b.t (x int);
      CREATE SCHEMA a /* @renamed from=b */; CREATE TABLE a.t (x int);`,
    rows: "INSERT INTO a.t VALUES (1); INSERT INTO b.t VALUES (2)",
    query: [
      "SELECT a.t.x AS a, b.t.x AS b FROM a.t, b.t",
      "SELECT b.t.x AS a, a.t.x AS b FROM a.t, b.t",
    ],
    expected: { a: 1, b: 2 },
  },
  "a table with what is made of it, into a new schema": {
    base: `CREATE SCHEMA a; CREATE TABLE a.t (id serial PRIMARY KEY, x int CHECK (x > 0)); CREATE INDEX i ON a.t (x);
      CREATE TABLE a.u (t int REFERENCES a.t); CREATE VIEW a.v AS SELECT t.x FROM a.t JOIN a.u ON u.t = t.id;
      CREATE MATERIALIZED VIEW a.mv AS SELECT x FROM a.t; CREATE STATISTICS a.s ON id, x FROM a.t;
      CREATE FUNCTION a.f(a.t) RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER TABLE a.t ENABLE ROW LEVEL SECURITY;
      CREATE POLICY p ON a.t USING (x > 0); CREATE TABLE a.child (y a.t);`,
    wanted: `CREATE SCHEMA a; CREATE SCHEMA b;
      CREATE TABLE b.t /* @renamed from=a.t */ (id serial PRIMARY KEY, x int CHECK (x > 0)); CREATE INDEX i ON b.t (x);
      CREATE TABLE a.u (t int REFERENCES b.t); CREATE VIEW a.v AS SELECT t.x FROM b.t JOIN a.u ON u.t = t.id;
      CREATE MATERIALIZED VIEW a.mv AS SELECT x FROM b.t; CREATE STATISTICS a.s ON id, x FROM b.t;
      CREATE FUNCTION a.f(b.t) RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER TABLE b.t ENABLE ROW LEVEL SECURITY;
      CREATE POLICY p ON b.t USING (x > 0); CREATE TABLE a.child (y b.t);`,
    rows: `INSERT INTO a.t (x) VALUES (7), (8); INSERT INTO a.u VALUES (2); REFRESH MATERIALIZED VIEW a.mv;
      INSERT INTO a.child VALUES (ROW(1, 2))`,
    query: [
      `SELECT (SELECT sum(x)::int FROM a.t) AS t, (SELECT x FROM a.v) AS v, (SELECT sum(x)::int FROM a.mv) AS mv,
        (SELECT last_value::int FROM a.t_id_seq) AS last, (SELECT (y).x FROM a.child) AS y`,
      `SELECT (SELECT sum(x)::int FROM b.t) AS t, (SELECT x FROM a.v) AS v, (SELECT sum(x)::int FROM a.mv) AS mv,
        (SELECT last_value::int FROM b.t_id_seq) AS last, (SELECT (y).x FROM a.child) AS y`,
    ],
    expected: { t: 15, v: 8, mv: 15, last: 2, y: 2 },
  },
  "two tables of one name that change places": {
    base: `CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE a.t (id serial PRIMARY KEY, x int);
      CREATE TABLE b.t (id serial PRIMARY KEY, x int);`,
    wanted: `CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE b.t /* @renamed from=a.t */ (id serial PRIMARY KEY, x int);
      CREATE TABLE a.t /* @renamed from=b.t */ (id serial PRIMARY KEY, x int);`,
    rows: "INSERT INTO a.t (x) VALUES (1); INSERT INTO b.t (x) VALUES (2), (3)",
    query: [
      `SELECT (SELECT sum(x)::int FROM a.t) AS a, (SELECT sum(x)::int FROM b.t) AS b,
        (SELECT last_value::int FROM b.t_id_seq) AS last`,
      `SELECT (SELECT sum(x)::int FROM b.t) AS a, (SELECT sum(x)::int FROM a.t) AS b,
        (SELECT last_value::int FROM a.t_id_seq) AS last`,
    ],
    expected: { a: 1, b: 5, last: 2 },
  },
  "a table that takes the place of one that goes, under another name": {
    base: `CREATE SCHEMA a; CREATE TABLE a.old (id int PRIMARY KEY); CREATE TABLE public.t (id int PRIMARY KEY);`,
    wanted: `CREATE SCHEMA a; CREATE TABLE t /* @renamed from=a.old */ (id int, CONSTRAINT t_pkey PRIMARY KEY (id));`,
    rows: "INSERT INTO a.old VALUES (1)",
    query: ["SELECT id FROM a.old", "SELECT id FROM public.t"],
    expected: { id: 1 },
    isLosing: true,
  },
  "types, a sequence and views": {
    base: `CREATE SCHEMA a; CREATE TYPE a.mood AS ENUM ('sad'); CREATE TYPE a.pair AS (x int, y a.mood); CREATE SEQUENCE a.s;
      CREATE DOMAIN a.price AS int; CREATE TABLE t (m a.mood DEFAULT 'sad'::a.mood, p a.pair[], d a.price, n bigint DEFAULT nextval('a.s'));
      CREATE VIEW a.v AS SELECT m, n FROM t; CREATE MATERIALIZED VIEW a.mv AS SELECT n FROM t;`,
    wanted: `CREATE SCHEMA a; CREATE SCHEMA b; CREATE TYPE b.mood /* @renamed from=a.mood */ AS ENUM ('sad');
      CREATE TYPE b.pair /* @renamed from=a.pair */ AS (x int, y b.mood); CREATE SEQUENCE b.s /* @renamed from=a.s */;
      CREATE DOMAIN b.price /* @renamed from=a.price */ AS int;
      CREATE TABLE t (m b.mood DEFAULT 'sad'::b.mood, p b.pair[], d b.price, n bigint DEFAULT nextval('b.s'));
      CREATE VIEW b.v /* @renamed from=a.v */ AS SELECT m, n FROM t;
      CREATE MATERIALIZED VIEW b.mv /* @renamed from=a.mv */ AS SELECT n FROM t;`,
    rows: "INSERT INTO t (p, d) VALUES (ARRAY[ROW(1, 'sad')::a.pair], 7); REFRESH MATERIALIZED VIEW a.mv",
    query: [
      "SELECT m::text, (p[1]).x, d, n::int, (SELECT n::int FROM a.mv) AS mv, (SELECT last_value::int FROM a.s) AS s FROM t",
      "SELECT m::text, (p[1]).x, d, n::int, (SELECT n::int FROM b.mv) AS mv, (SELECT last_value::int FROM b.s) AS s FROM t",
    ],
    expected: { m: "sad", x: 1, d: 7, n: 1, mv: 1, s: 1 },
  },
  "a table out of a schema that gets another name": {
    base: "CREATE SCHEMA a; CREATE TABLE a.t (x int); CREATE TABLE a.u (x int);",
    wanted: `CREATE SCHEMA c /* @renamed from=a */; CREATE TABLE c.u (x int);
      CREATE TABLE public.t2 /* @renamed from=a.t */ (x int);`,
    rows: "INSERT INTO a.t VALUES (1); INSERT INTO a.u VALUES (2)",
    query: [
      "SELECT t.x AS t, u.x AS u FROM a.t, a.u",
      "SELECT t2.x AS t, u.x AS u FROM public.t2, c.u",
    ],
    expected: { t: 1, u: 2 },
  },
};
