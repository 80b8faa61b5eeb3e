import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import type {
  SqlTarget,
  StatementPreview,
  StatementRequest,
  StatementToPreview,
} from "../../plans/ports.js";

/** A data source in which `SCHEMA` was run by its owner. */
export interface PreviewFixture extends AsyncDisposable {
  readonly target: SqlTarget;
  /** `main.` or `public.`, as far as the touched tables have it. */
  readonly prefix: string;
  /** A write without end. */
  readonly endlessWrite: string;
  /** Whether rows that foreign keys and triggers change are shown. */
  readonly showsConsequences: boolean;
  /** Whether the earlier rows of a table without a primary key are shown. */
  readonly showsEarlierWithoutKey: boolean;
  /** Runs SQL as the owner. */
  own(sql: string): Promise<void>;
  /** All tables with their rows and the schema, as the owner sees them. */
  dump(): Promise<string>;
}

/** Run by the owner of each fixture's data source; both engines have its types. */
export const PREVIEW_SCHEMA = `
  CREATE TABLE item (id integer PRIMARY KEY, name text NOT NULL UNIQUE, price integer, note text);
  CREATE TABLE part (id integer PRIMARY KEY, item_id integer REFERENCES item (id) ON DELETE CASCADE);
  CREATE TABLE pair (a integer, b text, c integer, PRIMARY KEY (a, b));
  CREATE TABLE bare (line text, size integer);
  INSERT INTO item VALUES (1, 'cup', 5, 'secret'), (2, 'jar', 7, NULL), (3, 'pot', 9, 'x');
  INSERT INTO part VALUES (1, 1), (2, 1), (3, 2);
  INSERT INTO pair VALUES (1, 'x', 10), (1, 'y', 20);
  INSERT INTO bare VALUES ('one', 1), ('two', 2), ('two', 2);
`;

const COLUMNS = {
  item: ["id", "name", "price"],
  part: ["id", "item_id"],
  pair: ["a", "b", "c"],
  bare: ["line", "size"],
} as const;

type Table = keyof typeof COLUMNS;

/** A change with the columns parsed. */
interface ReadChange {
  readonly table: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What the preview of a write shows and leaves behind, whatever the engine. */
export function previewBattery(engine: string, open: () => Promise<PreviewFixture>): void {
  describe(`a preview on ${engine}`, () => {
    let fixture: PreviewFixture;
    let dumped: string;

    beforeEach(async () => {
      fixture = await open();
      dumped = await fixture.dump();
    });
    afterEach(async () => {
      // No preview has changed the content of the database.
      const after = await fixture.dump();
      await fixture[Symbol.asyncDispose]();
      expect(after).toBe(dumped);
    });

    const preview = (
      sql: string,
      intent: StatementRequest["intent"],
      tables: readonly Table[],
      over: Partial<StatementToPreview> = {},
      signal: AbortSignal = new AbortController().signal,
    ): Promise<StatementPreview> => {
      const shown = tables.map((name) => ({
        name: `${fixture.prefix}${name}`,
        columns: COLUMNS[name],
      }));
      const limits = { waitMs: 10_000, timeoutMs: 10_000 };
      const asked = { sql, binds: [], intent, caller: NOBODY, tables: shown, ...limits, ...over };
      return fixture.target.preview(asked, signal);
    };
    const changesOf = ({ changes }: StatementPreview): readonly ReadChange[] =>
      changes.map(({ table, before, after }) => ({
        table: table.split(".").at(-1),
        ...(before !== undefined && { before: JSON.parse(before) as unknown }),
        ...(after !== undefined && { after: JSON.parse(after) as unknown }),
      }));

    it("shows updated rows before and after, without columns that may not be shown", async () => {
      const seen = await preview("UPDATE item SET price = price + 1 WHERE id < 3", "write_update", [
        "item",
      ]);
      expect(seen).toMatchObject({ rowsChanged: 2, isCut: false, notes: [] });
      expect(changesOf(seen)).toEqual([
        {
          table: "item",
          before: { id: 1, name: "cup", price: 5 },
          after: { id: 1, name: "cup", price: 6 },
        },
        {
          table: "item",
          before: { id: 2, name: "jar", price: 7 },
          after: { id: 2, name: "jar", price: 8 },
        },
      ]);
      expect(JSON.stringify(seen)).not.toContain("secret");
    });

    it("shows inserted rows, whatever the statement returns itself", async () => {
      const insert = "INSERT INTO pair VALUES (2, 'z', 30), (3, 'z', NULL)";
      const expected = [
        { table: "pair", after: { a: 2, b: "z", c: 30 } },
        { table: "pair", after: { a: 3, b: "z", c: null } },
      ];
      for (const sql of [insert, `${insert};`, `${insert} RETURNING a`, `${insert} -- done`]) {
        const seen = await preview(sql, "write_insert", ["pair"]);
        expect(seen.rowsChanged).toBe(2);
        expect(changesOf(seen)).toEqual(expected);
      }
    });

    it("shows deleted rows", async () => {
      const seen = await preview("DELETE FROM pair WHERE b = 'y'", "write_delete", ["pair"]);
      expect(seen.rowsChanged).toBe(1);
      expect(changesOf(seen)).toEqual([{ table: "pair", before: { a: 1, b: "y", c: 20 } }]);
    });

    it("tells the rows that an upsert updates from those that it inserts", async () => {
      const sql =
        "INSERT INTO item (id, name, price) VALUES (1, 'mug', 1), (8, 'bowl', 8) " +
        "ON CONFLICT (id) DO UPDATE SET name = excluded.name";
      const seen = await preview(sql, "write_update", ["item"]);
      expect(seen.rowsChanged).toBe(2);
      expect(changesOf(seen)).toEqual([
        {
          table: "item",
          before: { id: 1, name: "cup", price: 5 },
          after: { id: 1, name: "mug", price: 5 },
        },
        { table: "item", after: { id: 8, name: "bowl", price: 8 } },
      ]);
    });

    it("shows rows of a table without a primary key", async () => {
      const deleted = await preview("DELETE FROM bare WHERE line = 'two'", "write_delete", [
        "bare",
      ]);
      const two = { table: "bare", before: { line: "two", size: 2 } };
      expect(deleted.rowsChanged).toBe(2);
      expect(changesOf(deleted)).toEqual([two, two]);
      const updated = await preview("UPDATE bare SET size = 0 WHERE size = 1", "write_update", [
        "bare",
      ]);
      const after = { line: "one", size: 0 };
      expect(changesOf(updated)).toEqual([
        fixture.showsEarlierWithoutKey
          ? { table: "bare", before: { line: "one", size: 1 }, after }
          : { table: "bare", after },
      ]);
      expect(updated.notes).toHaveLength(fixture.showsEarlierWithoutKey ? 0 : 1);
    });

    it("binds values, and reads common table expressions, aliases and comments", async () => {
      const sql =
        "WITH dear AS (SELECT id FROM item WHERE price > CAST(?1 AS integer)) /* UPDATE part */ " +
        "UPDATE item AS i SET price = 0 WHERE i.id IN (SELECT id FROM dear)";
      const text = fixture.target.dialect === "sqlite" ? sql : sql.replace("?1", "$1");
      const seen = await preview(text, "write_update", ["item"], { binds: [8] });
      expect(changesOf(seen)).toEqual([
        {
          table: "item",
          before: { id: 3, name: "pot", price: 9 },
          after: { id: 3, name: "pot", price: 0 },
        },
      ]);
    });

    it("shows what foreign keys change too, or says that it does not", async () => {
      const seen = await preview("DELETE FROM item WHERE id = 1", "write_delete", ["item", "part"]);
      expect(seen.rowsChanged).toBe(3);
      const parts = changesOf(seen).filter(({ table }) => table === "part");
      expect(parts).toHaveLength(fixture.showsConsequences ? 2 : 0);
      const told = fixture.showsConsequences
        ? []
        : [expect.stringContaining("not shown: 2 of public.part (")];
      expect(seen.isCut).toBe(!fixture.showsConsequences);
      expect(seen.notes).toEqual(told);
    });

    it("shows 20 rows and counts the others", async () => {
      const numbers =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)";
      const seen = await preview(
        `INSERT INTO bare (size) ${numbers} SELECT i FROM n`,
        "write_insert",
        ["bare"],
      );
      expect(seen).toMatchObject({ rowsChanged: 500, isCut: true });
      expect(seen.changes).toHaveLength(20);
      expect(changesOf(seen)[19]).toEqual({ table: "bare", after: { line: null, size: 20 } });
    });

    it("cuts long values", async () => {
      const long = "é".repeat(10_000);
      const seen = await preview(`INSERT INTO bare VALUES ('${long}', 1)`, "write_insert", [
        "bare",
      ]);
      expect(changesOf(seen)[0]?.after).toEqual({ line: `${long.slice(0, 500)}…`, size: 1 });
    });

    it("fails as a run would: constraints, too many rows, another intent, unknown tables", async () => {
      await expect(
        preview("INSERT INTO item VALUES (1, 'new', 1, NULL)", "write_insert", ["item"]),
      ).rejects.toMatchObject({ reason: "statement" });
      await expect(
        preview("DELETE FROM pair", "write_delete", ["pair"], { rowsChangedMax: 1 }),
      ).rejects.toMatchObject({ message: expect.stringContaining("changed 2 rows; at most 1") });
      await expect(preview("DELETE FROM pair", "write_update", ["pair"])).rejects.toMatchObject({
        reason: "intent",
      });
      await expect(preview("DELETE FROM missing", "write_delete", [])).rejects.toMatchObject({
        reason: "statement",
      });
    });

    it("refuses what changes no rows, such as a change of the schema", async () => {
      for (const [sql, intent] of [
        ["DROP TABLE bare", "admin"],
        ["SELECT 1", "read_select"],
      ] as const) {
        await expect(preview(sql, intent, [])).rejects.toMatchObject({ reason: "statement" });
      }
    });

    it("stops a preview without end within its own limit, and writes go on", async () => {
      const endless = preview(fixture.endlessWrite, "write_insert", ["bare"]);
      await expect(endless).rejects.toMatchObject({ reason: "timeout" });
      const seen = await preview("DELETE FROM pair", "write_delete", ["pair"]);
      expect(seen.rowsChanged).toBe(2);
    });

    it("stops a preview when the signal is aborted", async () => {
      const stop = new AbortController();
      const endless = preview(fixture.endlessWrite, "write_insert", ["bare"], {}, stop.signal);
      setTimeout(() => stop.abort(), 200);
      await expect(endless).rejects.toMatchObject({ reason: "aborted" });
    });

    it("leaves the content as it was, whatever is previewed", async () => {
      const value = fc.constantFrom("1", "2", "3", "NULL", "42");
      const name = fc.constantFrom("'cup'", "'jar'", "'new'", "NULL");
      const statement = fc.oneof(
        fc
          .tuple(value, name, value)
          .map(([id, text, price]) => `INSERT INTO item VALUES (${id}, ${text}, ${price}, NULL)`),
        fc
          .tuple(value, name)
          .map(([id, text]) => `UPDATE item SET id = ${id}, name = ${text} WHERE price > 6`),
        fc.tuple(value).map(([id]) => `DELETE FROM item WHERE id = ${id}`),
        fc.tuple(value).map(([a]) => `UPDATE pair SET a = ${a}`),
        fc
          .tuple(value, name)
          .map(
            ([id, text]) =>
              `INSERT INTO item (id, name) VALUES (${id}, ${text}) ON CONFLICT (name) DO UPDATE SET price = 0`,
          ),
      );
      await fc.assert(
        fc.asyncProperty(statement, async (sql) => {
          const intent = "cross_system_transaction";
          await preview(sql, intent, ["item", "part", "pair"]).catch(() => undefined);
          expect(await fixture.dump()).toBe(dumped);
        }),
        { numRuns: 40 },
      );
    });
  });
}
