import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import type { CatalogTable } from "./catalog-table.js";
import { countedRanges, countQuery, estimateOf, profileOf, profileQuery } from "./table-profile.js";

const NAMES = ["id", "price", "day", "moment", "code", "mixed", "late", "empty"];
const table: CatalogTable = {
  ...{ name: "t", policyName: "t", policySchema: "", quotedName: '"t"' },
  ...{ kind: "table", questions: [] },
  columns: NAMES.map((name) => ({ name, type: "", isNotNull: false })),
  ...{ primaryKey: [], uniqueKeys: [], foreignKeys: [], fingerprint: "" },
};

/** Rows with numbers, dates, and columns that are neither; `late` has a text only where the profile does not look. */
function filled(rows: number): DatabaseSyncInstance {
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE TABLE t (${NAMES.join(", ")});
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(rows)})
    INSERT INTO t SELECT i, CASE i % 3 WHEN 0 THEN NULL ELSE i / 4.0 END, date('2024-01-01', i || ' days'),
      datetime('2024-01-01', i || ' hours'), 'A' || i, CASE i % 2 WHEN 0 THEN 'x' ELSE i END,
      CASE WHEN i < 1200 THEN i ELSE 'none' END, NULL FROM n`);
  return database;
}

function rowsOf(
  database: DatabaseSyncInstance,
  sql: string,
): readonly Readonly<Record<string, unknown>>[] {
  return database.prepare(sql).all() as Readonly<Record<string, unknown>>[];
}

it("has the ranges of columns whose values are all numbers or all dates", () => {
  const database = filled(10);
  const { ranges } = profileOf(rowsOf(database, profileQuery(table, table.columns, "sqlite")));
  expect(Object.fromEntries(ranges)).toEqual({
    id: { least: "1", greatest: "10" },
    price: { least: "0.25", greatest: "2.5" },
    day: { least: "2024-01-02", greatest: "2024-01-11" },
    moment: { least: "2024-01-01 01:00:00", greatest: "2024-01-01 10:00:00" },
    late: { least: "1", greatest: "10" },
  });
  database.close();
});

it("has the ranges of all counted rows, and none of a column that has other values there", () => {
  const database = filled(1500);
  const { ranges } = profileOf(rowsOf(database, profileQuery(table, table.columns, "sqlite")));
  const ranged = table.columns.filter(({ name }) => ranges.has(name));
  const counted = rowsOf(database, countQuery(table, ranged, "sqlite"));
  expect(estimateOf(counted)).toEqual({ rows: 1500, kind: "exact" });
  const all = Object.fromEntries(countedRanges(ranged, counted));
  expect(Object.keys(all)).toEqual(["id", "price", "day", "moment"]);
  expect(all["id"]).toEqual({ least: "1", greatest: "1500" });
  expect(all["day"]).toEqual({ least: "2024-01-02", greatest: "2028-02-09" });
  database.close();
});
