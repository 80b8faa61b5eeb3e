import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type { StatementPreview } from "../../plans/ports.js";
import { PREVIEW_SCHEMA, previewBattery, type PreviewFixture } from "../testing/preview-battery.js";
import type { SqliteTargetOptions } from "./sqlite-target.js";
import { ENDLESS, Shop } from "./testing/shop.js";

for (const journal of ["wal", "delete"] as const) {
  previewBattery(`SQLite (${journal})`, async () => fixtureOf(journal));
}

it("shows the rows that a REPLACE deletes, by every unique key", async () => {
  await using fixture = fixtureOf("wal");
  const seen = await preview(fixture, "INSERT OR REPLACE INTO item VALUES (1, 'jar', 1, NULL)");
  // The new row, three that a foreign key deletes, and at most one replaced row for each of two keys.
  expect(seen.rowsChanged).toBe(6);
  expect(rowsOf(seen)).toEqual([
    ["before", { id: 1, name: "cup" }],
    ["before", { id: 2, name: "jar" }],
    ["after", { id: 1, name: "jar" }],
  ]);
});

it("does not take a row that REPLACE writes anew for a deleted one", async () => {
  await using fixture = fixtureOf("wal");
  const seen = await preview(fixture, "UPDATE OR REPLACE item SET name = 'jar' WHERE id = 1");
  expect(seen.changes.map(({ before, after }) => [before, after].map(String))).toEqual([
    ['{"id":2,"name":"jar"}', "undefined"],
    ['{"id":1,"name":"cup"}', '{"id":1,"name":"jar"}'],
  ]);
});

it("shows what a table's own triggers change", async () => {
  await using fixture = fixtureOf("wal");
  await fixture.own(
    "CREATE TRIGGER named AFTER UPDATE OF name ON item BEGIN INSERT INTO bare VALUES (new.name, 0); END",
  );
  const seen = await preview(fixture, "UPDATE item SET name = 'mug' WHERE id = 1");
  expect(seen.changes.map(({ table }) => table).sort()).toEqual(["bare", "item"]);
});

it("says which tables it cannot watch", async () => {
  await using fixture = fixtureOf("wal");
  await fixture.own("CREATE VIRTUAL TABLE words USING fts5(body)");
  const seen = await preview(fixture, "INSERT INTO words VALUES ('a')", [
    { name: "words", columns: ["body"] },
  ]);
  expect(seen.changes).toEqual([]);
  expect(seen.notes).toEqual(["Changes of words are not shown: it is a view or a virtual table"]);
});

it.each(["wal", "delete"] as const)(
  "leaves nothing behind when its process is killed (%s)",
  async (journal) => {
    await using fixture = fixtureOf(journal);
    const dumped = await fixture.dump();
    const running = preview(fixture, fixture.endlessWrite);
    const refused = expect(running).rejects.toMatchObject({ reason: "rolled_back" });
    await sleep(700);
    for (const pid of fixture.shop.writerPids) process.kill(pid, "SIGKILL");
    await refused;
    expect(await fixture.dump()).toBe(dumped);
  },
);

it("says that previews are switched off", async () => {
  await using fixture = fixtureOf("wal", { previews: false });
  await expect(preview(fixture, "DELETE FROM item")).rejects.toThrow(/switched off/);
});

function preview(
  { target }: PreviewFixture,
  sql: string,
  tables = [
    { name: "item", columns: ["id", "name"] },
    { name: "bare", columns: ["line"] },
  ],
): Promise<StatementPreview> {
  const limits = { waitMs: 10_000, timeoutMs: 10_000 };
  const intent = "cross_system_transaction";
  const asked = { sql, binds: [], intent, caller: NOBODY, tables, ...limits } as const;
  return target.preview(asked, new AbortController().signal);
}

function rowsOf({ changes }: StatementPreview): readonly (readonly [string, unknown])[] {
  return changes.flatMap((change) =>
    (["before", "after"] as const).flatMap((side) => {
      const row = change[side];
      return row === undefined ? [] : [[side, JSON.parse(row) as unknown] as const];
    }),
  );
}

function fixtureOf(
  journal: "wal" | "delete",
  options: Partial<SqliteTargetOptions> = {},
): PreviewFixture & { readonly shop: Shop } {
  const shop = new Shop(journal, options);
  shop.asOwner((db) => db.exec(PREVIEW_SCHEMA));
  return {
    shop,
    target: shop.target,
    prefix: "",
    endlessWrite: `INSERT INTO bare (size) ${ENDLESS} SELECT i FROM n`,
    showsConsequences: true,
    showsEarlierWithoutKey: true,
    own: async (sql) => shop.asOwner((db) => db.exec(sql)),
    dump: async () =>
      shop.asOwner((db) => {
        const schema = db.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
        const tables = ["item", "part", "pair", "bare", "users", "log"];
        const rows = tables.map((name) => db.prepare(`SELECT * FROM ${name}`).all());
        return JSON.stringify([schema, rows]);
      }),
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  };
}
