/**
 * Typical hand-written SQLite schemas: composite keys, all kinds of foreign keys, views, triggers.
 */
export const SQLITE_SCHEMAS: Readonly<Record<string, string>> = {
  shop: `
    CREATE TABLE customers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      email TEXT NOT NULL COLLATE NOCASE CONSTRAINT one_customer_per_email UNIQUE,
      name TEXT NOT NULL DEFAULT '',
      credit NUMERIC(10, 2) NOT NULL DEFAULT 0 CHECK (credit >= 0),
      created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE products (
      sku TEXT NOT NULL PRIMARY KEY,
      title TEXT NOT NULL,
      price_cents INTEGER NOT NULL,
      price REAL GENERATED ALWAYS AS (price_cents / 100.0) VIRTUAL
    ) WITHOUT ROWID;
    CREATE TABLE orders (
      customer_id INTEGER NOT NULL REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE,
      number INTEGER NOT NULL,
      state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'it''s gone')),
      PRIMARY KEY (customer_id, number)
    );
    CREATE TABLE items (
      customer_id INTEGER NOT NULL,
      number INTEGER NOT NULL,
      sku TEXT NOT NULL REFERENCES products (sku) ON DELETE RESTRICT,
      quantity INTEGER NOT NULL DEFAULT 1,
      CONSTRAINT items_key PRIMARY KEY (customer_id, number, sku),
      CONSTRAINT items_of_an_order FOREIGN KEY (customer_id, number)
        REFERENCES orders (customer_id, number) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT some CHECK (quantity BETWEEN 1 AND 1000)
    );
    CREATE INDEX items_by_sku ON items (sku, quantity DESC);
    CREATE UNIQUE INDEX one_open_order ON orders (customer_id) WHERE state = 'open';
    CREATE INDEX customers_by_name ON customers (lower(name) COLLATE NOCASE);
    CREATE VIEW open_orders AS SELECT o.*, c.email FROM orders o JOIN customers c ON c.id = o.customer_id
      WHERE o.state = 'open';
    CREATE VIEW open_items (sku, quantity) AS
      SELECT sku, sum(quantity) FROM items JOIN open_orders USING (customer_id, number) GROUP BY sku;
    CREATE TRIGGER items_close AFTER DELETE ON items WHEN OLD.quantity > 0
    BEGIN
      UPDATE orders SET state = CASE WHEN state = 'open' THEN 'paid' ELSE state END
        WHERE customer_id = OLD.customer_id AND number = OLD.number;
    END;
    CREATE TRIGGER open_orders_insert INSTEAD OF INSERT ON open_orders
    BEGIN
      INSERT INTO orders (customer_id, number) VALUES (NEW.customer_id, NEW.number);
    END;
  `,
  forum: `
    CREATE TABLE users (id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE ON CONFLICT IGNORE) STRICT;
    CREATE TABLE posts (
      id INTEGER PRIMARY KEY,
      author INTEGER REFERENCES users (id) ON DELETE SET NULL,
      parent INTEGER REFERENCES posts (id) ON DELETE CASCADE,
      body TEXT NOT NULL,
      words ANY,
      length INTEGER AS (length(body)) STORED
    ) STRICT;
    CREATE TABLE "odd ""names""" ([the key] INT PRIMARY KEY DESC, \`select\` text, "a.b" blob DEFAULT x'00ff');
    CREATE INDEX "by select" ON "odd ""names""" ("select" COLLATE RTRIM DESC, "a.b");
    CREATE VIRTUAL TABLE search USING fts5(body, content='posts', content_rowid='id');
    CREATE VIEW threads AS
      WITH RECURSIVE thread (id, root) AS (
        SELECT id, id FROM posts WHERE parent IS NULL
        UNION ALL SELECT p.id, t.root FROM posts p JOIN thread t ON p.parent = t.id
      ) SELECT root, count(*) AS posts FROM thread GROUP BY root;
    CREATE TRIGGER posts_search AFTER INSERT ON posts
    BEGIN INSERT INTO search (rowid, body) VALUES (NEW.id, NEW.body); END;
    CREATE TRIGGER posts_edit BEFORE UPDATE OF body, author ON posts
    BEGIN SELECT RAISE(ABORT, 'posts stay') WHERE NEW.author IS NOT OLD.author; END;
  `,
  ledger: `
    CREATE TABLE accounts (
      organization TEXT NOT NULL, code TEXT NOT NULL, kind TEXT NOT NULL,
      PRIMARY KEY (organization, code), UNIQUE (organization, kind, code)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE periods (organization TEXT NOT NULL, month TEXT NOT NULL CHECK (month GLOB '????-??'),
      closed_at INTEGER, PRIMARY KEY (organization, month));
    CREATE TABLE postings (
      organization TEXT NOT NULL, month TEXT NOT NULL, line INTEGER NOT NULL,
      debit TEXT NOT NULL, credit TEXT NOT NULL, cents INTEGER NOT NULL,
      PRIMARY KEY (organization, month, line),
      FOREIGN KEY (organization, month) REFERENCES periods,
      FOREIGN KEY (organization, debit) REFERENCES accounts (organization, code),
      FOREIGN KEY (organization, credit) REFERENCES accounts (organization, code),
      CHECK (debit <> credit), CHECK (cents > 0)
    );
    CREATE INDEX postings_by_debit ON postings (organization, debit);
    CREATE VIEW balances AS
      SELECT organization, code, sum(cents) AS cents FROM (
        SELECT organization, debit AS code, cents FROM postings
        UNION ALL SELECT organization, credit, -cents FROM postings
      ) GROUP BY organization, code;
    CREATE TRIGGER closed_periods BEFORE INSERT ON postings
    WHEN (SELECT closed_at FROM periods p WHERE p.organization = NEW.organization AND p.month = NEW.month)
      IS NOT NULL
    BEGIN SELECT RAISE(ROLLBACK, 'the period is closed'); END;
  `,
};
