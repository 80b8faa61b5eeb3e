import type { Relation } from "@steward/schema";
import type { Dialect } from "../../governance/index.js";
import type { ReadStatement } from "../correction.js";
import { KnownTables } from "../schema/known-tables.js";
import { scopesOf } from "../statement/scope.js";

/** A statement on customers, their orders and the lines of these, as rules see it. */
export function readInShop(sql: string, dialect: Dialect = "sqlite"): ReadStatement {
  const tables = new KnownTables(TABLES, dialect);
  return { sql, tables, scopes: scopesOf(sql, tables) };
}

const TABLES: readonly Relation[] = [
  table("customers", ["id", "last_name", "note"]),
  table("orders", ["id", "customer_id", "status", "total"], {
    foreignKeys: [{ columns: ["customer_id"], target: "customers", targetColumns: ["id"] }],
    checks: ["status IN ('open', 'paid')"],
  }),
  table("lines", ["id", "order_id", "quantity"], {
    foreignKeys: [{ columns: ["order_id"], target: "orders", targetColumns: ["id"] }],
  }),
];

function table(
  name: string,
  columns: readonly string[],
  more: Partial<Pick<Relation, "foreignKeys" | "checks">> = {},
): Relation {
  return {
    ...{ name, bareName: name, kind: "table", primaryKey: ["id"], uniqueKeys: [] },
    columns: columns.map((column) => {
      const type = /id$|total|quantity/.test(column) ? "INTEGER" : "TEXT";
      return { name: column, type, isNotNull: false };
    }),
    foreignKeys: more.foreignKeys ?? [],
    checks: more.checks ?? [],
  };
}
