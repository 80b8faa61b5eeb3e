import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { sampleRows, type SampleTable } from "./sample-rows.js";

const SCHEMA = `
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  city TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  sku TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  category TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
  stock INTEGER NOT NULL CHECK (stock >= 0)
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'shipped', 'cancelled')),
  ordered_at TEXT NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  product_id INTEGER NOT NULL REFERENCES products (id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  unit_price_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, product_id)
);
CREATE INDEX order_items_by_product ON order_items (product_id);
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER REFERENCES customers (id),
  kind TEXT NOT NULL,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  created_at TEXT NOT NULL
);
`;

/**
 * Creates the sample database of a small shop, for a user's first plan (Decision §1). Its rows are
 * always the same. An existing file is never overwritten, and the new file appears atomically.
 */
export function createSampleDatabase(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}.unfinished`;
  rmSync(unfinished, { force: true });
  const db = new DatabaseSync(unfinished);
  try {
    db.exec(SCHEMA);
    db.exec("BEGIN");
    for (const table of sampleRows()) insert(db, table);
    db.exec("COMMIT");
    // With WAL, readers and a writer do not block each other.
    db.exec("PRAGMA journal_mode = WAL");
  } finally {
    db.close();
  }
  renameSync(unfinished, path);
}

function insert(db: DatabaseSyncInstance, { table, rows }: SampleTable): void {
  for (const row of rows) {
    const values = Object.values(row);
    const places = values.map(() => "?").join(", ");
    db.prepare(`INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${places})`).run(
      ...values,
    );
  }
}
