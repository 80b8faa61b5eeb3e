import { describe, expect, it } from "vitest";
import { schemaWarnings } from "./schema-warnings.js";
import { readInShop } from "./testing/shop-tables.js";

function said(sql: string): readonly string[] {
  return schemaWarnings(readInShop(sql)).map(({ sentence }) => sentence);
}

describe("a statement that ran", () => {
  it.each([
    "SELECT c.last_name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id",
    "SELECT max(total), status FROM orders",
    "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id AND c.note = o.status",
    "SELECT o.id FROM orders o CROSS JOIN customers c",
    "SELECT id, sum(total) OVER (ORDER BY id) FROM orders",
    "SELECT status, count(*) AS n FROM orders GROUP BY 1",
    "SELECT id FROM orders WHERE status = 'paid' AND customer_id = (SELECT max(id) FROM customers)",
    "SELECT upper(status) AS s, count(*) FROM orders GROUP BY s",
  ])("gets no warning for what is meant: %s", (sql) => {
    expect(said(sql)).toEqual([]);
  });

  it.each([
    ["SELECT id FROM orders WHERE status IN ('Paid')", "Use `'paid'` instead of `'Paid'`."],
    [
      "SELECT o.id FROM orders o JOIN customers c ON c.id = o.id",
      "Use `c.id = o.customer_id` instead of `c.id = o.id`.",
    ],
    ["SELECT c.id FROM customers c, orders o", "Add `c.id = o.customer_id` to WHERE"],
    ["SELECT status, count(*) FROM orders", "Add `status` to GROUP BY"],
    ["SELECT id FROM customers WHERE note > 10", "Use `CAST(note AS NUMERIC) > 10`"],
    [
      "SELECT id FROM orders WHERE customer_id = (SELECT id FROM customers)",
      "Use `customer_id IN (` instead of `customer_id = (`.",
    ],
  ])("is told what it probably means: %s", (sql, sentence) => {
    expect(said(sql)).toEqual([expect.stringContaining(sentence)]);
  });
});

it("a name in double quotes that equals its column is no text", () => {
  const warned = schemaWarnings(readInShop('SELECT id FROM orders WHERE status = "status"'));
  expect(warned.map(({ sentence }) => sentence)).toEqual([
    "Use `status = 'status'` instead of `status = \"status\"`. Double quotes make a name: status is compared with itself.",
  ]);
  expect(schemaWarnings(readInShop("SELECT id FROM orders WHERE status = 'open'"))).toEqual([]);
});
