import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Command,
  identify,
  LOCK_MODES,
  type Phase,
  type Schema,
  scriptBetween,
  type TableLock,
} from "../index.js";
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
  CREATE SCHEMA elsewhere;
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
  REFRESH MATERIALIZED VIEW best;
`;

/** Changes of the schema. The locks of the planned script are compared, not those of the change. */
const CHANGES: readonly string[] = [
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
  `ALTER TABLE "public"."orders" SET SCHEMA "elsewhere"`,
  `ALTER TABLE "public"."orders" OWNER TO pg_read_all_data`,
  `ALTER MATERIALIZED VIEW "public"."best" RENAME TO "better"`,
  `ALTER TABLE "public"."orders" SET (fillfactor = 70)`,
  `ALTER TABLE "public"."orders" CLUSTER ON "orders_note"`,
  `ALTER TABLE "public"."orders" REPLICA IDENTITY FULL`,
  `ALTER TABLE "public"."orders" DISABLE TRIGGER "g"`,
  `ALTER TABLE "public"."parted" DETACH PARTITION "public"."parted_a"`,
  `CREATE INDEX "i" ON "public"."best" (customer)`,
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
  `COMMENT ON VIEW "public"."shown" IS 'x'`,
  `COMMENT ON CONSTRAINT "late" ON "public"."orders" IS 'x'`,
  `ALTER DOMAIN "public"."positive" ADD CONSTRAINT "c" CHECK ((VALUE > 0))`,
  `ALTER DOMAIN "public"."positive" ADD CONSTRAINT "c" CHECK ((VALUE > 0)) NOT VALID`,
];

/** A relation as the server sees it in the middle of a transaction. */
interface Relation {
  readonly name: string;
  /** The locks that the session holds on it. */
  readonly modes: readonly string[];
  /** Counted since the session last reported to the server; null for a dropped table. */
  readonly rows_read: string | null;
  /** The file of its rows; null for a dropped table. */
  readonly file: string | null;
}

const RELATIONS = `SELECT b.name, s.seq_tup_read::text AS rows_read, c.relfilenode::text AS file,
    ARRAY(SELECT l.mode FROM pg_locks l WHERE l.relation = b.oid AND l.pid = $1) AS modes
  FROM public._before b LEFT JOIN pg_class c ON c.oid = b.oid
  LEFT JOIN pg_stat_xact_user_tables s ON s.relid = b.oid WHERE b.name <> 'public._before'`;

/** As for a migration, and without plans that read a small table by its index. */
const SETTINGS = `SET LOCAL search_path = ''; SET LOCAL check_function_bodies = off;
  SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off`;

describe("the locks of a command", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let session: number;
  let base: Schema;

  beforeAll(async () => {
    database = await freshDatabase();
    client = await connect(database.url);
    expect(await define(client, SETUP)).toBe(true);
    await client.query(`CREATE TABLE public._before AS SELECT oid, format('%s.%s', relnamespace::regnamespace, relname) AS name
      FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm') AND relnamespace = 'public'::regnamespace`);
    base = identify(await introspectLive(client), undefined);
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    session = rows[0]?.pid ?? 0;
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  /** The script that makes a change, planned as for any other schema that has it. */
  async function scriptFor(change: string): Promise<readonly Phase[]> {
    await client.query(`BEGIN; ${change}`);
    const target = identify(await introspectLive(client), base);
    await client.query("ROLLBACK");
    return scriptBetween(base, target);
  }

  async function relations(by = client): Promise<ReadonlyMap<string, Relation>> {
    const { rows } = await by.query<Relation>(RELATIONS, [session]);
    return new Map(rows.map((each) => [each.name, each]));
  }

  it.each(CHANGES)(
    "are those that the server holds after each statement for %s",
    async (change) => {
      const script = await scriptFor(change);
      expect(script).not.toEqual([]);
      const built = script.flatMap(commandsOf).filter(({ command }) => "index" in command);
      for (const { sql } of built) await client.query(sql);
      await client.query(`BEGIN; ${SETTINGS}`);
      try {
        const taken: TableLock[] = [];
        for (const { sql, command } of script.flatMap(commandsOf)) {
          if ("index" in command) continue;
          const before = await relations();
          await client.query(sql);
          const now = await relations();
          taken.push(...command.locks);
          // The transaction holds the locks of all statements; only the last one worked just now.
          expect(said(taken, command, now), sql).toEqual(held(before, now));
        }
      } finally {
        await client.query("ROLLBACK");
        for (const { command } of built) {
          if ("index" in command) await client.query(`DROP INDEX ${command.index}`);
        }
      }
    },
  );

  it("are those that an index holds while it is built or dropped and waits for a writer", async () => {
    const change = `DROP INDEX public.orders_note; CREATE UNIQUE INDEX orders_note ON public.orders (total)`;
    const script = (await scriptFor(change)).flatMap(commandsOf);
    const writer = await connect(database.url);
    const work: unknown[] = [];
    for (const { sql, command } of script) {
      if (!("index" in command)) {
        await client.query(sql);
        continue;
      }
      await writer.query("BEGIN; DELETE FROM public.orders WHERE id = 7");
      const built = client.query(sql);
      let now = new Map<string, Relation>() as ReadonlyMap<string, Relation>;
      while ((now.get("public.orders")?.modes ?? []).length === 0) now = await relations(writer);
      expect(held(now, now)).toEqual({ "public.orders": "SHARE UPDATE EXCLUSIVE instant" });
      const [lock, ...others] = command.locks;
      expect(others).toEqual([]);
      expect(lock).toMatchObject({ table: "public.orders", mode: "SHARE UPDATE EXCLUSIVE" });
      work.push([command.command, lock?.holdsWhile]);
      await writer.query("ROLLBACK");
      await built;
    }
    expect(work).toEqual([
      ["create_index_concurrently", "scan"],
      ["drop_index_concurrently", "instant"],
    ]);
    await writer.end();
    await client.query(
      "DROP INDEX public.orders_note; CREATE UNIQUE INDEX orders_note ON public.orders (note)",
    );
  });
});

/** The statements of a phase, each with the checks of rows that follow it. */
function commandsOf({
  statements,
  commands,
  checks = [],
}: Phase): readonly { readonly sql: string; readonly command: Command }[] {
  return commands.map((command, index) => {
    const queries = checks.filter(({ before }) => before === index + 1).map(({ count }) => count);
    return { sql: [statements[index], ...queries].join("; "), command };
  });
}

const WORK = ["instant", "scan", "rewrite"] as const;
const WEAKEST = LOCK_MODES.indexOf("SHARE UPDATE EXCLUSIVE");

/** The locks and rewrites that a script declares for the relations that existed before it. */
function said(
  taken: readonly TableLock[],
  { locks }: Command,
  relations: ReadonlyMap<string, Relation>,
): Readonly<Record<string, string>> {
  return strongest([...relations.keys()], (name) => {
    const own = locks.filter(({ table }) => table === name);
    return {
      modes: taken.filter(({ table }) => table === name).map(({ mode }) => mode),
      work: Math.max(0, ...own.map(({ holdsWhile }) => WORK.indexOf(holdsWhile))),
    };
  });
}

/** The locks that the server held, and the relations that it rewrote. */
function held(
  before: ReadonlyMap<string, Relation>,
  now: ReadonlyMap<string, Relation>,
): Readonly<Record<string, string>> {
  return strongest([...now.keys()], (name) => {
    const [old, { modes = [], file = null, rows_read = null } = {}] = [
      before.get(name),
      now.get(name),
    ];
    const isRewritten = file !== null && file !== old?.file;
    const isScanned = rows_read !== null && rows_read !== old?.rows_read;
    return { modes: modes.map(modeOf), work: isRewritten ? 2 : isScanned ? 1 : 0 };
  });
}

/** `ShareUpdateExclusiveLock` as the documentation spells it. */
function modeOf(mode: string): TableLock["mode"] {
  const words = mode.replace(/Lock$/, "").replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  // The server has only these modes.
  return words.toUpperCase() as TableLock["mode"];
}

/** The strongest lock on each relation; locks that block nobody are left out. */
function strongest(
  names: readonly string[],
  of: (name: string) => { readonly modes: readonly TableLock["mode"][]; readonly work: number },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...names].sort().flatMap((name) => {
      const { modes, work } = of(name);
      const mode = Math.max(-1, ...modes.map((each) => LOCK_MODES.indexOf(each)));
      return mode < WEAKEST ? [] : [[name, `${LOCK_MODES[mode]} ${WORK[work]}`] as const];
    }),
  );
}
