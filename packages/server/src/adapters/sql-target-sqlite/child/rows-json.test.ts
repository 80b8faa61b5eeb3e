import { describe, expect, it } from "vitest";
import {
  OUTPUT_BYTES_MAX,
  RESULT_ROWS_COUNTED_MAX,
  RESULT_ROWS_MAX,
} from "../../../plans/limits.js";
import { RowsJson, type SqliteCell } from "./rows-json.js";

function textOf(columns: readonly string[], row: readonly SqliteCell[]): string {
  const rows = new RowsJson(columns);
  rows.add(row);
  return rows.finish().outputJson;
}

describe("the JSON text of a result", () => {
  it("is an array of row objects", () => {
    const rows = new RowsJson(["id", "name"]);
    rows.add([1n, "Ada"]);
    rows.add([2n, null]);
    expect(rows.finish()).toEqual({
      rowCount: 2,
      outputJson: '[{"id":1,"name":"Ada"},{"id":2,"name":null}]',
      rowsKept: 2,
      rowCountIsLowerBound: false,
      columnTypes: [],
    });
  });

  it("is an empty array when there are no rows", () => {
    expect(new RowsJson(["id"]).finish()).toMatchObject({ rowCount: 0, outputJson: "[]" });
  });

  it.each([
    ["the largest safe integer", 9007199254740991n, "9007199254740991"],
    ["an integer beyond what a double holds", 9007199254740992n, '"9007199254740992"'],
    ["the least 64-bit integer", -9223372036854775808n, '"-9223372036854775808"'],
    ["a real number", 1.5, "1.5"],
    ["a large real number", 1e300, "1e+300"],
    ["infinity", -Infinity, '"-Infinity"'],
    ["a real number without a fraction", 4, "4.0"],
    ["negative zero", -0, "-0.0"],
    ["a blob", new Uint8Array([0, 255, 16]), '"AP8Q"'],
    ["an empty blob", new Uint8Array(), '""'],
    ["text with quotes and line breaks", 'a"b\n\u2028', JSON.stringify('a"b\n\u2028')],
  ])("writes %s", (_name, cell, expected) => {
    expect(textOf(["v"], [cell])).toBe(`[{"v":${expected}}]`);
  });

  it("records what strings stand for where they are no text", () => {
    const rows = new RowsJson(["id", "v", "id", "t"]);
    rows.add([1n, 9007199254740993n, new Uint8Array([1]), "a"]);
    rows.add([2n, "9007199254740993", new Uint8Array(), "b"]);
    rows.add([3n, null, null, null]);
    rows.add([4n, -Infinity, new Uint8Array(), "d"]);
    expect(rows.finish().columnTypes).toEqual([
      { name: "v", storage: "ittr" },
      { name: "id_2", storage: "b" },
    ]);
  });

  it.each([
    [["id", "id"], { id: 1, id_2: 2 }],
    [["id", "id", "id_2"], { id: 1, id_3: 2, id_2: 3 }],
    [["", ""], { "": 1, _2: 2 }],
    [["id", "ID"], { id: 1, ID: 2 }],
  ])("tells columns of one name apart: %j", (columns, expected) => {
    const cells = columns.map((_, index) => BigInt(index + 1));
    expect(JSON.parse(textOf(columns, cells))).toEqual([expected]);
  });

  it("keeps a column that is called like an object's own machinery", () => {
    expect(textOf(["__proto__"], [1n])).toBe('[{"__proto__":1}]');
  });
});

describe("the limits of a result", () => {
  it("keep the first rows and count on", () => {
    const rows = new RowsJson(["n"]);
    for (let n = 0; n < RESULT_ROWS_MAX + 5; n += 1) rows.add([BigInt(n)]);
    const { outputJson, ...result } = rows.finish();
    expect(result).toEqual({
      rowCount: RESULT_ROWS_MAX + 5,
      rowsKept: RESULT_ROWS_MAX,
      rowCountIsLowerBound: false,
      columnTypes: [],
    });
    expect(JSON.parse(outputJson)).toHaveLength(RESULT_ROWS_MAX);
  });

  it("cut before the row that would make the text too long, and keep no later, shorter one", () => {
    const rows = new RowsJson(["t"]);
    const half = "é".repeat(OUTPUT_BYTES_MAX / 4);
    rows.add([half]);
    rows.add([half]);
    rows.add(["short"]);
    const { outputJson, rowCount, rowsKept } = rows.finish();
    expect({ rowCount, rowsKept }).toEqual({ rowCount: 3, rowsKept: 1 });
    expect(Buffer.byteLength(outputJson)).toBeLessThanOrEqual(OUTPUT_BYTES_MAX);
    expect(JSON.parse(outputJson)).toEqual([{ t: half }]);
  });

  it("keep nothing of a single row that is too long", () => {
    const text = "x".repeat(OUTPUT_BYTES_MAX);
    expect(textOf(["t"], [text])).toBe("[]");
  });

  it("give up counting at last, saying that there are more", () => {
    const rows = new RowsJson(["n"]);
    let offered = 0;
    while (rows.add([1n])) offered += 1;
    const { rowCount, rowCountIsLowerBound } = rows.finish();
    expect(rowCountIsLowerBound).toBe(true);
    expect(rowCount).toBe(offered);
    expect(rowCount).toBe(RESULT_ROWS_MAX + RESULT_ROWS_COUNTED_MAX);
  });
});
