import { Client } from "pg";
import { expect, it } from "vitest";
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

it("finds no changed table in a query that changes rows within its WITH", () => {
  expect(changedTable("WITH d AS (DELETE FROM t RETURNING 1) SELECT * FROM d")).toBeUndefined();
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
