/** Statements of SQLite with their expected classification, for the tables below. */
export const SCHEMA = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born TEXT) STRICT;
CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id REFERENCES customers,
  total REAL DEFAULT 0, cents AS (total * 100), note TEXT);
CREATE TABLE events (line TEXT);
CREATE TABLE pairs (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE INDEX by_total ON orders (total) WHERE total > 0;
CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY 1;
CREATE TRIGGER totals_inserted INSTEAD OF INSERT ON totals BEGIN SELECT 1; END;
CREATE VIRTUAL TABLE docs USING fts5(body);
CREATE VIRTUAL TABLE notes USING fts4(body);
CREATE VIRTUAL TABLE boxes USING rtree(id, low, high);
INSERT INTO customers VALUES (1, 'Ada', '1815-12-10'), (2, 'Bo', NULL);
INSERT INTO orders (customer_id, total, note) VALUES (1, 9.5, '{"a": [1, 2]}'), (1, 3, NULL);
INSERT INTO docs VALUES ('a word');
`;

/** Reads; each is executed. */
export const READS: readonly string[] = [
  "SELECT 1;",
  "VALUES (1, 'DELETE FROM orders'), (2, x'41')",
  "SELECT * FROM customers WHERE name = 'a'';DROP TABLE orders;--'",
  "SELECT 1 /* ; DELETE FROM orders */ + 1 -- ; DROP TABLE orders",
  'SELECT c."name", [c].[id], `c`.`id`, main.orders.total FROM customers c, orders',
  "SELECT DISTINCT customer_id, count(*) FILTER (WHERE total > 1) FROM orders GROUP BY 1 HAVING count(*) > 0 ORDER BY 1 DESC NULLS LAST LIMIT 5 OFFSET 0",
  "SELECT id, sum(total) OVER w, lag(total, 1) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY id)",
  "WITH RECURSIVE t (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
  "WITH t AS MATERIALIZED (SELECT 1 AS a), u AS NOT MATERIALIZED (SELECT a FROM t) SELECT u.a FROM u",
  "SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 INTERSECT VALUES (1)",
  "SELECT * FROM customers c LEFT JOIN orders o ON o.customer_id = c.id NATURAL JOIN (SELECT 1 AS id) x",
  "SELECT * FROM customers a RIGHT JOIN orders b USING (id) FULL JOIN pairs p ON p.a = b.id",
  "SELECT * FROM orders INDEXED BY by_total WHERE total > 0",
  "SELECT * FROM orders NOT INDEXED",
  "SELECT id IN (1, 2), id BETWEEN 1 AND 2, id IS NOT DISTINCT FROM 1, name LIKE 'a%' ESCAPE '!', name GLOB 'A*' FROM customers WHERE EXISTS (SELECT 1) AND name NOT IN events",
  "SELECT CASE WHEN total > 5 THEN 'much' ELSE 'little' END, iif(total > 5, 1, 2), cast(total AS INTEGER), total COLLATE NOCASE, (1, 2) < (3, 4) FROM orders",
  "SELECT note -> '$.a', note ->> '$.a[0]', json_extract(note, '$.a'), e.value FROM orders, json_each(note, '$.a') e",
  "SELECT json_group_array(id), json_group_object(id, total), json_object('a', 1), jsonb('{}') FROM orders",
  "SELECT key, value, path FROM json_tree('{\"a\": [1]}')",
  "SELECT strftime('%Y-%m', born), date(born, '+1 day'), julianday('now'), unixepoch(), timediff('2026-01-02', '2026-01-01') FROM customers",
  "SELECT upper(name), substr(name, 1, 2), replace(name, 'a', 'b'), printf('%05d', id), format('%s', name), hex(name), quote(name), instr(name, 'a'), concat_ws(', ', name, id), soundex(name) FROM customers",
  "SELECT abs(-1), round(1.5), pow(2, 3), sqrt(4), mod(5, 3), random() IS NOT NULL, max(1, 2), total(total), group_concat(total, ', '), string_agg(total, ', ' ORDER BY total), median(total) FROM orders",
  "SELECT typeof(1), coalesce(NULL, 1), nullif(1, 1), zeroblob(4), randomblob(4), changes(), last_insert_rowid(), sqlite_version()",
  "SELECT * FROM docs WHERE docs MATCH 'word' ORDER BY bm25(docs)",
  "SELECT highlight(docs, 0, '<', '>'), snippet(docs, 0, '<', '>', '…', 5) FROM docs('word')",
  "SELECT * FROM notes WHERE body MATCH 'word'",
  "SELECT * FROM boxes WHERE low > 1",
  "SELECT * FROM totals",
  "SELECT name, type FROM pragma_table_info('orders')",
  "SELECT t.name, i.name FROM pragma_table_list t, pragma_index_list(t.name) i",
  "SELECT * FROM pragma_foreign_key_list('orders'), pragma_index_info('by_total'), pragma_table_xinfo('orders')",
  "SELECT name, sql FROM sqlite_schema WHERE type = 'table'",
  "SELECT * FROM sqlite_master, sqlite_sequence",
  "SELECT rowid, oid, _rowid_ FROM orders",
  "EXPLAIN SELECT * FROM orders",
  "EXPLAIN QUERY PLAN SELECT * FROM orders WHERE id = 1",
];

/** Writes by class; each runs only under an intent that covers it. */
export const CHANGES: Readonly<Record<string, readonly string[]>> = {
  write_insert: [
    "INSERT INTO events VALUES ('a'), ('b') RETURNING rowid, line AS l",
    "INSERT INTO events DEFAULT VALUES",
    "INSERT OR IGNORE INTO customers VALUES (1, 'x', NULL)",
    "INSERT OR ROLLBACK INTO events VALUES ('a')",
    "INSERT INTO events SELECT name FROM customers WHERE true ON CONFLICT DO NOTHING",
    "WITH t AS (SELECT 'x' AS l) INSERT INTO main.events AS e (line) SELECT l FROM t",
    "INSERT INTO totals VALUES (1, 2)",
    "INSERT INTO docs VALUES ('another')",
    "INSERT INTO docs (rowid, body) VALUES (9, 'another')",
    "INSERT INTO boxes VALUES (1, 2, 3)",
    "EXPLAIN INSERT INTO events VALUES ('a')",
    "EXPLAIN QUERY PLAN INSERT INTO events VALUES ('a')",
  ],
  write_update: [
    "UPDATE orders SET total = 0, (note, customer_id) = ('x', 2) WHERE id = 1 RETURNING id",
    "UPDATE OR IGNORE orders AS o SET total = c.id FROM customers c WHERE c.id = o.customer_id",
    "WITH t AS (SELECT 1 AS id) UPDATE orders SET total = 0 WHERE id IN t",
    "INSERT INTO customers VALUES (1, 'x', NULL) ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE id > 0",
    "INSERT INTO customers VALUES (1, 'x', NULL) ON CONFLICT (name) DO NOTHING ON CONFLICT DO UPDATE SET name = 'y'",
    "UPDATE docs SET body = 'x'",
    "EXPLAIN UPDATE orders SET total = 0",
  ],
  write_delete: [
    "DELETE FROM orders",
    "DELETE FROM orders AS o WHERE id IN (SELECT 1) RETURNING *",
    "WITH t AS (SELECT 1 AS id) DELETE FROM orders WHERE id IN t",
    "REPLACE INTO customers VALUES (2, 'x', NULL)",
    "INSERT OR REPLACE INTO pairs VALUES (1, 2)",
    "UPDATE OR REPLACE customers SET id = 5 WHERE id = 2",
    "INSERT INTO docs (docs) VALUES ('optimize')",
    "INSERT INTO Notes (\"NOTES\") VALUES ('rebuild')",
    "DELETE FROM docs",
    "EXPLAIN DELETE FROM orders",
  ],
  admin: [
    "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT CHECK (length(b) > 0), c INTEGER REFERENCES orders ON DELETE CASCADE, d INTEGER AS (a * 2) STORED) STRICT",
    "CREATE TABLE IF NOT EXISTS t AS SELECT * FROM orders",
    "CREATE UNIQUE INDEX i ON customers (lower(name)) WHERE born IS NOT NULL",
    "CREATE VIEW v (a) AS SELECT 1",
    "CREATE TRIGGER g AFTER UPDATE OF total ON orders WHEN NEW.total > 5 BEGIN DELETE FROM events; INSERT INTO events VALUES (OLD.id); END",
    "CREATE VIRTUAL TABLE f USING fts5(body, tokenize = 'porter')",
    "ALTER TABLE events RENAME TO happenings",
    "ALTER TABLE events RENAME COLUMN line TO text",
    "ALTER TABLE events ADD COLUMN at TEXT DEFAULT CURRENT_TIMESTAMP",
    "ALTER TABLE orders DROP COLUMN note",
    "DROP TABLE orders",
    "DROP INDEX IF EXISTS by_total",
    "DROP VIEW totals",
    "DROP TRIGGER totals_inserted",
    "DROP TABLE docs",
    "REINDEX orders",
    "ANALYZE",
    "EXPLAIN CREATE TABLE t (a)",
  ],
};

/** Statements that no intent allows, recognized by the analyzer. */
export const FORBIDDEN: readonly string[] = [
  "ATTACH DATABASE 'x.db' AS x",
  "ATTACH 'file:x.db?mode=ro' AS x KEY 'k'",
  "DETACH DATABASE main",
  "BEGIN IMMEDIATE TRANSACTION",
  "COMMIT TRANSACTION",
  "END",
  "ROLLBACK TO SAVEPOINT s",
  "SAVEPOINT s",
  "RELEASE s",
  "PRAGMA table_info(orders)",
  "PRAGMA main.journal_mode = DELETE",
  "PRAGMA writable_schema = 1",
  "PRAGMA trusted_schema(1)",
  "PRAGMA query_only = OFF",
  "PRAGMA user_version",
  "VACUUM",
  "VACUUM main INTO 'x.db'",
  "EXPLAIN ATTACH 'x' AS x",
  "EXPLAIN QUERY PLAN VACUUM",
  "CREATE TEMP TABLE t (a)",
  "CREATE TABLE temp.t (a)",
  "CREATE TEMPORARY VIEW v AS SELECT 1",
  "CREATE TEMP TRIGGER g AFTER INSERT ON main.orders BEGIN SELECT 1; END",
  "CREATE TABLE Temp.t AS SELECT 1",
  "SELECT load_extension('x')",
  "SELECT \"LOAD_EXTENSION\"('x', 'y')",
  "SELECT 1 FROM orders ORDER BY [load_extension]('x')",
  "SELECT fts3_tokenizer('simple', x'00')",
  "SELECT sqlite_log(1, 'x')",
  "INSERT INTO events SELECT load_extension('x')",
  "CREATE VIEW v AS SELECT load_extension('x')",
  "CREATE TABLE t (a DEFAULT (load_extension('x')))",
  "CREATE TRIGGER g AFTER INSERT ON orders BEGIN SELECT load_extension('x'); END",
  "CREATE INDEX i ON orders (load_extension(note))",
  "UPDATE orders SET note = load_extension('x')",
];

/**
 * Statements that only the engine can recognize, because the outcome depends on existing objects.
 * They are refused under every intent.
 */
export const REFUSED_BY_ENGINE: readonly string[] = [
  "SELECT * FROM pragma_database_list",
  "SELECT * FROM pragma_compile_options",
  "SELECT * FROM pragma_module_list()",
  "SELECT * FROM pragma_function_list",
  "SELECT * FROM pragma_journal_mode",
  "SELECT * FROM pragma_user_version",
  "SELECT readfile('/etc/passwd')",
  "SELECT writefile('x', 'y')",
  "SELECT edit('x')",
  "SELECT * FROM sqlite_dbpage",
  "SELECT * FROM sqlite_stmt",
  "SELECT * FROM bytecode('SELECT 1')",
  "SELECT * FROM fsdir('/')",
  "SELECT * FROM zipfile('x.zip')",
  "SELECT * FROM csv('x.csv')",
  "CREATE VIRTUAL TABLE x USING csv(filename = '/etc/passwd')",
  "CREATE VIRTUAL TABLE x USING sqlite_dbpage",
  "INSERT INTO sqlite_schema VALUES ('table', 't', 't', 0, 'CREATE TABLE t (a)')",
  "UPDATE sqlite_master SET sql = ''",
  "DELETE FROM sqlite_temp_schema",
  "INSERT INTO docs_data VALUES (1, x'00')",
  "DELETE FROM notes_segments",
  "CREATE TABLE sqlite_own (a)",
  'SELECT "a string, not a name"',
];
