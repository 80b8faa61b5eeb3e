import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type { PreviewedTable, StatementPreview } from "../../../plans/ports.js";
import {
  PREVIEW_SCHEMA,
  previewBattery,
  type PreviewFixture,
} from "../../testing/preview-battery.js";
import type { PostgresTargetOptions } from "../postgres-target.js";
import { openShop } from "../testing/shop.js";
import { changedTable } from "./changed-table.js";

previewBattery("PostgreSQL", async () => openFixture());
previewBattery("PostgreSQL before version 18", async () =>
  openFixture({ previewVersion: 170_000 }),
);

it.each([
  ["UPDATE a.b SET x = 1", "UPDATE", "a.b", "b"],
  ['update only "A" as z set x = 1 returning x', "UPDATE", '"A"', "z"],
  ["WITH update AS (DELETE FROM c RETURNING *) INSERT INTO t AS q SELECT 1", "INSERT", "t", "q"],
  ["DELETE FROM t x USING u WHERE x.a = u.a", "DELETE", "t", "x"],
  ["INSERT INTO t (a) VALUES ('RETURNING')", "INSERT", "t", "t"],
  ["MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE", "MERGE", "t", "t"],
])("finds the changed table of %s", (sql, verb, table, reference) => {
  expect(changedTable(sql)).toMatchObject({ verb, table, reference });
});

it.each([
  ["WITH d AS (DELETE FROM part RETURNING 1) SELECT * FROM d", "changes rows only within its WITH"],
  ["SELECT * FROM item FOR UPDATE", "a query that locks rows"],
  ["SELECT (id) FROM item FOR NO KEY UPDATE", "a query that locks rows"],
  ["TRUNCATE part", "previewed, and it is TRUNCATE"],
  ["EXPLAIN (ANALYZE) UPDATE item SET price = 1", "previewed, and it is EXPLAIN"],
  ["SELECT pg_notify('a', 'b')", "only by the functions that it calls"],
])("says why there is no preview: %s", async (sql, reason) => {
  await using fixture = await openFixture();
  await expect(preview(fixture, sql, [])).rejects.toThrow(reason);
});

it("counts where the role may not read what it changes", async () => {
  await using fixture = await openFixture();
  await fixture.own("CREATE VIEW doubled AS SELECT id, name FROM item");
  await fixture.own(
    "CREATE RULE quiet AS ON UPDATE TO doubled DO INSTEAD UPDATE item SET price = 0",
  );
  const seen = await preview(fixture, "UPDATE doubled SET name = 'x' WHERE id = 1", [
    { name: "public.doubled", columns: ["id"] },
  ]);
  expect(seen).toMatchObject({ changes: [], notes: [expect.stringContaining("cannot be shown")] });
});

it("shows the rows of a partitioned table, and says nothing of its partitions", async () => {
  await using fixture = await openFixture();
  await fixture.own(`CREATE TABLE day (at integer, n integer) PARTITION BY LIST (at);
    CREATE TABLE day_1 PARTITION OF day FOR VALUES IN (1);
    CREATE TABLE day_2 PARTITION OF day FOR VALUES IN (2);
    INSERT INTO day VALUES (1, 5)`);
  const seen = await preview(fixture, "UPDATE day SET at = 2", [
    { name: "public.day", columns: ["at", "n"] },
    { name: "public.day_1", columns: ["at", "n"] },
  ]);
  // A row that moves to another partition is deleted there and inserted here.
  expect(seen).toEqual({
    rowsChanged: 2,
    isCut: false,
    notes: [],
    changes: [{ table: "public.day", before: '{"at":1,"n":5}', after: '{"at":2,"n":5}' }],
  });
});

it.each([
  ["DELETE FROM tree WHERE id = 1", "tree", "2 of public.tree"],
  [
    "WITH z AS (DELETE FROM pair WHERE c = 10) UPDATE pair SET c = 0 WHERE c = 20",
    "pair",
    "1 of public.pair",
  ],
  ["WITH z AS (DELETE FROM bare) UPDATE pair SET c = 0 WHERE c = 20", "pair", "3 of other tables"],
  ["UPDATE item SET price = 0 WHERE id = 1", "item", "1 of public.item"],
])(
  "says how many rows of which table %s changes beside those that it shows",
  async (sql, table, rows) => {
    await using fixture = await openFixture();
    await fixture.own(`CREATE TABLE tree (id integer PRIMARY KEY, up integer REFERENCES tree ON DELETE CASCADE);
    INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 2);
    CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN UPDATE item SET price = 1 WHERE id = 2; RETURN NULL; END';
    CREATE TRIGGER other AFTER UPDATE ON item FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION other()`);
    const seen = await preview(fixture, sql, [{ name: `public.${table}`, columns: [] }]);
    expect(seen.changes).toHaveLength(1);
    expect(seen).toMatchObject({ isCut: true });
    expect(seen.notes).toEqual([expect.stringContaining(`not shown: ${rows} (`)]);
  },
);

it("shows all of a long result as cut, and says nothing of further rows", async () => {
  await using fixture = await openFixture();
  const seen = await preview(
    fixture,
    "INSERT INTO bare SELECT 'x', n FROM generate_series(1, 3000) n",
    [{ name: "public.bare", columns: ["size"] }],
  );
  expect(seen).toMatchObject({ rowsChanged: 3000, isCut: true, notes: [] });
});

it("fails when a deferred constraint would fail at the end of a run", async () => {
  await using fixture = await openFixture();
  await fixture.own(
    "ALTER TABLE part ALTER CONSTRAINT part_item_id_fkey DEFERRABLE INITIALLY DEFERRED",
  );
  const insert = preview(fixture, "INSERT INTO part VALUES (9, 99)", []);
  await expect(insert).rejects.toThrow(/foreign key/);
});

it("gives up soon when another transaction holds a lock", async () => {
  await using fixture = await openFixture();
  const other = new Client({ connectionString: fixture.shop.database.url });
  await other.connect();
  try {
    await other.query("BEGIN; LOCK TABLE bare IN ACCESS EXCLUSIVE MODE");
    const waiting = preview(fixture, "DELETE FROM bare", []);
    await expect(waiting).rejects.toThrow(/lock timeout/);
  } finally {
    await other.end();
  }
});

describe("a write whose effect outlives a rollback", () => {
  const states = "SELECT last_value::text, is_called FROM seq";

  it.each([
    ["UPDATE item SET price = setval('seq', 99) WHERE id = 2", "setval"],
    ["UPDATE item SET price = pg_catalog.setval('seq', 99, false) WHERE id = 2", "setval"],
    [
      "UPDATE item SET price = (SELECT count(nextval('seq')) FROM generate_series(1, 99))",
      "nextval",
    ],
    ["UPDATE item SET price = ('seq'::regclass).nextval WHERE id = 2", "nextval"],
    ["WITH d AS (DELETE FROM part WHERE id = nextval('seq')) DELETE FROM pair", "nextval"],
    ["INSERT INTO counted (n) SELECT nextval('seq') FROM generate_series(1, 99)", "nextval"],
    ["DELETE FROM pair WHERE a IN (SELECT n FROM drawn)", "nextval"],
    ["DELETE FROM pair WHERE a IN (SELECT n FROM judged)", "judge"],
    ["DELETE FROM pair WHERE a IN (SELECT n FROM locked)", "pg_try_advisory_lock"],
  ])("has no preview, and does not run: %s", async (sql, name) => {
    await using fixture = await openFixture();
    const { database } = fixture.shop;
    await fixture.own(COUNTED);
    const before = await database.query(states);
    await expect(preview(fixture, sql, [])).rejects.toThrow(
      new RegExp(`no preview.* ${name}[ ,].*rollback`),
    );
    expect(await database.query(states)).toEqual(before);
  });

  it("is not one that calls functions whose effects are undone, or draws ids by a default", async () => {
    await using fixture = await openFixture();
    await fixture.own(COUNTED);
    for (const sql of [
      "INSERT INTO counted (n) VALUES (1)",
      "UPDATE item SET price = length(pg_notify('a', 'b')::text) WHERE id = 2",
      "UPDATE item SET price = random() WHERE id = 2",
      "UPDATE item SET note = gen_random_uuid() WHERE id = 2",
      "DELETE FROM pair WHERE a IN (SELECT n FROM plain) AND b = 'x'",
      "DELETE FROM pair WHERE b = 'x' AND a IN (SELECT id FROM item TABLESAMPLE system (100))",
    ]) {
      expect(await preview(fixture, sql, [])).toMatchObject({ rowsChanged: 1 });
    }
  });
});

const COUNTED = `CREATE SEQUENCE seq;
  CREATE TABLE counted (id serial PRIMARY KEY, n integer);
  CREATE FUNCTION judge() RETURNS integer LANGUAGE sql VOLATILE AS 'SELECT 1';
  CREATE FUNCTION one() RETURNS integer LANGUAGE sql STABLE AS 'SELECT 1';
  CREATE VIEW drawn AS SELECT nextval('seq') AS n;
  CREATE VIEW near AS SELECT judge() AS n;
  CREATE VIEW judged AS SELECT n FROM near;
  CREATE VIEW locked AS SELECT 1 AS n, pg_try_advisory_lock(1) AS got;
  CREATE VIEW plain AS SELECT one() AS n`;

it("says that previews are switched off", async () => {
  await using fixture = await openFixture({ previews: false });
  await expect(preview(fixture, "DELETE FROM bare", [])).rejects.toThrow(/switched off/);
});

function preview(
  { target }: PreviewFixture,
  sql: string,
  tables: readonly PreviewedTable[],
): Promise<StatementPreview> {
  const limits = { waitMs: 10_000, timeoutMs: 10_000 };
  const intent = "cross_system_transaction";
  const asked = { sql, binds: [], intent, caller: NOBODY, tables, ...limits } as const;
  return target.preview(asked, new AbortController().signal);
}

async function openFixture(options: Partial<PostgresTargetOptions> = {}) {
  const shop = await openShop(options);
  await shop.database.query(PREVIEW_SCHEMA);
  const isOld = options.previewVersion !== undefined;
  const fixture: PreviewFixture = {
    target: shop.target,
    prefix: "public.",
    endlessWrite: `INSERT INTO bare (size) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i FROM n) SELECT i FROM n`,
    showsConsequences: false,
    showsEarlierWithoutKey: !isOld,
    own: async (sql) => void (await shop.database.query(sql)),
    dump: async () => {
      const tables = ["item", "part", "pair", "bare", "users", "log"];
      const parts = tables.map((name) => `SELECT '${name}' || t::text AS line FROM ${name} t`);
      const objects = "SELECT relname || relkind::text FROM pg_class WHERE oid >= 16384";
      const sql = `${parts.join(" UNION ALL ")} UNION ALL ${objects} ORDER BY 1`;
      return JSON.stringify(await shop.database.query(sql));
    },
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  };
  return { ...fixture, shop };
}
