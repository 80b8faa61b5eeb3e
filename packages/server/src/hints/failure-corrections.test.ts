import { describe, expect, it } from "vitest";
import { correctionsOf } from "./failure-corrections.js";
import { faultOf } from "./fault.js";
import { constraintIn } from "./named-constraint.js";
import { readInShop } from "./testing/shop-tables.js";

/** The first sentence on a statement that SQLite refused with a message. */
function said(sql: string, message: string): string | undefined {
  const failure = { message, cause: undefined };
  const refused = { fault: faultOf(failure, sql), constraint: constraintIn(failure) };
  return correctionsOf({ ...readInShop(sql), ...refused })[0]?.sentence;
}

describe("the correction of a refused statement", () => {
  it("names the column by its words, also in a query within the query", () => {
    const sql =
      "SELECT id FROM customers WHERE id IN (SELECT o.customer_id FROM orders o WHERE o.cust_id = 1)";
    expect(said(sql, "no such column: o.cust_id")).toBe(
      "Use `o.customer_id` instead of `o.cust_id`.",
    );
  });

  it("names the alias of a table that the query calls by its name", () => {
    expect(said("SELECT orders.total FROM orders o", "no such column: orders.total")).toBe(
      "Use `o.total` instead of `orders.total`.",
    );
  });

  it("names the alias of a table of an outer query, by its name or nearly", () => {
    for (const name of ["customers", "customer", "Customer", "costumers"]) {
      const inner = `SELECT 1 FROM orders o WHERE o.customer_id = ${name}.id`;
      const message = `no such column: ${name}.id`;
      expect(said(`SELECT c.id FROM customers c WHERE EXISTS (${inner})`, message)).toBe(
        `Use \`c.id\` instead of \`${name}.id\`.`,
      );
    }
  });

  it("names no alias of an outer query where that cannot be read", () => {
    const inFrom =
      "SELECT c.id FROM customers c JOIN (SELECT 1 FROM orders o WHERE o.customer_id = customers.last_name) x";
    expect(said(inFrom, "no such column: customers.last_name") ?? "").not.toContain(
      "`c.last_name`",
    );
    const hidden =
      "SELECT c.id FROM customers c WHERE EXISTS (SELECT 1 FROM orders c WHERE c.total = customers.note)";
    expect(said(hidden, "no such column: customers.note") ?? "").not.toContain("Use `c.note`");
  });

  it("names the join that is missing, along two foreign keys", () => {
    expect(said("SELECT l.quantity, c.last_name FROM lines l", "no such column: c.last_name")).toBe(
      "Add `JOIN orders ON orders.id = l.order_id JOIN customers c ON c.id = orders.customer_id` to FROM.",
    );
  });

  it("takes the columns of a common table expression, also where a table has its name", () => {
    const orders = "WITH orders AS (SELECT 1 AS amount)";
    expect(said(`${orders} SELECT amout FROM orders`, "no such column: amout")).toBe(
      "Use `amount` instead of `amout`.",
    );
    const ofTable = said(`${orders} SELECT cust_id FROM orders`, "no such column: cust_id");
    expect(ofTable).toBeUndefined();
  });

  it("follows a star, and does not follow a recursive query for ever", () => {
    const star = "SELECT x.cust_id FROM (SELECT * FROM orders) x";
    expect(said(star, "no such column: x.cust_id")).toBe(
      "Use `x.customer_id` instead of `x.cust_id`.",
    );
    const endless = "WITH RECURSIVE r AS (SELECT * FROM r) SELECT cust_id FROM r";
    expect(said(endless, "no such column: cust_id")).toBeUndefined();
  });

  it("follows stars through a long chain of expressions, but not their doubling", () => {
    const chainOf = (links: number, item: string, from: (of: string) => string): string => {
      const expressions = Array.from(
        { length: links },
        (_, n) => `c${n + 1} AS (SELECT ${item} FROM ${from(`c${n}`)})`,
      );
      const all = ["c0 AS (SELECT * FROM orders)", ...expressions];
      return `WITH ${all.join(", ")} SELECT cust_id FROM c${links}`;
    };
    const chained = chainOf(200, "*", (of) => of);
    expect(said(chained, "no such column: cust_id")).toBe(
      "Use `customer_id` instead of `cust_id`.",
    );
    // 40 links would have a million million columns.
    const doubled = chainOf(40, "a.*, b.*", (of) => `${of} a, ${of} b`);
    expect(said(doubled, "no such column: cust_id")).toBeUndefined();
  });

  it("moves only the condition with an aggregate to HAVING", () => {
    const sql =
      "SELECT customer_id FROM orders WHERE total BETWEEN 1 AND 5 AND sum(total) > 9 GROUP BY customer_id";
    expect(said(sql, "misuse of aggregate: sum()")).toBe(
      "Move `sum(total) > 9` from WHERE to HAVING.",
    );
  });

  it("takes an aggregate of all rows from a query of its own, and says so beside other conditions", () => {
    const sql = "SELECT id FROM orders WHERE status = 'open' AND total > avg(total)";
    expect(said(sql, "misuse of aggregate: avg()")).toBe(
      "Use `total > (SELECT avg(total) FROM orders)` instead of `total > avg(total)`. The aggregate is then of all rows: repeat the other conditions in its query where it is meant to be of the rows that they keep.",
    );
    const constant = "SELECT customer_id FROM orders WHERE count(*) > 5";
    expect(said(constant, "misuse of aggregate: count()")).toBe(
      "Move `count(*) > 5` from WHERE to HAVING.",
    );
  });

  it("names no column of numbers for one that is compared with a pattern or a date", () => {
    const message = "no such column: customer_date";
    for (const value of ["LIKE '2020%'", "NOT LIKE '1%'", "> '2020-01-01'", "IN ('a', 'b')"]) {
      const sql = `SELECT id FROM orders WHERE customer_date ${value}`;
      expect(said(sql, message), value).toBeUndefined();
    }
    for (const value of ["= '7'", "> 7"]) {
      const sql = `SELECT id FROM orders WHERE customer_date ${value}`;
      expect(said(sql, message), value).toBe("Use `customer_id` instead of `customer_date`.");
    }
  });

  it("never compares a column with itself", () => {
    const sql = "SELECT l.id FROM lines l JOIN customers c ON l.quantity = c.quantity";
    const sentence = said(sql, "no such column: c.quantity");
    expect(sentence ?? "").not.toContain("Use `l.quantity` instead of `c.quantity`");
  });

  it("is not given when no name is like what was written", () => {
    expect(said("SELECT xyzzy FROM orders", "no such column: xyzzy")).toBeUndefined();
  });
});
