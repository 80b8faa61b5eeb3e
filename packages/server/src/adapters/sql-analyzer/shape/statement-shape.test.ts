import { describe, expect, it } from "vitest";
import { PostgresAnalyzer } from "../postgres-analyzer.js";
import { SqliteAnalyzer } from "../sqlite-analyzer.js";

/**
 * Each group has statements of one shape; the statements of different groups have different shapes.
 * A group's first statement is the one that somebody approved.
 */
const COMMON: readonly (readonly string[])[] = [
  [
    "DELETE FROM orders WHERE id = 7",
    "DELETE FROM orders WHERE id = 8 -- 7",
    "DELETE FROM orders\n WHERE id = 'x; DROP TABLE orders'",
    "DELETE /* é😀 */ FROM orders WHERE id = 'é😀'",
  ],
  ["DELETE FROM orders WHERE id = -7", "DELETE FROM orders WHERE id = -8.5"],
  ["DELETE FROM customers WHERE id = 7"],
  ["DELETE FROM orders"],
  ["DELETE FROM orders WHERE id = id"],
  ["DELETE FROM orders WHERE id > 7"],
  ["DELETE FROM orders WHERE id = 7 OR 1 = 1", "DELETE FROM orders WHERE id = 7 OR 2 = 1"],
  ["DELETE FROM orders WHERE id IN (7, 8)", "DELETE FROM orders WHERE id IN ('a', 9)"],
  ["DELETE FROM orders WHERE id IN (7)"],
  ['DELETE FROM "orders --" WHERE id = 7'],
  ["DELETE FROM orders WHERE 'é😀' = n AND id = 1", "DELETE FROM orders WHERE 'e' = n AND id = 22"],
  ["DELETE FROM orders WHERE n BETWEEN 1 AND 2", "DELETE FROM orders WHERE n BETWEEN 3 AND 4"],
  ["DELETE FROM orders WHERE n LIKE 'a%'", "DELETE FROM orders WHERE n LIKE '%'"],
  [
    "UPDATE orders SET n = 1, m = 'a' WHERE id = 2",
    "UPDATE orders SET n = 'b', m = 3 WHERE id = 4",
  ],
  [
    "UPDATE orders SET n = CASE m WHEN 1 THEN 2 ELSE 3 END",
    "UPDATE orders SET n = CASE m WHEN 'a' THEN 'b' ELSE 'c' END",
  ],
  ["INSERT INTO t (a, b) VALUES (1, 'x')", "INSERT INTO t (a, b) VALUES ('y', 2)"],
  ["INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y')"],
  ["INSERT INTO t SELECT 1, a FROM u", "INSERT INTO t SELECT 'x', a FROM u"],
  // A literal that stands for a column of the result.
  ["INSERT INTO t SELECT a, b FROM u ORDER BY 1"],
  ["INSERT INTO t SELECT a, b FROM u ORDER BY 2"],
  ["INSERT INTO t SELECT a, count(*) FROM u GROUP BY 1"],
  ["INSERT INTO t SELECT a, count(*) FROM u GROUP BY 2"],
  // The number of rows.
  ["INSERT INTO t SELECT a, b FROM u LIMIT 5"],
  ["INSERT INTO t SELECT a, b FROM u LIMIT 6"],
  ["INSERT INTO t SELECT a, b FROM u LIMIT 5 + 1"],
  ["INSERT INTO t SELECT a, b FROM u LIMIT 5 OFFSET 1"],
  ["INSERT INTO t SELECT a, b FROM u LIMIT 5 OFFSET 2"],
  // Types.
  ["UPDATE t SET a = CAST(1 AS varchar(10))", "UPDATE t SET a = CAST('b' AS varchar(10))"],
  ["UPDATE t SET a = CAST(1 AS varchar(11))"],
  ["UPDATE t SET a = CAST(b AS numeric(10, 2))"],
  ["UPDATE t SET a = CAST(b AS numeric(10, 3))"],
  // What a function does, and which member of a value is meant.
  ["UPDATE t SET a = round(b, 1)"],
  ["UPDATE t SET a = round(b, 2)"],
  ["DELETE FROM t WHERE lower(n || 'a') = 'b'", "DELETE FROM t WHERE lower(n || 'a') = 'c'"],
  ["DELETE FROM t WHERE lower(n || 'x') = 'b'"],
  ["DELETE FROM t WHERE j ->> 'owner' = 'bob'", "DELETE FROM t WHERE j ->> 'owner' = 'eve'"],
  ["DELETE FROM t WHERE j ->> 'buyer' = 'bob'"],
  ["DELETE FROM t WHERE j -> 'owner' ->> 'id' = '1'"],
  ["DELETE FROM t WHERE j -> 'buyer' ->> 'id' = '1'"],
  ["UPDATE t SET n = 'x' WHERE lower(n) = 'a'", "UPDATE t SET n = 'y' WHERE lower(n) = 'b'"],
  // A name that a query within the statement passes on by a column.
  [
    "UPDATE t SET n = k FROM (SELECT 'a' AS k) AS v",
    "UPDATE t SET n = k FROM (SELECT 'b' AS k) AS v",
  ],
  ["UPDATE t SET n = j ->> k FROM (SELECT 'owner' AS k) AS v"],
  ["UPDATE t SET n = j ->> k FROM (SELECT 'buyer' AS k) AS v"],
  ["UPDATE t SET n = f(k) FROM (VALUES ('owner')) AS v"],
  ["UPDATE t SET n = f(k) FROM (VALUES ('buyer')) AS v"],
  ["WITH v AS (SELECT 'owner' AS k) UPDATE t SET n = f(n, v.k) FROM v"],
  ["WITH v AS (SELECT 'buyer' AS k) UPDATE t SET n = f(n, v.k) FROM v"],
  ["INSERT INTO t (k) VALUES ('owner') ON CONFLICT (k) DO UPDATE SET n = f(excluded.k)"],
  ["INSERT INTO t (k) VALUES ('buyer') ON CONFLICT (k) DO UPDATE SET n = f(excluded.k)"],
  // A quoted name, which SQLite takes for a text where no column has the name.
  ['DELETE FROM t WHERE "x" = a'],
  ['DELETE FROM t WHERE "y" = a'],
  ["CREATE TABLE t (a integer DEFAULT 1)"],
  ["CREATE TABLE t (a integer DEFAULT 2)"],
  ["CREATE VIEW v AS SELECT a FROM t WHERE a = 1"],
  ["CREATE VIEW v AS SELECT a FROM t WHERE a = 2"],
];

const SQLITE: readonly (readonly string[])[] = [
  ["DELETE FROM 'orders' WHERE id = 1", "DELETE FROM 'orders' WHERE id = x'00'"],
  ["DELETE FROM 'customers' WHERE id = 1"],
  ["DELETE FROM `orders` WHERE id = 1"],
  ["DELETE FROM main.'orders' WHERE id = 1"],
  ["DELETE FROM main.'customers' WHERE id = 1"],
  ["DELETE FROM orders WHERE id = ?1"],
  ["DELETE FROM orders WHERE 'orders'.id = 1"],
  ["DELETE FROM orders WHERE 'orders'.'total' = 1"],
  ["DELETE FROM orders WHERE id IN 'customers'"],
  ["DELETE FROM orders WHERE id IN 'suppliers'"],
  ["DELETE FROM orders WHERE 0"],
  ["DELETE FROM orders WHERE 1"],
  ["DELETE FROM orders WHERE id = 1 OR 0"],
  ["DELETE FROM orders WHERE id = 1 OR 1"],
  ["UPDATE t SET 'a' = 1", "UPDATE t SET 'a' = 2"],
  ["UPDATE t SET 'b' = 1"],
  ["INSERT INTO t ('a') VALUES (1)", "INSERT INTO t ('a') VALUES (2)"],
  ["INSERT INTO t ('b') VALUES (1)"],
  ["INSERT INTO t SELECT 1 AS 'a' FROM u", "INSERT INTO t SELECT 2 AS 'a' FROM u"],
  ["INSERT INTO t SELECT 1 AS 'b' FROM u"],
  ["INSERT INTO t SELECT 1 'a' FROM u AS 'v'", "INSERT INTO t SELECT 'x' 'a' FROM u AS 'v'"],
  ["INSERT INTO t SELECT 1 'a' FROM u AS 'w'"],
  ["WITH 'c' AS (SELECT 1) INSERT INTO t SELECT * FROM 'c'"],
  ["WITH 'd' AS (SELECT 1) INSERT INTO t SELECT * FROM 'd'"],
  ["DELETE FROM t WHERE a = 'x' COLLATE 'nocase'", "DELETE FROM t WHERE a = 1 COLLATE 'nocase'"],
  ["DELETE FROM t WHERE a = 'x' COLLATE 'binary'"],
  ["DELETE FROM t INDEXED BY 'i' WHERE a = 1"],
  ["DELETE FROM t INDEXED BY 'j' WHERE a = 1"],
  ["DELETE FROM t WHERE json_extract(j, '$.owner') = 1"],
  ["DELETE FROM t WHERE json_extract(j, '$.buyer') = 1"],
  ...[
    "json_set(j, '$.NAME', 1)",
    "json_remove(j, '$.NAME')",
    "json_insert(j, '$.NAME', 1)",
  ].flatMap((call) =>
    ["owner", "buyer"].map((name) => [`UPDATE t SET j = ${call.replace("NAME", name)}`]),
  ),
  ["DELETE FROM t WHERE id IN (SELECT value FROM json_each(j, '$.owner'))"],
  ["DELETE FROM t WHERE id IN (SELECT value FROM json_each(j, '$.buyer'))"],
  ["INSERT INTO t SELECT 'owner' AS k FROM u WHERE j ->> k = a"],
  ["INSERT INTO t SELECT 'buyer' AS k FROM u WHERE j ->> k = a"],
  // What a full-text index does, and in which of its columns it searches.
  ["INSERT INTO ft (ft) VALUES ('optimize')"],
  ["INSERT INTO ft (ft) VALUES ('delete-all')"],
  ["DELETE FROM ft WHERE ft MATCH 'owner : bob'"],
  ["DELETE FROM ft WHERE ft MATCH 'buyer : bob'"],
  ["DELETE FROM t WHERE d < datetime('now', '-1 day')"],
  ["DELETE FROM t WHERE d < datetime('now', '+1 day')"],
];

const POSTGRES: readonly (readonly string[])[] = [
  ["DELETE FROM orders WHERE id = $1"],
  [
    "DELETE FROM t WHERE d < now() - interval '1 day'",
    "DELETE FROM t WHERE d < now() - interval '2'",
  ],
  ["DELETE FROM t WHERE d < now() - interval '1' day"],
  ["DELETE FROM t WHERE d < now() - interval '1' year"],
  ["DELETE FROM t WHERE d < now() - interval(3) '1 day'"],
  ["DELETE FROM t WHERE d < now() - interval(4) '1 day'"],
  ["DELETE FROM t WHERE d < date '2020-01-01'", "DELETE FROM t WHERE d < date '2021-01-01'"],
  [
    "DELETE FROM t WHERE d < '2020-01-01'::timestamp(3)",
    "DELETE FROM t WHERE d < E'2\\'1'::timestamp(3)",
  ],
  ["DELETE FROM t WHERE d < '2020-01-01'::timestamp(4)"],
  ["DELETE FROM t WHERE tableoid = 'orders'::regclass"],
  ["DELETE FROM t WHERE tableoid = 'customers'::regclass"],
  ["DELETE FROM t WHERE tableoid = CAST('cust' || 'omers' AS pg_catalog.regclass)"],
  ["DELETE FROM t WHERE tableoid = CAST('ord' || 'ers' AS pg_catalog.regclass)"],
  ["INSERT INTO t VALUES (nextval('a'))"],
  ["INSERT INTO t VALUES (nextval('b'))"],
  ["DELETE FROM t WHERE extract(year FROM d) = 1", "DELETE FROM t WHERE extract(year FROM d) = 2"],
  ["DELETE FROM t WHERE extract('month' FROM d) = 1"],
  ["DELETE FROM t WHERE d AT TIME ZONE 'UTC' < '2020-01-01'"],
  ["DELETE FROM t WHERE d AT TIME ZONE 'CET' < '2020-01-01'"],
  ["DELETE FROM t WHERE j['owner'] = '1'", "DELETE FROM t WHERE j['owner'] = '2'"],
  ["DELETE FROM t WHERE j['buyer'] = '1'"],
  ["DELETE FROM t WHERE j #>> '{owner,id}' = '1'"],
  ["DELETE FROM t WHERE j #>> '{buyer,id}' = '1'"],
  ...[
    "jsonb_set(j, '{NAME}', '1')",
    "jsonb_insert(j, '{NAME}', '1')",
    "jsonb_set_lax(j, '{NAME}', '1')",
    "jsonb_path_query_first(j, '$.NAME')",
    "JSON_QUERY(j, '$.NAME')",
    "json_object('NAME' : 1)",
    "j #- '{NAME}'",
  ].flatMap((value) =>
    ["owner", "buyer"].map((name) => [`UPDATE t SET j = ${value.replace("NAME", name)}`]),
  ),
  ["UPDATE t SET j['owner'] = '1'", "UPDATE t SET j['owner'] = '2'"],
  ["UPDATE t SET j['buyer'] = '1'"],
  ["UPDATE t SET j[k] = '1' FROM (VALUES ('owner')) AS v (k)"],
  ["UPDATE t SET j[k] = '1' FROM (VALUES ('buyer')) AS v (k)"],
  ["DELETE FROM t WHERE j ? 'owner'"],
  ["DELETE FROM t WHERE j ? 'buyer'"],
  ["DELETE FROM t WHERE j @? '$.owner'"],
  ["DELETE FROM t WHERE j @? '$.buyer'"],
  ["DELETE FROM t WHERE a = ANY (ARRAY[1, 2])", "DELETE FROM t WHERE a = ANY (ARRAY[3, 4])"],
  ["INSERT INTO t SELECT a FROM u FETCH FIRST 3 ROWS ONLY"],
  ["INSERT INTO t SELECT a FROM u FETCH FIRST 4 ROWS ONLY"],
  ["INSERT INTO t SELECT DISTINCT ON (1) a, b FROM u"],
  ["INSERT INTO t SELECT DISTINCT ON (2) a, b FROM u"],
  [
    "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT VALUES (2)",
    "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = 3 WHEN NOT MATCHED THEN INSERT VALUES (4)",
  ],
  ["COPY t TO 'a'"],
  ["COPY t TO 'b'"],
  ["SET search_path = 'a'"],
  ["SET search_path = 'b'"],
];

const analyzers = { sqlite: new SqliteAnalyzer(), postgres: await PostgresAnalyzer.load() };

describe.each([
  ["sqlite", SQLITE],
  ["postgres", POSTGRES],
] as const)("the shape of statements for %s", (dialect, own) => {
  it("is the same for statements that differ only in values, and for no others", () => {
    const shapes = new Map<string, string>();
    for (const group of [...COMMON, ...own]) {
      const [first = "", ...others] = group;
      const shape = analyzers[dialect].shape(first, dialect);
      if (shape === undefined) expect.unreachable(`${first} has no shape`);
      for (const sql of others) expect(analyzers[dialect].shape(sql, dialect), sql).toBe(shape);
      expect(shapes.get(shape), `${first} has the shape of another statement`).toBeUndefined();
      shapes.set(shape, first);
    }
  });

  it("is none for what is not one statement", () => {
    for (const sql of ["", "DELETE FROM", "SELECT 1; SELECT 2", "SELECT '\0'"]) {
      expect(analyzers[dialect].shape(sql, dialect), sql).toBeUndefined();
    }
  });
});
