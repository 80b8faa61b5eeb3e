/**
 * Statements with their expected classification, for the tables below. Executable ones are also
 * executed. Each covers a construct of PostgreSQL's grammar or a family of functions.
 */
export const SCHEMA = `
CREATE TYPE mood AS ENUM ('calm', 'cross');
CREATE TYPE address AS (street text, city text);
CREATE DOMAIN email AS text CHECK (value LIKE '%@%');
CREATE SEQUENCE tickets;
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, mood mood, home address, mail email);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, total numeric(10, 2),
  status text DEFAULT 'open', note jsonb, tags text[], placed timestamptz DEFAULT now(), http_status int);
CREATE TABLE events (id serial PRIMARY KEY, line text);
CREATE TABLE parts (id int, made date) PARTITION BY RANGE (id);
CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;
CREATE MATERIALIZED VIEW snapshot AS SELECT count(*) AS n FROM orders;
CREATE POLICY seen ON orders USING (id > 0);
CREATE TRIGGER idle BEFORE UPDATE ON orders FOR EACH ROW
  EXECUTE FUNCTION suppress_redundant_updates_trigger();
INSERT INTO customers VALUES (1, 'Ada', 'calm', ('Hill', 'York'), 'a@b'), (2, 'Bo', 'cross', NULL, NULL);
INSERT INTO orders VALUES (1, 1, 9.5, 'open', '{"a": [1, 2]}', '{x,y}', '2026-01-02Z', 200),
  (2, 1, 3, 'open; DROP', '[]', '{}', '2026-02-03Z', 500);
`;

/** Reads; each is executed. */
export const READS: readonly string[] = [
  "SELECT",
  "SELECT 1; ",
  "TABLE ONLY customers",
  "VALUES (1, 'DELETE FROM orders'), (2, $$; DROP TABLE orders --$$)",
  "SELECT * FROM customers WHERE name = 'a'';DROP TABLE orders;--'",
  "SELECT E'\\'; DELETE FROM orders; --', U&'d\\0061ta', B'101', X'1F', $tag$ $$ ; $tag$",
  'SELECT U&"n\\0061me" FROM customers',
  "SELECT 1 /* outer /* ; DELETE FROM orders */ still */ + 1 -- ; DROP TABLE orders",
  "SELECT DISTINCT ON (customer_id) * FROM orders ORDER BY customer_id, placed DESC NULLS LAST",
  "SELECT count(*) FILTER (WHERE status = 'open') OVER w FROM orders WINDOW w AS (PARTITION BY customer_id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)",
  "SELECT customer_id, status, sum(total), grouping(status) FROM orders GROUP BY GROUPING SETS ((customer_id, status), ROLLUP (status), ())",
  "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders",
  "WITH RECURSIVE t (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c USING p SELECT n FROM t",
  "WITH t AS MATERIALIZED (SELECT 1 AS a), u AS NOT MATERIALIZED (SELECT a FROM t) SELECT u.a FROM u",
  "(SELECT 1 EXCEPT SELECT 2) INTERSECT ALL (SELECT 1 ORDER BY 1 LIMIT 1)",
  "SELECT c.name, o.* FROM customers c LEFT JOIN LATERAL (SELECT total FROM orders WHERE customer_id = c.id ORDER BY total DESC FETCH FIRST 1 ROW WITH TIES) o ON true",
  "SELECT * FROM customers NATURAL FULL JOIN (SELECT 1 AS id) x",
  "SELECT j.id FROM (customers a JOIN orders b USING (id)) AS j (id)",
  "SELECT u.id FROM customers JOIN orders USING (id) AS u",
  "SELECT o.status, o.total, o.http_status, c.name FROM orders o, customers c WHERE c.id = o.customer_id",
  "SELECT (home).city, (c.home).street, c.home FROM customers c",
  "SELECT orders.note -> 'a' -> 0, note ->> 'a', note #> '{a,1}', note @> '{}', note ? 'a', tags[1], tags[1:2] FROM public.orders",
  "SELECT note['a'][0], jsonb_path_query_array(note, '$.a[*] ? (@ > 1)') FROM orders WHERE note @? '$.a'",
  'SELECT r.id, r.name FROM jsonb_to_recordset(\'[{"id": 1, "name": "x"}]\') AS r (id int, name text)',
  "SELECT e.key, e.value FROM orders, jsonb_each('{\"a\": 1}') e",
  "SELECT g.day, u.n, u.tag FROM generate_series(now(), now() + interval '2 days', '1 day') AS g (day), unnest(ARRAY['a']) WITH ORDINALITY AS u (tag, n)",
  "SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(ARRAY['a', 'b'])) AS r (n, t)",
  "SELECT JSON_VALUE('{\"a\": 1}', '$.a' RETURNING int), JSON_QUERY('{}', '$.a' EMPTY ARRAY ON EMPTY), JSON_EXISTS(jsonb '{}', '$.a'), JSON_OBJECT('a': 1), JSON_ARRAY(1, 2), JSON_ARRAYAGG(id) FROM orders",
  "SELECT j.id FROM JSON_TABLE('[{\"id\": 1}]', '$[*]' COLUMNS (id int PATH '$.id', NESTED PATH '$.b' COLUMNS (c int PATH '$'))) AS j",
  "SELECT x.a FROM XMLTABLE('/r/a' PASSING '<r><a>1</a></r>' COLUMNS a int PATH '.') AS x",
  "SELECT xmlelement(name a, xmlattributes(1 AS b), xmlforest(2 AS c)), xmlserialize(CONTENT '<a/>'::xml AS text), xpath('/a', '<a/>')",
  "SELECT CASE status WHEN 'open' THEN 1 ELSE 2 END, nullif(1, 2), coalesce(NULL, 3), greatest(1, 2), least(1, 2) FROM orders",
  "SELECT id IN (1, 2), id = ANY (ARRAY[1]), id < ALL (SELECT 3), EXISTS (TABLE events), ARRAY(SELECT 1), ROW(1, 2) = (1, 2), id BETWEEN SYMMETRIC 3 AND 1, status SIMILAR TO '%', status IS DISTINCT FROM 'x' FROM orders",
  "SELECT 1 OPERATOR(pg_catalog.+) 2, 'a' COLLATE \"C\" < 'b', '1'::int, CAST('1' AS numeric(3)), int '1', date '2026-01-01', interval '1' hour",
  "SELECT extract(epoch FROM now()), trim(LEADING 'x' FROM 'xa'), substring('abc' FROM 'b'), overlay('abc' PLACING 'x' FROM 2), position('a' IN 'b'), normalize('a', NFC), (date '2026-01-01', date '2026-01-03') OVERLAPS (date '2026-01-02', date '2026-01-04'), now() AT TIME ZONE 'UTC', COLLATION FOR ('a')",
  "SELECT current_date, current_time, localtimestamp(3), current_user, session_user, current_role, user, current_catalog, current_schema",
  "SELECT to_char(placed, 'YYYY-MM'), date_trunc('month', placed), age(placed), sum(total), string_agg(status, ', ' ORDER BY id), array_agg(DISTINCT id), jsonb_object_agg(id, total), bool_and(total > 1), json_build_object('a', 1) FROM orders GROUP BY 1, 2, 3",
  "SELECT lower(name), pg_catalog.upper(name), md5(name), length(name), regexp_replace(name, 'a', 'b', 'g'), split_part(name, 'a', 1), format('%s', name), name ~* 'a', name ILIKE 'a%' ESCAPE '!' FROM customers",
  "SELECT c.name::name, (c.name).length, ('a'::text).upper, (row(1, 2)).to_json, c.to_jsonb FROM customers c",
  "SELECT 'customers'::regclass, to_regclass('x'), pg_typeof(1), pg_get_viewdef('totals'::regclass), obj_description('customers'::regclass), format_type(23, NULL), pg_size_pretty(pg_total_relation_size('customers'))",
  "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'",
  "SELECT c.relname, a.attname, pg_get_constraintdef(k.oid) FROM pg_catalog.pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_constraint k ON k.conrelid = c.oid WHERE c.relname = 'orders' AND NOT a.attisdropped",
  "SELECT proname, pg_get_function_arguments(oid), pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'nothing'",
  "SELECT last_value FROM tickets",
  "SELECT * FROM totals, snapshot",
  "SELECT ctid, tableoid::regclass, xmin, customers FROM customers",
  "SELECT * FROM orders TABLESAMPLE system (50) REPEATABLE (1)",
  "SELECT to_tsvector('english', name) @@ websearch_to_tsquery('ada'), ts_rank(to_tsvector(name), to_tsquery('ada')) FROM customers",
  "SELECT int4range(1, 3) && int4range(2, 4), point '(1,2)' <-> point '(2,3)', inet '10.0.0.1' << inet '10.0.0.0/8', masklen('10.0.0.0/8'), host(inet '10.0.0.1')",
  "SELECT gen_random_uuid(), random(), clock_timestamp(), version(), has_table_privilege('customers', 'SELECT')",
  "SELECT mood, enum_range(mood), mood::text = 'calm' FROM customers WHERE mood >= 'calm'",
  "SELECT inet('10.0.0.1'), jsonb('{}'), tsquery('a & b'), regtype('int4'), encode(float8send(1.5), 'hex'), cash_words('12')",
  "SELECT a.privilege_type FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a WHERE c.relname = 'orders'",
  "SELECT pg_get_ruledef(r.oid), u.definition FROM pg_rewrite r LEFT JOIN pg_rules u USING (rulename) WHERE r.ev_class = 'totals'::regclass",
  "SELECT c.castsource::regtype, a.aggkind, l.lanname FROM pg_cast c, pg_aggregate a, pg_language l LIMIT 1",
  "SELECT pg_snapshot_xmin(pg_current_snapshot()), k.word FROM pg_get_keywords() k LIMIT 1",
  "SELECT 1 OPERATOR(pg_catalog.=) ANY (ARRAY[1]), 1 OPERATOR(pg_catalog.<) ALL (SELECT 2), 2 NOT BETWEEN SYMMETRIC 1 AND 3",
  "SELECT id FROM orders ORDER BY id USING >, status USING OPERATOR(pg_catalog.<)",
  "EXPLAIN SELECT * FROM orders",
  "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, FORMAT JSON) SELECT * FROM orders",
  "EXPLAIN ANALYZE VERBOSE TABLE orders",
];

/** Writes by class; each is executed unless the server may refuse it. */
export const CHANGES: Readonly<Record<string, readonly string[]>> = {
  write_insert: [
    "INSERT INTO events DEFAULT VALUES",
    "INSERT INTO events (line) VALUES ('a'), (DEFAULT) RETURNING id, line AS l",
    "INSERT INTO events AS e (id, line) OVERRIDING SYSTEM VALUE VALUES (9, 'x') ON CONFLICT ON CONSTRAINT events_pkey DO NOTHING",
    "INSERT INTO events (line) SELECT name FROM customers UNION SELECT 'x'",
    "INSERT INTO events (line) WITH t AS (SELECT 'x') SELECT * FROM t",
    "INSERT INTO events (id, line) VALUES (nextval('tickets') + 100, 'x')",
    "INSERT INTO customers (id, name, home.city) VALUES (3, 'Cy', 'Bath')",
    "WITH i AS (INSERT INTO events (line) VALUES ('x') RETURNING id) SELECT i.id FROM i",
    "SELECT nextval('tickets')",
    "SELECT (x).nextval FROM (SELECT 'tickets'::regclass AS x) t",
    "SELECT txid_current()",
    "SELECT pg_current_xact_id()",
    "MERGE INTO events e USING (VALUES ('x')) v (l) ON e.line = v.l WHEN NOT MATCHED THEN INSERT (line) VALUES (v.l)",
    "EXPLAIN INSERT INTO events DEFAULT VALUES",
    "EXPLAIN ANALYZE WITH i AS (INSERT INTO events DEFAULT VALUES RETURNING id) TABLE i",
  ],
  write_update: [
    "UPDATE orders SET total = 0, (status, note) = ROW('x', '{}'::jsonb), tags[1] = 'z' WHERE id = 1",
    "UPDATE orders o SET status = c.name FROM customers c WHERE c.id = o.customer_id RETURNING o.id, c.name",
    "UPDATE ONLY customers SET home.city = 'Bath' WHERE (home).city = 'York'",
    "WITH u AS (UPDATE orders SET total = 1 RETURNING *) SELECT count(*) FROM u",
    "SELECT * FROM (SELECT 1) x WHERE EXISTS (SELECT FROM orders FOR NO KEY UPDATE)",
    "SELECT id FROM orders FOR UPDATE OF orders NOWAIT",
    "WITH l AS (SELECT id FROM orders FOR SHARE SKIP LOCKED) SELECT * FROM l",
    "(SELECT id FROM orders FOR KEY SHARE)",
    "SELECT ARRAY(SELECT id FROM orders FOR UPDATE)",
    "INSERT INTO events (line) SELECT status FROM orders FOR UPDATE",
    "INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE customers.name <> excluded.name",
    "WITH c AS (INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y' RETURNING 1) TABLE c",
    "MERGE INTO orders o USING customers c ON c.id = o.customer_id WHEN MATCHED AND o.total > 5 THEN UPDATE SET total = 1 WHEN NOT MATCHED THEN INSERT (id) VALUES (7)",
    "SELECT setval('tickets', 5)",
    "SELECT pg_notify('c', 'x')",
    "EXPLAIN (ANALYZE) UPDATE orders SET total = 0",
    "EXPLAIN SELECT * FROM orders FOR UPDATE",
  ],
  write_delete: [
    "DELETE FROM orders",
    "DELETE FROM ONLY orders AS o USING customers c WHERE c.id = o.customer_id RETURNING *",
    "WITH a AS (WITH b AS (SELECT 1) DELETE FROM events RETURNING id) SELECT * FROM a",
    "TRUNCATE TABLE ONLY events RESTART IDENTITY",
    "MERGE INTO orders o USING customers c ON c.id = o.customer_id WHEN MATCHED THEN DELETE",
    "EXPLAIN DELETE FROM orders",
    "EXPLAIN ANALYZE DELETE FROM orders",
  ],
  cross_system_transaction: [
    "WITH d AS (DELETE FROM events RETURNING id) INSERT INTO events (id) OVERRIDING SYSTEM VALUE SELECT id + 100 FROM d",
    "MERGE INTO orders o USING customers c ON c.id = o.customer_id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (7)",
  ],
  admin: [
    "TRUNCATE TABLE events CASCADE",
    "SELECT * INTO copied FROM orders",
    "SELECT 1 AS a INTO UNLOGGED TABLE copied UNION SELECT 2",
    "CREATE TABLE copied AS TABLE orders WITH NO DATA",
    "CREATE TABLE IF NOT EXISTS t (id bigint GENERATED ALWAYS AS IDENTITY, a int CHECK (a > 0), b int GENERATED ALWAYS AS (a * 2) STORED, c text COLLATE \"C\" DEFAULT lower('X'), LIKE address INCLUDING ALL, EXCLUDE USING btree (a WITH =)) WITH (fillfactor = 70)",
    "CREATE UNLOGGED TABLE t () INHERITS (events)",
    "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (10)",
    "CREATE TABLE t OF address",
    "ALTER TABLE orders ADD COLUMN a int, ALTER COLUMN status TYPE varchar(9) USING status::varchar(9), DROP CONSTRAINT orders_customer_id_fkey, ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE IF EXISTS orders RENAME COLUMN note TO remark",
    "ALTER TABLE orders SET SCHEMA public",
    "ALTER TABLE orders DISABLE TRIGGER ALL",
    "DROP TABLE orders, events CASCADE",
    "CREATE VIEW v WITH (security_barrier) AS SELECT * FROM orders WITH LOCAL CHECK OPTION",
    "CREATE RECURSIVE VIEW r (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 3",
    "CREATE OR REPLACE VIEW totals AS SELECT 1 AS customer_id, 2::numeric AS total",
    "ALTER VIEW totals RENAME TO sums",
    "DROP VIEW totals",
    "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a",
    "REFRESH MATERIALIZED VIEW snapshot WITH NO DATA",
    "ALTER MATERIALIZED VIEW snapshot RENAME TO s",
    "DROP MATERIALIZED VIEW snapshot",
    "CREATE INDEX ON orders USING gin (note jsonb_path_ops) WHERE status = 'open'",
    "CREATE UNIQUE INDEX i ON customers (lower(name)) INCLUDE (id)",
    "ALTER INDEX orders_pkey RENAME TO orders_key",
    "DROP INDEX IF EXISTS i",
    "REINDEX TABLE orders",
    "CLUSTER orders USING orders_pkey",
    "CREATE SEQUENCE q START 5 OWNED BY orders.id",
    "ALTER SEQUENCE tickets RESTART WITH 7",
    "DROP SEQUENCE tickets",
    "CREATE TYPE size AS ENUM ('s', 'm')",
    "CREATE TYPE pair AS (a int, b int)",
    "CREATE TYPE floats AS RANGE (subtype = float8)",
    "ALTER TYPE mood ADD VALUE IF NOT EXISTS 'sad' BEFORE 'cross'",
    "ALTER TYPE address ADD ATTRIBUTE zip text",
    "DROP TYPE IF EXISTS nothing",
    "CREATE DOMAIN positive AS int CHECK (value > 0)",
    "ALTER DOMAIN email DROP CONSTRAINT email_check",
    "DROP DOMAIN email CASCADE",
    "CREATE SCHEMA IF NOT EXISTS s",
    "ALTER SCHEMA public RENAME TO other",
    "DROP SCHEMA IF EXISTS s RESTRICT",
    "CREATE STATISTICS st (ndistinct) ON customer_id, status FROM orders",
    "ALTER STATISTICS IF EXISTS st SET STATISTICS 100",
    "DROP STATISTICS IF EXISTS st",
    "CREATE POLICY p ON orders FOR SELECT TO PUBLIC USING (total > 0)",
    "ALTER POLICY seen ON orders USING (true)",
    "DROP POLICY IF EXISTS p ON orders",
    "CREATE TRIGGER g BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "ALTER TRIGGER idle ON orders RENAME TO h",
    "DROP TRIGGER IF EXISTS g ON orders",
    "COMMENT ON COLUMN orders.total IS 'in euros'",
    "GRANT SELECT (name), INSERT ON customers TO PUBLIC",
    "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC",
    "GRANT EXECUTE ON FUNCTION lower(text) TO PUBLIC",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC",
    "ANALYZE VERBOSE orders (status)",
    "DROP FUNCTION IF EXISTS f(int)",
    "DROP RULE IF EXISTS r ON orders",
    "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1",
    "EXPLAIN (ANALYZE) REFRESH MATERIALIZED VIEW snapshot",
    "SELECT public.lower('x')",
    "SELECT unheard_of(1)",
    "SELECT 1 OPERATOR(theirs.+) 2",
    "SELECT 1 OPERATOR(theirs.=) ANY (ARRAY[1])",
    "SELECT 1 OPERATOR(theirs.=) ALL (SELECT 1)",
    "SELECT id FROM orders ORDER BY id USING OPERATOR(theirs.<)",
    "SELECT * FROM orders TABLESAMPLE public.theirs (1)",
  ],
};

/** Statements that no intent allows, for their kind or for a function in them. */
export const FORBIDDEN: readonly string[] = lines(`
    ABORT
    ALTER COLLATION "C" REFRESH VERSION
    ALTER DATABASE postgres SET work_mem = '1GB'
    ALTER DATABASE postgres RENAME TO other
    ALTER EVENT TRIGGER e DISABLE
    ALTER EXTENSION plpgsql UPDATE
    ALTER EXTENSION plpgsql ADD TABLE orders
    ALTER FOREIGN DATA WRAPPER w OPTIONS (SET a 'b')
    ALTER FOREIGN TABLE f OPTIONS (SET filename '/etc/passwd')
    ALTER FUNCTION f(int) SECURITY DEFINER
    ALTER FUNCTION f(int) DEPENDS ON EXTENSION plpgsql
    ALTER FUNCTION f(int) SET SCHEMA pg_catalog
    ALTER GROUP g ADD USER u
    ALTER LANGUAGE plpgsql OWNER TO postgres
    ALTER LARGE OBJECT 1 OWNER TO postgres
    ALTER OPERATOR + (int, int) SET (RESTRICT = NONE)
    ALTER OPERATOR FAMILY f USING btree ADD OPERATOR 1 < (int, int)
    ALTER PROCEDURE p() SECURITY DEFINER
    ALTER PUBLICATION p ADD TABLE orders
    ALTER ROLE postgres PASSWORD 'x'
    ALTER ROLE ALL SET search_path = evil
    ALTER SERVER s OPTIONS (SET host 'evil')
    ALTER SUBSCRIPTION s DISABLE
    ALTER SYSTEM RESET ALL
    ALTER TABLE ALL IN TABLESPACE pg_default SET TABLESPACE t
    ALTER TABLE f OPTIONS (ADD filename '/etc/passwd')
    ALTER TABLE f ADD COLUMN b int, ALTER COLUMN a OPTIONS (SET column_name 'secret')
    ALTER TABLE orders SET SCHEMA information_schema
    ALTER TABLESPACE pg_default RESET (seq_page_cost)
    ALTER TEXT SEARCH CONFIGURATION english ADD MAPPING FOR word WITH simple
    ALTER TEXT SEARCH DICTIONARY simple (StopWords = english)
    ALTER TYPE base SET (ANALYZE = theirs)
    ALTER USER MAPPING FOR PUBLIC SERVER s OPTIONS (SET password 'x')
    ALTER USER postgres VALID UNTIL 'infinity'
    BEGIN
    BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE
    CALL p(1)
    CHECKPOINT
    CLOSE ALL
    COMMENT ON DATABASE postgres IS 'x'
    COMMENT ON EXTENSION plpgsql IS 'x'
    COMMENT ON LARGE OBJECT 1 IS 'x'
    COMMIT
    COMMIT PREPARED 'x'
    COPY orders TO STDOUT
    COPY (SELECT 1) TO '/tmp/x'
    COPY orders FROM '/etc/passwd'
    COPY orders FROM PROGRAM 'id'
    CREATE ACCESS METHOD m TYPE TABLE HANDLER heap_tableam_handler
    CREATE AGGREGATE a(int) (SFUNC = int4pl, STYPE = int)
    CREATE CAST (text AS int) WITH INOUT AS IMPLICIT
    CREATE COLLATION c (LOCALE = 'C')
    CREATE CONVERSION c FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8
    CREATE DATABASE d
    CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()
    CREATE EXTENSION IF NOT EXISTS dblink
    CREATE FOREIGN DATA WRAPPER w
    CREATE FOREIGN TABLE f (a int) SERVER s
    CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1
    CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END
    CREATE FUNCTION f() RETURNS int LANGUAGE C AS 'libc.so.6', 'system'
    CREATE GROUP g
    CREATE TRUSTED LANGUAGE l
    CREATE OPERATOR @@@ (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int)
    CREATE OPERATOR CLASS c FOR TYPE int USING btree AS FUNCTION 1 btint4cmp(int, int)
    CREATE OPERATOR FAMILY f USING btree
    CREATE PROCEDURE p() LANGUAGE sql AS 'SELECT 1'
    CREATE PUBLICATION p FOR ALL TABLES
    CREATE ROLE r SUPERUSER LOGIN
    CREATE RULE r AS ON SELECT TO orders DO INSTEAD SELECT 1
    CREATE SCHEMA s CREATE TEMP TABLE t (a int)
    CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'evil')
    CREATE SUBSCRIPTION s CONNECTION 'host=evil' PUBLICATION p
    CREATE TABLESPACE t LOCATION '/tmp'
    CREATE TEMP SEQUENCE q
    CREATE DOMAIN pg_temp.email AS text
    CREATE TYPE pg_temp.mood AS ENUM ('calm')
    CREATE TYPE pg_temp.address AS (city text)
    CREATE TYPE pg_temp.floats AS RANGE (subtype = float8)
    CREATE TEMP VIEW v AS SELECT 1
    CREATE LOCAL TEMPORARY TABLE t AS SELECT 1
    CREATE TEXT SEARCH DICTIONARY d (TEMPLATE = simple)
    CREATE TEXT SEARCH TEMPLATE t (LEXIZE = dsimple_lexize)
    CREATE TRANSFORM FOR int LANGUAGE sql (FROM SQL WITH FUNCTION f(internal))
    CREATE TYPE shell
    CREATE TYPE base (INPUT = int4in, OUTPUT = int4out)
    CREATE USER u
    CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (password 'x')
    CREATE INDEX CONCURRENTLY ON orders (id)
    DEALLOCATE p
    DECLARE c BINARY SCROLL CURSOR FOR SELECT 1
    DISCARD TEMP
    DO LANGUAGE plpgsql $$ BEGIN DELETE FROM orders; END $$
    DROP ACCESS METHOD m
    DROP DATABASE d WITH (FORCE)
    DROP EVENT TRIGGER e
    DROP EXTENSION plpgsql CASCADE
    DROP FOREIGN DATA WRAPPER w
    DROP LANGUAGE plpgsql
    DROP OWNED BY postgres
    DROP PUBLICATION p
    DROP ROLE r
    DROP SERVER s
    DROP SUBSCRIPTION s
    DROP TABLESPACE t
    DROP USER MAPPING FOR PUBLIC SERVER s
    DROP INDEX CONCURRENTLY i
    END
    EXECUTE p (1)
    EXPLAIN EXECUTE p
    EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1
    FETCH BACKWARD ALL FROM c
    MOVE 5 IN c
    GRANT pg_read_server_files TO postgres
    GRANT ALL ON DATABASE postgres TO PUBLIC
    GRANT SET ON PARAMETER work_mem TO PUBLIC
    GRANT EXECUTE ON FUNCTION pg_read_file(text) TO PUBLIC
    GRANT EXECUTE ON FUNCTION pg_catalog.lo_import(text) TO PUBLIC
    GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO PUBLIC
    GRANT CREATE ON SCHEMA pg_catalog TO PUBLIC
    GRANT UPDATE ON pg_class TO PUBLIC
    GRANT SELECT (rolpassword) ON pg_authid TO PUBLIC
    GRANT USAGE ON FOREIGN SERVER s TO PUBLIC
    GRANT ALL ON LARGE OBJECT 1 TO PUBLIC
    GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC
    IMPORT FOREIGN SCHEMA public FROM SERVER s INTO public
    LISTEN c
    LOAD '/tmp/evil.so'
    LOCK TABLE orders IN ACCESS EXCLUSIVE MODE NOWAIT
    NOTIFY c
    PREPARE p (int) AS DELETE FROM orders WHERE id = $1
    PREPARE TRANSACTION 'x'
    REASSIGN OWNED BY postgres TO u
    REINDEX (CONCURRENTLY) INDEX orders_pkey
    RELEASE SAVEPOINT s
    RESET ROLE
    REVOKE postgres FROM u
    ROLLBACK
    ROLLBACK AND CHAIN
    ROLLBACK PREPARED 'x'
    ROLLBACK TO s
    SAVEPOINT s
    SECURITY LABEL ON TABLE orders IS 'x'
    SET search_path = evil
    SET LOCAL ROLE postgres
    SET SESSION AUTHORIZATION postgres
    SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
    SET TRANSACTION READ WRITE
    SET TIME ZONE 'UTC'
    SET CONSTRAINTS ALL IMMEDIATE
    SHOW ALL
    START TRANSACTION
    UNLISTEN *
    VACUUM (FULL, ANALYZE) orders
    WITH c AS (SELECT 1) SELECT * INTO TEMP t FROM c
    SELECT 1 INTO pg_temp.t
    CREATE VIEW pg_temp.v AS SELECT 1
    INSERT INTO pg_temp.t VALUES (1)
    SELECT * FROM pg_temp_3.t
    SELECT * FROM pg_toast_temp_1.t
    SELECT rolpassword FROM pg_authid
    SELECT * FROM pg_catalog.pg_shadow
    SELECT * FROM pg_user_mappings
    SELECT * FROM pg_user_mapping
    SELECT * FROM pg_foreign_server
    SELECT * FROM information_schema.user_mapping_options
    SELECT * FROM information_schema.foreign_server_options
    SELECT * FROM information_schema._pg_user_mappings
    SELECT * FROM pg_settings
    SELECT * FROM pg_file_settings
    SELECT * FROM pg_hba_file_rules
    SELECT * FROM pg_stat_activity
    SELECT * FROM pg_stat_ssl
    SELECT * FROM pg_stat_replication
    SELECT * FROM pg_stat_statements
    SELECT query FROM public.pg_stat_statements
    SELECT * FROM extensions.pg_stat_statements_info
    SELECT * FROM public.pg_buffercache
    SELECT * FROM pg_prepared_statements
    SELECT * FROM pg_cursors
    SELECT * FROM pg_locks
    SELECT * FROM pg_subscription
    SELECT * FROM pg_replication_slots
    SELECT * FROM pg_largeobject
    SELECT * FROM pg_statistic
    SELECT * FROM pg_stats
    SELECT * FROM pg_db_role_setting
    SELECT * FROM pg_toast.pg_toast_1255
    UPDATE pg_catalog.pg_proc SET prosrc = 'x'
    INSERT INTO pg_class DEFAULT VALUES
    MERGE INTO pg_class c USING orders o ON false WHEN MATCHED THEN DELETE
    TRUNCATE pg_statistic
    DELETE FROM information_schema.sql_features
    WITH d AS (DELETE FROM pg_depend RETURNING 1) TABLE d
  `);

/** Calls of functions that no intent allows, as expressions. */
export const FORBIDDEN_CALLS: readonly string[] = lines(`
  pg_read_file('/etc/passwd')
  pg_read_binary_file('/etc/passwd', 0, 10)
  pg_catalog.pg_read_file('/etc/passwd')
  "pg_catalog"."pg_read_file"('/etc/passwd')
  U&"pg\\005fread_file"('/etc/passwd')
  PG_READ_FILE('/etc/passwd')
  pg_read_file/* */('/etc/passwd')
  ('/etc/passwd'::text).pg_read_file
  ('/etc/passwd'::text)."pg_read_file"
  ((('/etc/passwd'::text))).pg_read_file
  ('/etc/passwd'::text).pg_read_file.length
  (array['/etc/passwd'::text])[1].pg_read_file
  (SELECT x.pg_read_file FROM concat('/etc/passwd') x)
  (SELECT concat.pg_read_file FROM concat('/etc/passwd'))
  (SELECT text.pg_read_file FROM CAST('/etc/passwd' AS text))
  (SELECT (x.f).pg_read_file FROM (SELECT '/etc/passwd'::text AS f) x)
  (0.1::float8).pg_sleep
  (1.0::float8).setseed
  ('SELECT 1'::text).ts_stat
  ('data_directory'::text).current_setting
  (1::oid).lo_get
  (1::oid).lo_unlink
  (1).pg_terminate_backend
  (7::bigint).pg_advisory_lock
  pg_ls_dir('/')
  pg_ls_logdir()
  pg_ls_waldir()
  pg_ls_tmpdir()
  pg_stat_file('x')
  pg_current_logfile()
  pg_file_write('x', 'y', false)
  pg_file_unlink('x')
  pg_sleep(1)
  pg_sleep_for('1 s')
  pg_sleep_until(now())
  pg_advisory_lock(1)
  pg_try_advisory_lock(1)
  pg_advisory_xact_lock(1, 2)
  pg_advisory_unlock_all()
  set_config('role', 'postgres', true)
  current_setting('data_directory')
  current_setting('app.secret', true)
  current_query()
  setseed(0.5)
  pg_cancel_backend(1)
  pg_terminate_backend(1)
  pg_reload_conf()
  pg_rotate_logfile()
  pg_promote()
  pg_switch_wal()
  pg_create_restore_point('x')
  pg_backup_start('x')
  pg_export_snapshot()
  pg_logical_emit_message(true, 'a', 'b')
  pg_create_logical_replication_slot('a', 'b')
  pg_logical_slot_get_changes('a', NULL, NULL)
  pg_drop_replication_slot('a')
  pg_replication_origin_create('a')
  pg_stat_reset()
  pg_stat_reset_shared('bgwriter')
  pg_stat_get_activity(NULL)
  pg_stat_get_backend_activity(1)
  pg_backend_pid()
  pg_blocking_pids(1)
  pg_log_backend_memory_contexts(1)
  pg_show_all_settings()
  pg_hba_file_rules()
  pg_import_system_collations('public')
  pg_extension_config_dump('orders', '')
  pg_config()
  pg_control_system()
  lo_import('/etc/passwd')
  lo_export(1, '/tmp/x')
  lo_create(0)
  lo_from_bytea(0, 'x')
  lo_put(1, 0, 'x')
  lo_get(1)
  loread(1, 2)
  lowrite(1, 'x')
  query_to_xml('DELETE FROM orders', true, false, '')
  query_to_xmlschema('SELECT 1', true, false, '')
  table_to_xml('customers', true, false, '')
  schema_to_xml('public', true, false, '')
  database_to_xml(true, false, '')
  cursor_to_xml('c', 1, true, false, '')
  ts_stat('SELECT v FROM secrets')
  ts_rewrite('a'::tsquery, 'SELECT t, s FROM aliases')
  crosstab('SELECT 1')
  connectby('t', 'a', 'b', 'c', 0)
  xpath_table('a', 'b', 'c', 'd', 'e')
  dblink('host=x', 'SELECT 1')
  dblink_connect('host=x')
  dblink_send_query('c', 'DELETE FROM orders')
  http_get('http://x')
  http_post('http://x', 'a', 'b')
  net.http_get('http://x')
  cron.schedule('* * * * *', 'DELETE FROM orders')
  inet_server_addr()
  inet_client_port()
  txid_status(1)
  brin_summarize_new_values('i')
  gin_clean_pending_list('i')
  pg_restore_relation_stats('relation', 'x')
  pg_get_wal_resource_managers()
  pg_nextoid('pg_class', 'oid', 'pg_class_oid_index')
  binary_upgrade_set_next_pg_type_oid(1)
`);

/** Positions of an expression in a statement, marked by `#`; each of them would evaluate it. */
export const PLACES: readonly string[] = [
  "SELECT #",
  "SELECT 1 WHERE # IS NULL",
  "SELECT 1 FROM orders ORDER BY #",
  "SELECT 1 FROM orders GROUP BY #",
  "SELECT count(*) FROM orders HAVING max(id) > (SELECT 1 WHERE # IS NOT NULL)",
  "SELECT 1 LIMIT (SELECT 1 WHERE # IS NULL)",
  "SELECT 1 OFFSET (SELECT 0 WHERE # IS NULL)",
  "SELECT DISTINCT ON (#) 1 FROM orders",
  "SELECT CASE WHEN # IS NULL THEN 1 END",
  "SELECT coalesce(#, #)",
  "SELECT ARRAY[#], ROW(#), NULLIF(#, NULL)",
  "SELECT count(*) FILTER (WHERE # IS NULL) FROM orders",
  "SELECT sum(1) OVER (PARTITION BY # ORDER BY #) FROM orders",
  "SELECT sum(1) OVER w FROM orders WINDOW w AS (ORDER BY #)",
  "SELECT string_agg('a', 'b' ORDER BY #) FROM orders",
  "SELECT (#)::text COLLATE \"C\" || 'x'",
  "SELECT tags[(SELECT 1 WHERE # IS NULL)] FROM orders",
  "SELECT 1 FROM orders o JOIN customers c ON # IS NULL",
  "SELECT * FROM (SELECT # AS x) s",
  "SELECT * FROM LATERAL (VALUES (#)) v",
  "SELECT * FROM generate_series(1, (SELECT 1 WHERE # IS NULL))",
  "SELECT * FROM orders TABLESAMPLE bernoulli ((SELECT 1 WHERE # IS NULL))",
  "SELECT * FROM XMLTABLE('/a' PASSING (SELECT '<a/>'::xml WHERE # IS NULL) COLUMNS a int)",
  "SELECT JSON_OBJECT('a': #)",
  "SELECT JSON_QUERY('{}', '$' PASSING # AS p)",
  "SELECT xmlelement(name a, #)",
  "SELECT EXISTS (SELECT 1 WHERE # IS NULL)",
  "SELECT 1 IN (SELECT 1 WHERE # IS NULL)",
  "WITH c AS (SELECT # AS x) SELECT 1 FROM c",
  "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE # IS NULL) TABLE c",
  "SELECT 1 UNION ALL SELECT 1 WHERE # IS NULL",
  "VALUES (#)",
  "EXPLAIN ANALYZE SELECT #",
  "INSERT INTO events (line) SELECT 'x' WHERE # IS NULL",
  "INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y' WHERE # IS NULL",
  "UPDATE orders SET status = 'x' WHERE # IS NULL RETURNING #",
  "UPDATE orders SET (status, total) = (SELECT 'x', 1 WHERE # IS NULL)",
  "DELETE FROM orders USING customers WHERE # IS NULL",
  "MERGE INTO orders o USING customers c ON # IS NULL WHEN MATCHED AND # IS NULL THEN DO NOTHING",
  "CREATE TABLE t AS SELECT #",
  "CREATE VIEW v AS SELECT # AS x",
  "CREATE INDEX ON orders ((#))",
  "CREATE TABLE t (a int CHECK (# IS NULL))",
  "CREATE TABLE t (a text DEFAULT (#)::text)",
  "CREATE POLICY p ON orders USING (# IS NULL)",
  "CREATE TRIGGER g BEFORE UPDATE ON orders FOR EACH ROW WHEN (# IS NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger()",
  "ALTER TABLE orders ALTER COLUMN status TYPE text USING (#)::text",
  "CREATE DOMAIN d AS int CHECK (# IS NULL)",
  "CREATE STATISTICS st ON (#), id FROM orders",
];

function lines(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
