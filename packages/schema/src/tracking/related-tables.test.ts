import { anonymousCaller } from "@steward/kernel/caller.js";
import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";
import { silentLog } from "@steward/kernel/log.js";
import { cascadesOf, cascadeTargets } from "../changes/cascades.js";
import { KnownSchemas } from "./known-schemas.js";
import type { SchemaDatabase } from "../ports.js";
import { RelatedTables } from "./related-tables.js";

const SHOP = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, c REFERENCES customers ON DELETE CASCADE);
  CREATE TABLE items (id INTEGER PRIMARY KEY, o REFERENCES orders ON DELETE CASCADE,
    p REFERENCES products ON DELETE RESTRICT);
  CREATE TABLE addresses (c REFERENCES customers ON DELETE CASCADE);
  CREATE TABLE products (id INTEGER PRIMARY KEY, parent REFERENCES products ON DELETE CASCADE);
  CREATE TABLE notes (c REFERENCES customers ON DELETE SET NULL);
`;

describe("the tables that deletions reach", () => {
  it("are told the nearest first and by name, over any number of foreign keys", async () => {
    const { tables } = shop();
    expect(
      await tables.targetsOf(anonymousCaller(), [
        '{"query":"DELETE FROM Customers WHERE id = 1"}',
        "an order is no orders_archive",
        "items of products",
        `UPDATE "orders"`,
      ]),
    ).toEqual([["addresses", "orders", "items"], [], ["products"], ["items"]]);
  });

  it("are read once a minute, or when somebody else reads the schema", async () => {
    const { tables, known, database, clock } = shop();
    await Promise.all([
      tables.targetsOf(anonymousCaller(), ["customers"]),
      tables.targetsOf(anonymousCaller(), ["customers"]),
    ]);
    clock.now += 59_000;
    await tables.targetsOf(anonymousCaller(), ["customers"]);
    expect(database.reads).toBe(1);
    database.db.exec("DROP TABLE addresses");
    await known.databases.get("shop")?.introspect();
    expect(await tables.targetsOf(anonymousCaller(), ["customers"])).toEqual([["orders", "items"]]);
    expect(database.reads).toBe(2);
    clock.now += 60_000;
    await tables.targetsOf(anonymousCaller(), ["customers"]);
    expect(database.reads).toBe(3);
  });

  it("are the last that were known of a database that cannot be read", async () => {
    const { tables, database, clock } = shop();
    await tables.targetsOf(anonymousCaller(), ["customers"]);
    database.isDown = true;
    clock.now += 61_000;
    expect(await tables.targetsOf(anonymousCaller(), ["orders"])).toEqual([["items"]]);
    await tables.targetsOf(anonymousCaller(), ["orders"]);
    expect(database.reads).toBe(2);
  });

  it("are those of a walk over the foreign keys, whatever these are", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, name)), fc.uniqueArray(name), (edges, from) => {
        using db = new DatabaseSync(":memory:");
        for (const table of ["a", "b", "c", "d", "e", "f"]) {
          const keys = edges
            .filter(([child]) => child === table)
            .map(
              ([, parent], index) => `, x${String(index)} REFERENCES ${parent} ON DELETE CASCADE`,
            );
          db.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY${keys.join("")})`);
        }
        const reached = new Set<string>();
        const visit = (table: string): void => {
          for (const [child, parent] of edges) {
            if (parent !== table || reached.has(child)) continue;
            reached.add(child);
            visit(child);
          }
        };
        from.forEach(visit);
        const targets = cascadeTargets(cascadesOf(introspectSqlite(db)), from);
        expect([...targets].sort()).toEqual([...reached].sort());
      }),
    );
  });
});

/** An in-memory database whose reads are counted. */
class CountedDatabase implements Pick<SchemaDatabase, "introspect"> {
  readonly db = new DatabaseSync(":memory:");
  reads = 0;
  isDown = false;

  introspect(): ReturnType<SchemaDatabase["introspect"]> {
    this.reads += 1;
    if (this.isDown) return Promise.reject(new Error("down"));
    return Promise.resolve(introspectSqlite(this.db));
  }
}

function shop() {
  const database = new CountedDatabase();
  database.db.exec(SHOP);
  const clock = { now: 0, nowMs: () => clock.now };
  const known = new KnownSchemas({
    // Reading schemas needs no other dependencies.
    databases: new Map([["shop", database as unknown as SchemaDatabase]]),
    clock,
    log: silentLog,
  });
  return { database, clock, known, tables: new RelatedTables(known) };
}
