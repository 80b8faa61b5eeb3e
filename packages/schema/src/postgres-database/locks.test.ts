import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identify, LOCK_MODES, type Schema, scriptLocks, type TableLock } from "../index.js";
import { introspectLive } from "./session.js";
import { connect, define } from "./testing/transition.js";

const SETUP = `
  CREATE DOMAIN positive AS int;
  CREATE DOMAIN checked AS int CHECK (VALUE > 0);
  CREATE TABLE customers (id int PRIMARY KEY, name varchar(20), born timestamp(3), age int, tag positive);
  CREATE TABLE orders (id int PRIMARY KEY, customer int, note text, total numeric(10,2));
  CREATE TABLE linked (id int REFERENCES customers);
  CREATE UNIQUE INDEX orders_note ON orders (note);
  CREATE TABLE parted (id int, at date) PARTITION BY RANGE (id);
  CREATE TABLE parted_a PARTITION OF parted FOR VALUES FROM (0) TO (10);
  CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
  CREATE TABLE apart (id int, at date);
  CREATE MATERIALIZED VIEW best AS SELECT customer FROM orders;
  CREATE VIEW shown AS SELECT customer FROM orders;
  CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'begin return new; end';
  CREATE TRIGGER g BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION f();
  CREATE POLICY p ON orders USING (customer > 0);
  ALTER TABLE orders ADD CONSTRAINT late CHECK (id > 0) NOT VALID;
  ALTER TABLE orders ADD CONSTRAINT late_key FOREIGN KEY (customer) REFERENCES customers NOT VALID;
  INSERT INTO customers VALUES (1, 'Ada', now(), 7, 1);
  INSERT INTO orders VALUES (1, 1, 'x', 1);
  INSERT INTO parted VALUES (1, now()), (50, now());
  INSERT INTO apart VALUES (20, now());
`;

const STATEMENTS: readonly string[] = [
  `ALTER TABLE "public"."orders" ADD COLUMN "a" integer`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" integer DEFAULT 7 NOT NULL`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" timestamp with time zone DEFAULT now()`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" uuid DEFAULT gen_random_uuid()`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" double precision DEFAULT random()`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" serial`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" integer GENERATED ALWAYS AS IDENTITY`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" integer GENERATED ALWAYS AS (id + 1) STORED`,
  `ALTER TABLE "public"."orders" ADD COLUMN "a" character varying(3) DEFAULT 'abc'::character varying(3)`,
  `ALTER TABLE "public"."orders" DROP COLUMN "note"`,
  `ALTER TABLE "public"."orders" RENAME COLUMN "note" TO "text"`,
  `ALTER TABLE "public"."orders" RENAME TO "purchases"`,
  `ALTER TABLE "public"."orders" RENAME CONSTRAINT "late" TO "later"`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "id" TYPE bigint`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "note" TYPE character varying USING "note"::character varying`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "note" TYPE character varying(30) USING "note"::character varying(30)`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "total" TYPE numeric(12,2)`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "total" TYPE numeric USING "total"::numeric`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "total" TYPE numeric(12,3)`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "name" TYPE character varying(40) USING "name"::character varying(40)`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "name" TYPE text`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "born" TYPE timestamp(6) without time zone`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "born" TYPE date USING "born"::date`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "tag" TYPE integer`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "age" TYPE public.checked USING "age"::public.checked`,
  `ALTER TABLE "public"."customers" ALTER COLUMN "name" SET NOT NULL`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "id" SET DEFAULT 7`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "note" SET STATISTICS 500`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "note" SET STORAGE EXTERNAL`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "id" SET (n_distinct = 5)`,
  `ALTER TABLE "public"."orders" ALTER COLUMN "id" ADD GENERATED ALWAYS AS IDENTITY`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" CHECK ((id > 0))`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" CHECK ((id > 0)) NOT VALID`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" UNIQUE (customer)`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" UNIQUE USING INDEX "orders_note"`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" EXCLUDE USING btree (customer WITH =)`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" FOREIGN KEY (customer) REFERENCES public.customers(id)`,
  `ALTER TABLE "public"."orders" ADD CONSTRAINT "c" FOREIGN KEY (customer) REFERENCES public.customers(id) NOT VALID`,
  `ALTER TABLE "public"."apart" ADD CONSTRAINT "c" PRIMARY KEY (id)`,
  `ALTER TABLE "public"."orders" VALIDATE CONSTRAINT "late"`,
  `ALTER TABLE "public"."orders" VALIDATE CONSTRAINT "late_key"`,
  `ALTER TABLE "public"."orders" DROP CONSTRAINT "late_key"`,
  `ALTER TABLE "public"."orders" DROP CONSTRAINT "orders_pkey"`,
  `ALTER TABLE "public"."orders" ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE "public"."orders" SET UNLOGGED`,
  `ALTER TABLE "public"."orders" SET SCHEMA "information_schema"`,
  `ALTER TABLE "public"."orders" OWNER TO CURRENT_USER`,
  `ALTER MATERIALIZED VIEW "public"."best" RENAME TO "better"`,
  `ALTER TABLE "public"."orders" SET (fillfactor = 70)`,
  `ALTER TABLE "public"."orders" CLUSTER ON "orders_note"`,
  `ALTER TABLE "public"."orders" REPLICA IDENTITY FULL`,
  `ALTER TABLE "public"."orders" DISABLE TRIGGER "g"`,
  `ALTER TABLE "public"."parted" ATTACH PARTITION "public"."apart" FOR VALUES FROM (20) TO (30)`,
  `ALTER TABLE "public"."parted" DETACH PARTITION "public"."parted_a"`,
  `CREATE INDEX "i" ON "public"."orders" USING btree (total)`,
  `CREATE UNIQUE INDEX "i" ON "public"."orders" USING btree (total)`,
  `DROP INDEX "public"."orders_note"`,
  `DROP TABLE "public"."linked"`,
  `DROP TABLE "public"."parted"`,
  `DROP VIEW "public"."shown"`,
  `DROP MATERIALIZED VIEW "public"."best"`,
  `CREATE TABLE "public"."parted_b" PARTITION OF "public"."parted" FOR VALUES FROM (60) TO (70)`,
  `CREATE TABLE "public"."child" ("x" integer) INHERITS ("public"."apart")`,
  `CREATE TRIGGER h BEFORE UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION public.f()`,
  `ALTER TRIGGER "g" ON "public"."orders" RENAME TO "h"`,
  `DROP TRIGGER "g" ON "public"."orders"`,
  `CREATE POLICY "q" ON "public"."orders" USING (true)`,
  `DROP POLICY "p" ON "public"."orders"`,
  `CREATE RULE r AS ON DELETE TO public.orders DO INSTEAD NOTHING`,
  `CREATE STATISTICS "public"."s" ON id, note FROM public.orders`,
  `COMMENT ON TABLE "public"."orders" IS 'x'`,
  `COMMENT ON COLUMN "public"."orders"."note" IS 'x'`,
  `ALTER DOMAIN "public"."positive" ADD CONSTRAINT "c" CHECK ((VALUE > 0))`,
  `ALTER DOMAIN "public"."positive" ADD CONSTRAINT "c" CHECK ((VALUE > 0)) NOT VALID`,
];

/** A lock as reported by the server. */
interface Held {
  readonly name: string;
  readonly mode: string;
  readonly is_rewritten: boolean;
  readonly rows_read: string | null;
}

// Counted since the session last reported to the server; null for a dropped table.
const ROWS_READ = `SELECT b.name, s.seq_tup_read::text AS rows_read
  FROM public._before b LEFT JOIN pg_stat_xact_user_tables s ON s.relid = b.oid`;
const HELD = `SELECT b.name, l.mode, r.rows_read,
    b.relfilenode <> 0 AND b.relfilenode <> c.relfilenode AS is_rewritten
  FROM public._before b JOIN pg_locks l ON l.relation = b.oid AND l.pid = pg_backend_pid()
  JOIN (${ROWS_READ}) r ON r.name = b.name LEFT JOIN pg_class c ON c.oid = b.oid
  WHERE b.name <> 'public._before'`;

describe("the locks of a statement", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let base: Schema;

  beforeAll(async () => {
    database = await freshDatabase();
    client = await connect(database.url);
    expect(await define(client, SETUP)).toBe(true);
    await client.query(`CREATE TABLE public._before AS SELECT oid, relfilenode, format('%s.%s', relnamespace::regnamespace, relname) AS name
      FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm') AND relnamespace = 'public'::regnamespace`);
    base = identify(await introspectLive(client), undefined);
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  it.each(STATEMENTS)("are those that the server holds after %s", async (statement) => {
    await client.query("BEGIN");
    try {
      const read = await client.query<Pick<Held, "name" | "rows_read">>(ROWS_READ);
      const readBefore = new Map(read.rows.map(({ name, rows_read }) => [name, rows_read]));
      await client.query("SET LOCAL search_path = ''");
      await client.query(statement);
      const { rows } = await client.query<Held>(HELD);
      const held = rows.map((each) => lockOf(each, readBefore.get(each.name) ?? null));
      // Reading a schema takes long, so the second schema is read only for changes of columns and
      // types.
      const isNeeded = /ADD COLUMN| TYPE |RENAME TO|CREATE TABLE/.test(statement);
      const target = isNeeded ? identify(await introspectLive(client), base) : base;
      const said = scriptLocks(base, target, [{ isAtomic: true, statements: [statement] }]);
      const existing = new Set(held.map(({ table }) => table));
      const locks = said.flatMap((each) => each.locks).filter(({ table }) => existing.has(table));
      expect(strongest(locks)).toEqual(strongest(held));
    } finally {
      await client.query("ROLLBACK");
    }
  });
});

function lockOf(
  { name, mode, is_rewritten, rows_read }: Held,
  readBefore: string | null,
): TableLock {
  const words = mode
    .replace(/Lock$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
  const work = is_rewritten
    ? "rewrite"
    : rows_read === null || rows_read === readBefore
      ? "instant"
      : "scan";
  // The server has only these modes.
  return { table: name, mode: words as TableLock["mode"], holdsWhile: work };
}

/**
 * The strongest lock on each table, with the heaviest work; locks that block nobody are left out.
 */
function strongest(locks: readonly TableLock[]): Readonly<Record<string, string>> {
  const WORK = ["instant", "scan", "rewrite"] as const;
  const tables = new Map<string, TableLock>();
  for (const lock of locks) {
    const known = tables.get(lock.table) ?? lock;
    const mode =
      LOCK_MODES[Math.max(...[known, lock].map((each) => LOCK_MODES.indexOf(each.mode)))];
    const work = WORK[Math.max(...[known, lock].map((each) => WORK.indexOf(each.holdsWhile)))];
    tables.set(lock.table, {
      ...lock,
      mode: mode ?? lock.mode,
      holdsWhile: work ?? lock.holdsWhile,
    });
  }
  return Object.fromEntries(
    [...tables.values()]
      .filter(
        ({ mode }) => LOCK_MODES.indexOf(mode) >= LOCK_MODES.indexOf("SHARE UPDATE EXCLUSIVE"),
      )
      .map(({ table, mode, holdsWhile }) => [table, `${mode} ${holdsWhile}`] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
