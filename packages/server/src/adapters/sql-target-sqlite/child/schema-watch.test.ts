import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MARKER_TABLE } from "../../own-tables.js";
import { withoutRows } from "../../sql-target/result-rows.js";
import { watchSchema } from "./schema-watch.js";

describe("what a change of the schema comes to", () => {
  let db: DatabaseSyncInstance;

  beforeEach(() => {
    db = new DatabaseSync(":memory:");
    db.exec(`
      CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE);
      CREATE TABLE ${MARKER_TABLE} (plan_id TEXT);
    `);
  });
  afterEach(() => {
    db.close();
  });

  const deltasOf = (sql: string) => {
    const { schemaDeltas } = watchSchema(db, () => {
      db.exec(sql);
      return withoutRows(0);
    });
    return schemaDeltas.map(({ tableName, operation, tableDefJson }) => ({
      tableName,
      operation,
      table: JSON.parse(tableDefJson) as unknown,
    }));
  };

  it("describes a new table with columns, keys and indexes", () => {
    const sql = `CREATE TABLE orders (
      customer_id INTEGER NOT NULL REFERENCES customers ON DELETE CASCADE,
      number INTEGER,
      total DECIMAL(10, 2) DEFAULT 0.5,
      doubled AS (total * 2) STORED,
      code TEXT CHECK (code <> ''),
      UNIQUE (code, number),
      PRIMARY KEY (number, customer_id)
    )`;
    const index =
      "CREATE UNIQUE INDEX orders_by_code ON orders (lower(code), number) WHERE total > 0";
    expect(deltasOf(`${sql}; ${index}`)).toEqual([
      {
        tableName: "orders",
        operation: "NEW",
        table: {
          kind: "table",
          columns: [
            column("customer_id", "INTEGER", { not_null: true, primary_key_position: 2 }),
            column("number", "INTEGER", { primary_key_position: 1 }),
            column("total", "DECIMAL(10, 2)", { default: "0.5" }),
            column("doubled", "", { generated: "stored" }),
            column("code", "TEXT"),
          ],
          primary_key: ["number", "customer_id"],
          foreign_keys: [
            {
              columns: ["customer_id"],
              references: { table: "customers", columns: ["id"] },
              on_update: "NO ACTION",
              on_delete: "CASCADE",
            },
          ],
          unique: [["code", "number"]],
          indexes: [
            { name: "orders_by_code", columns: [null, "number"], unique: true, partial: true },
          ],
          sql: expect.stringMatching(
            /^CREATE TABLE "orders" \([^]*CHECK \(code <> ''\)/,
          ) as unknown,
        },
      },
    ]);
  });

  it("keeps foreign keys of several columns together", () => {
    const [delta] = deltasOf(`
      CREATE TABLE parts (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
      CREATE TABLE uses (x INTEGER, y INTEGER, z INTEGER REFERENCES customers (id),
        FOREIGN KEY (x, y) REFERENCES parts (a, b) ON UPDATE CASCADE);
    `).slice(1);
    expect(delta?.table).toMatchObject({
      foreign_keys: [
        { columns: ["z"], references: { table: "customers", columns: ["id"] } },
        { columns: ["x", "y"], references: { table: "parts", columns: ["a", "b"] } },
      ],
    });
  });

  it("shows a changed table as it is now", () => {
    expect(deltasOf("ALTER TABLE customers ADD COLUMN city TEXT")).toMatchObject([
      {
        tableName: "customers",
        operation: "MODIFIED",
        table: { columns: [{ name: "id" }, { name: "email" }, { name: "city" }] },
      },
    ]);
    expect(deltasOf("CREATE INDEX by_city ON customers (city)")).toMatchObject([
      { operation: "MODIFIED", table: { indexes: [{ name: "by_city" }] } },
    ]);
  });

  it("shows a removed table as it last was, and a renamed one as removed and new", () => {
    expect(deltasOf("ALTER TABLE customers RENAME TO clients")).toMatchObject([
      { tableName: "clients", operation: "NEW" },
      { tableName: "customers", operation: "REMOVED" },
    ]);
    expect(deltasOf("DROP TABLE clients")).toMatchObject([
      { operation: "REMOVED", table: { columns: [{ name: "id" }, { name: "email" }] } },
    ]);
  });

  it("shows views with their columns, even one whose table is gone", () => {
    expect(deltasOf("CREATE VIEW emails AS SELECT email FROM customers")).toMatchObject([
      { operation: "NEW", table: { kind: "view", columns: [{ name: "email", type: "TEXT" }] } },
    ]);
    expect(deltasOf("DROP TABLE customers")).toMatchObject([
      { tableName: "customers", operation: "REMOVED" },
      { tableName: "emails", operation: "MODIFIED", table: { kind: "view", columns: [] } },
    ]);
  });

  it("shows a virtual table without its hidden columns and shadow tables", () => {
    expect(deltasOf("CREATE VIRTUAL TABLE docs USING fts5(title, body)")).toMatchObject([
      {
        tableName: "docs",
        table: { kind: "virtual", columns: [{ name: "title" }, { name: "body" }] },
      },
    ]);
  });

  it("is nothing when only rows change, or the service's own table does", () => {
    expect(deltasOf("INSERT INTO customers (email) VALUES ('a@b.c')")).toEqual([]);
    expect(deltasOf(`DROP TABLE ${MARKER_TABLE}`)).toEqual([]);
    expect(deltasOf("ANALYZE")).toEqual([]);
  });
});

function column(name: string, type: string, over: object = {}): object {
  const plain = { not_null: false, default: null, primary_key_position: 0, generated: null };
  return { name, type, ...plain, ...over };
}
