/** Typical hand-written PostgreSQL schemas. */
export const POSTGRES_SCHEMAS: Readonly<Record<string, string>> = {
  shop: `
    CREATE TYPE order_state AS ENUM ('open', 'paid', 'it''s gone');
    CREATE DOMAIN money_amount AS numeric(12, 2) DEFAULT 0 NOT NULL CONSTRAINT not_negative CHECK (VALUE >= 0);
    CREATE TABLE customers (
      id bigint GENERATED ALWAYS AS IDENTITY (START WITH 100 INCREMENT BY 5) PRIMARY KEY,
      email text NOT NULL UNIQUE,
      name varchar(80) COLLATE "C" NOT NULL DEFAULT '',
      credit money_amount,
      search tsvector GENERATED ALWAYS AS (to_tsvector('simple', name)) STORED
    );
    COMMENT ON TABLE customers IS 'Who buys; it''s \\ them';
    COMMENT ON COLUMN customers.email IS 'lower case';
    CREATE TABLE orders (
      customer_id bigint REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE,
      number serial,
      state order_state NOT NULL DEFAULT 'open',
      PRIMARY KEY (customer_id, number)
    );
    CREATE TABLE items (
      customer_id bigint NOT NULL, number integer NOT NULL, sku text NOT NULL,
      quantity integer NOT NULL DEFAULT 1 CHECK (quantity BETWEEN 1 AND 1000),
      CONSTRAINT items_key PRIMARY KEY (customer_id, number, sku),
      CONSTRAINT items_of_an_order FOREIGN KEY (customer_id, number) REFERENCES orders
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
    );
    CREATE INDEX items_by_sku ON items (sku, quantity DESC NULLS LAST) INCLUDE (number);
    CREATE UNIQUE INDEX one_open_order ON orders (customer_id) WHERE state = 'open';
    CREATE INDEX customers_by_name ON customers (lower(name) text_pattern_ops);
    CREATE INDEX customers_search ON customers USING gin (search);
    CREATE VIEW open_orders WITH (security_barrier) AS
      SELECT o.*, c.email FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.state = 'open';
    CREATE VIEW open_items AS
      SELECT sku, sum(quantity) AS quantity FROM items JOIN open_orders USING (customer_id, number) GROUP BY sku;
    CREATE MATERIALIZED VIEW best AS SELECT sku, count(*) AS n FROM items GROUP BY sku;
    CREATE UNIQUE INDEX best_by_sku ON best (sku);
    CREATE FUNCTION close_order() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE orders SET state = 'paid' WHERE number = OLD.number; RETURN OLD; END $$;
    CREATE TRIGGER items_close AFTER DELETE ON items FOR EACH ROW WHEN (OLD.quantity > 0)
      EXECUTE FUNCTION close_order();
    ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own_orders ON orders FOR SELECT USING (customer_id > 0);
  `,
  ledger: `
    CREATE SCHEMA book;
    CREATE FUNCTION book.is_month(m text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT m ~ '^\\d{4}-\\d\\d$' $$;
    CREATE DOMAIN book.month AS text CHECK (book.is_month(VALUE));
    CREATE TYPE book.address AS (street text, city varchar(40) COLLATE "C");
    CREATE TABLE book.accounts (organization uuid, code text, owner book.address, PRIMARY KEY (organization, code));
    CREATE TABLE book.postings (
      organization uuid NOT NULL, month book.month NOT NULL, line integer NOT NULL,
      debit text NOT NULL, credit text NOT NULL, cents bigint NOT NULL CHECK (cents > 0),
      PRIMARY KEY (organization, month, line),
      FOREIGN KEY (organization, debit) REFERENCES book.accounts,
      FOREIGN KEY (organization, credit) REFERENCES book.accounts,
      CHECK (debit <> credit)
    ) PARTITION BY LIST (month);
    CREATE TABLE book.postings_2026_01 PARTITION OF book.postings FOR VALUES IN ('2026-01');
    CREATE TABLE book.postings_rest PARTITION OF book.postings DEFAULT;
    CREATE INDEX postings_by_debit ON book.postings (organization, debit);
    CREATE VIEW book.balances AS
      SELECT organization, code, sum(cents) AS cents FROM (
        SELECT organization, debit AS code, cents FROM book.postings
        UNION ALL SELECT organization, credit, -cents FROM book.postings) AS sides GROUP BY organization, code;
    CREATE PROCEDURE book.close(m book.month) LANGUAGE plpgsql AS $$ BEGIN NULL; END $$;
  `,
  rooms: `
    CREATE SEQUENCE tickets START WITH 7 CACHE 3 CYCLE MAXVALUE 99;
    CREATE TYPE span AS RANGE (SUBTYPE = date);
    CREATE TABLE "Rooms" ("Id" integer PRIMARY KEY DEFAULT nextval('tickets'), "select" text[] NOT NULL DEFAULT '{}');
    CREATE TABLE bookings (
      room integer NOT NULL REFERENCES "Rooms" ON DELETE SET NULL,
      during int4range NOT NULL, days span,
      parent integer, note jsonb DEFAULT '{"a": 1}',
      EXCLUDE USING gist (during WITH &&)
    ) WITH (fillfactor = 70);
    CREATE UNLOGGED TABLE drafts (LIKE bookings INCLUDING DEFAULTS);
    CREATE TABLE notes (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body text);
    CREATE TABLE long_notes (pages integer NOT NULL) INHERITS (notes);
    CREATE VIEW busy AS SELECT "Id", count(*) FROM "Rooms" LEFT JOIN bookings ON room = "Id" GROUP BY "Id";
    CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    CREATE CONSTRAINT TRIGGER bookings_guard AFTER INSERT ON bookings DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION guard();
    ALTER TABLE bookings DISABLE TRIGGER bookings_guard;
  `,
};
