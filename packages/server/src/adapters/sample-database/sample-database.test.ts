import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSampleDatabase } from "./index.js";

describe("the sample database", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sample-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const query = (path: string, sql: string): readonly unknown[] => {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  };

  it("is a consistent shop with some rows in every table", () => {
    const path = join(folder, "data", "sample.db");
    createSampleDatabase(path);
    expect(query(path, "PRAGMA foreign_key_check")).toEqual([]);
    expect(query(path, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    const counts = `SELECT (SELECT count(*) FROM customers) AS customers,
      (SELECT count(*) FROM products) AS products, (SELECT count(*) FROM orders) AS orders,
      (SELECT count(*) FROM order_items) AS order_items, (SELECT count(*) FROM events) AS events`;
    expect(query(path, counts)).toEqual([
      { customers: 20, products: 12, orders: 120, order_items: expect.any(Number), events: 160 },
    ]);
  });

  it("holds the same rows each time, and leaves no other file behind", () => {
    createSampleDatabase(join(folder, "a.db"));
    createSampleDatabase(join(folder, "b.db"));
    expect(readdirSync(folder).sort()).toEqual(["a.db", "b.db"]);
    const all = "SELECT * FROM order_items JOIN orders ON orders.id = order_id ORDER BY 1, 2";
    expect(query(join(folder, "a.db"), all)).toEqual(query(join(folder, "b.db"), all));
  });

  it("is not written over what is there", () => {
    const path = join(folder, "a.db");
    writeFileSync(path, "mine");
    createSampleDatabase(path);
    expect(readdirSync(folder)).toEqual(["a.db"]);
  });
});
