import type { WrongStatement } from "./wrong-statement.js";

/** A shop for music on SQLite, after the public Chinook schema. */
export const MUSIC_SCHEMA = `
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE album (
  album_id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist_id INTEGER NOT NULL REFERENCES artist(artist_id),
  released_on TEXT);
CREATE TABLE genre (genre_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE track (
  track_id INTEGER PRIMARY KEY, name TEXT NOT NULL, album_id INTEGER REFERENCES album(album_id),
  genre_id INTEGER REFERENCES genre(genre_id), media_format TEXT NOT NULL, length_ms INTEGER NOT NULL,
  bpm TEXT, unit_price NUMERIC NOT NULL);
CREATE TABLE employee (
  employee_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, title TEXT,
  reports_to INTEGER REFERENCES employee(employee_id), salary INTEGER);
CREATE TABLE customer (
  customer_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE, city TEXT, country TEXT, postal_code TEXT,
  support_rep_id INTEGER REFERENCES employee(employee_id));
CREATE TABLE invoice (
  invoice_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(customer_id),
  invoice_date TEXT NOT NULL, billing_country TEXT,
  status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'void')), total NUMERIC NOT NULL);
CREATE TABLE invoice_line (
  invoice_line_id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL REFERENCES invoice(invoice_id),
  track_id INTEGER NOT NULL REFERENCES track(track_id), unit_price NUMERIC NOT NULL, quantity INTEGER NOT NULL);
CREATE TABLE playlist (playlist_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE playlist_track (
  playlist_id INTEGER NOT NULL REFERENCES playlist(playlist_id),
  track_id INTEGER NOT NULL REFERENCES track(track_id), PRIMARY KEY (playlist_id, track_id));
CREATE TABLE play (play_id INTEGER PRIMARY KEY, track_id INTEGER NOT NULL REFERENCES track(track_id), played_at TEXT);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO artist SELECT i, 'Artist ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO album SELECT i, 'Album ' || i, 1 + i * 7 % 12, '20' || (10 + i % 12) || '-03-01' FROM n;
INSERT INTO genre VALUES (1, 'Rock'), (2, 'Jazz'), (3, 'Classical'), (4, 'Hip Hop'), (5, 'Latin');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)
INSERT INTO track SELECT i, 'Track ' || i, 1 + i % 30, 1 + i % 5, CASE i % 3 WHEN 0 THEN 'mpeg' WHEN 1 THEN 'aac' ELSE 'flac' END,
  120000 + i * 997 % 300000, CAST(60 + i * 13 % 120 AS TEXT), CASE i % 4 WHEN 0 THEN 1.29 ELSE 0.99 END FROM n;
INSERT INTO employee VALUES (1, 'Ada', 'Adams', 'General Manager', NULL, 9000), (2, 'Ben', 'Brown', 'Sales Manager', 1, 7000),
  (3, 'Cleo', 'Clark', 'Sales Agent', 2, 5000), (4, 'Dan', 'Diaz', 'Sales Agent', 2, 5000), (5, 'Eva', 'Ernst', 'IT Staff', 1, 6000);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO customer SELECT i, 'First' || i, 'Last' || i, 'c' || i || '@example.org', 'City ' || (i % 9),
  CASE i % 4 WHEN 0 THEN 'Germany' WHEN 1 THEN 'USA' WHEN 2 THEN 'Brazil' ELSE 'France' END, '0' || (1000 + i), 3 + i % 2 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO invoice SELECT i, 1 + i * 11 % 40, '202' || (2 + i % 3) || '-0' || (1 + i % 9) || '-15',
  CASE i % 3 WHEN 0 THEN 'Germany' WHEN 1 THEN 'USA' ELSE 'Brazil' END,
  CASE i % 5 WHEN 0 THEN 'open' WHEN 1 THEN 'void' ELSE 'paid' END, 1 + i % 17 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO invoice_line SELECT i, 1 + i % 120, 1 + i * 17 % 240, 0.99, 1 + i % 3 FROM n;
INSERT INTO playlist VALUES (1, 'Morning'), (2, 'Evening'), (3, 'Gym');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO playlist_track SELECT 1 + i % 3, i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
INSERT INTO play SELECT i, 1 + i % 240, '2024-01-01' FROM n;
`;

/** An agent may not read what employees earn, nor the addresses of customers. */
export const MUSIC_POLICIES = `
@id("no-salaries") forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"music/employee/salary");
@id("no-mail") forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"music/customer/email");
`;

export const MUSIC_STATEMENTS: readonly WrongStatement[] = [
  {
    mistake: "unknown column",
    wrong: "SELECT nme FROM artist WHERE artist_id = 3",
    right: "SELECT name FROM artist WHERE artist_id = 3",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT c.surname, c.country FROM customer c WHERE c.customer_id = 5",
    right: "SELECT c.last_name, c.country FROM customer c WHERE c.customer_id = 5",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT sum(il.qty) FROM invoice_line il WHERE il.invoice_id = 7",
    right: "SELECT sum(il.quantity) FROM invoice_line il WHERE il.invoice_id = 7",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT t.name, t.price FROM track t WHERE t.track_id < 10",
    right: "SELECT t.name, t.unit_price FROM track t WHERE t.track_id < 10",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT invoice.total FROM invoice i WHERE i.invoice_id = 4",
    right: "SELECT i.total FROM invoice i WHERE i.invoice_id = 4",
  },
  {
    mistake: "unknown column",
    wrong:
      "SELECT t.title, al.title FROM track t JOIN album al ON al.album_id = t.album_id WHERE t.track_id = 9",
    right:
      "SELECT t.name, al.title FROM track t JOIN album al ON al.album_id = t.album_id WHERE t.track_id = 9",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT first_name FROM customer WHERE zip = '01005'",
    right: "SELECT first_name FROM customer WHERE postal_code = '01005'",
  },
  {
    mistake: "unknown column",
    wrong:
      "SELECT a.name, count(*) FROM album al JOIN artist a ON a.artist_id = al.artistid GROUP BY a.name",
    right:
      "SELECT a.name, count(*) FROM album al JOIN artist a ON a.artist_id = al.artist_id GROUP BY a.name",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT count(*) FROM customers WHERE country = 'Brazil'",
    right: "SELECT count(*) FROM customer WHERE country = 'Brazil'",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT sum(quantity) FROM invoice_items WHERE invoice_id = 3",
    right: "SELECT sum(quantity) FROM invoice_line WHERE invoice_id = 3",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT title FROM albm WHERE album_id = 2",
    right: "SELECT title FROM album WHERE album_id = 2",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT name, length_ms FROM songs ORDER BY length_ms DESC, name LIMIT 3",
    right: "SELECT name, length_ms FROM track ORDER BY length_ms DESC, name LIMIT 3",
  },
  {
    mistake: "unknown table",
    wrong:
      "SELECT p.name, count(*) FROM playlist p JOIN track_playlist pt ON pt.playlist_id = p.playlist_id GROUP BY p.name",
    right:
      "SELECT p.name, count(*) FROM playlist p JOIN playlist_track pt ON pt.playlist_id = p.playlist_id GROUP BY p.name",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT customer_id, sum(total) FROM customer c JOIN invoice i ON i.customer_id = c.customer_id GROUP BY c.customer_id",
    right:
      "SELECT c.customer_id, sum(total) FROM customer c JOIN invoice i ON i.customer_id = c.customer_id GROUP BY c.customer_id",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT title, count(*) FROM album JOIN track ON track.album_id = album.album_id WHERE album_id < 5 GROUP BY title",
    right:
      "SELECT title, count(*) FROM album JOIN track ON track.album_id = album.album_id WHERE album.album_id < 5 GROUP BY title",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT name, length_ms FROM track t JOIN genre g ON g.genre_id = t.genre_id WHERE g.genre_id = 2 AND t.track_id < 40",
    right:
      "SELECT t.name, length_ms FROM track t JOIN genre g ON g.genre_id = t.genre_id WHERE g.genre_id = 2 AND t.track_id < 40",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT sum(unit_price * quantity) FROM invoice_line il JOIN track t ON t.track_id = il.track_id WHERE il.invoice_id = 8",
    right:
      "SELECT sum(il.unit_price * quantity) FROM invoice_line il JOIN track t ON t.track_id = il.track_id WHERE il.invoice_id = 8",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT t.name FROM track t JOIN genre g ON g.id = t.genre_id WHERE g.name = 'Jazz' AND t.track_id < 30",
    right:
      "SELECT t.name FROM track t JOIN genre g ON g.genre_id = t.genre_id WHERE g.name = 'Jazz' AND t.track_id < 30",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT i.invoice_id, c.last_name FROM invoice i JOIN customer c USING (id) WHERE i.total > 16",
    right:
      "SELECT i.invoice_id, c.last_name FROM invoice i JOIN customer c USING (customer_id) WHERE i.total > 16",
  },
  {
    mistake: "wrong join",
    wrong: "SELECT t.name, artist.name FROM track t WHERE t.track_id = 12",
    right:
      "SELECT t.name, artist.name FROM track t JOIN album ON album.album_id = t.album_id JOIN artist ON artist.artist_id = album.artist_id WHERE t.track_id = 12",
  },
  {
    mistake: "wrong join",
    wrong: "SELECT i.invoice_id, c.last_name FROM invoice i WHERE i.invoice_id < 6",
    right:
      "SELECT i.invoice_id, c.last_name FROM invoice i JOIN customer c ON c.customer_id = i.customer_id WHERE i.invoice_id < 6",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT e.last_name, count(*) FROM customer c JOIN employee e ON e.employee_id = c.employee_id GROUP BY e.last_name",
    right:
      "SELECT e.last_name, count(*) FROM customer c JOIN employee e ON e.employee_id = c.support_rep_id GROUP BY e.last_name",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT billing_country, sum(total) FROM invoice WHERE sum(total) > 100 GROUP BY billing_country",
    right:
      "SELECT billing_country, sum(total) FROM invoice GROUP BY billing_country HAVING sum(total) > 100",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT customer_id FROM invoice WHERE status = 'paid' AND count(*) >= 3 GROUP BY customer_id",
    right:
      "SELECT customer_id FROM invoice WHERE status = 'paid' GROUP BY customer_id HAVING count(*) >= 3",
  },
  {
    mistake: "types",
    wrong: "INSERT INTO genre VALUES ('Folk')",
    right: "INSERT INTO genre (name) VALUES ('Folk')",
  },
  {
    mistake: "types",
    wrong:
      "SELECT name FROM track WHERE genre_id IN (SELECT genre_id, name FROM genre WHERE name = 'Latin')",
    right:
      "SELECT name FROM track WHERE genre_id IN (SELECT genre_id FROM genre WHERE name = 'Latin')",
  },
  {
    mistake: "types",
    wrong: "SELECT date_trunc('month', invoice_date), sum(total) FROM invoice GROUP BY 1",
    right: "SELECT strftime('%Y-%m-01', invoice_date), sum(total) FROM invoice GROUP BY 1",
  },
  {
    mistake: "syntax",
    wrong: "SELECT name FORM artist WHERE artist_id = 1",
    right: "SELECT name FROM artist WHERE artist_id = 1",
  },
  {
    mistake: "syntax",
    wrong: "SELECT name, FROM genre",
    right: "SELECT name FROM genre",
  },
  {
    mistake: "syntax",
    wrong: "SELECT count(* FROM invoice",
    right: "SELECT count(*) FROM invoice",
  },
  {
    mistake: "syntax",
    wrong: "SELECT billing_country, count(*) FROM invoice GROUP billing_country",
    right: "SELECT billing_country, count(*) FROM invoice GROUP BY billing_country",
  },
  {
    mistake: "syntax",
    wrong: "SELECT name FROM artist WHERE artist_id = 1 OR OR artist_id = 2",
    right: "SELECT name FROM artist WHERE artist_id = 1 OR artist_id = 2",
  },
  {
    mistake: "constraint",
    wrong:
      "INSERT INTO invoice (customer_id, invoice_date, status, total) VALUES (2, '2024-05-01', 'Paid', 3)",
    right:
      "INSERT INTO invoice (customer_id, invoice_date, status, total) VALUES (2, '2024-05-01', 'paid', 3)",
  },
  {
    mistake: "constraint",
    wrong: "INSERT INTO genre (genre_id, name) VALUES (2, 'Jazz')",
    right:
      "INSERT INTO genre (genre_id, name) VALUES (2, 'Jazz') ON CONFLICT (genre_id) DO NOTHING",
  },
  {
    mistake: "constraint",
    wrong: "INSERT INTO playlist_track (playlist_id, track_id) VALUES (9, 1)",
    right: "INSERT INTO playlist_track (playlist_id, track_id) VALUES (3, 1)",
  },
  {
    mistake: "policy",
    wrong: "SELECT first_name, last_name, salary FROM employee",
    right: "SELECT first_name, last_name FROM employee",
  },
  {
    mistake: "policy",
    wrong: "SELECT * FROM customer WHERE customer_id = 3",
    right:
      "SELECT customer_id, first_name, last_name, city, country, postal_code, support_rep_id FROM customer WHERE customer_id = 3",
  },
  {
    mistake: "policy",
    wrong: "SELECT c.email, c.city FROM customer c WHERE c.country = 'France'",
    right: "SELECT c.city FROM customer c WHERE c.country = 'France'",
  },
  {
    mistake: "time-out",
    wrong:
      "SELECT count(*) FROM play p, track t, invoice_line il, invoice i WHERE il.track_id = t.track_id AND t.genre_id = 2",
    right:
      "SELECT count(*) FROM play p, track t, invoice_line il, invoice i WHERE il.track_id = t.track_id AND t.genre_id = 2 AND p.track_id = t.track_id AND il.invoice_id = i.invoice_id",
  },
  {
    mistake: "too many rows",
    wrong: "SELECT play_id, track_id FROM play",
    right: "SELECT play_id, track_id FROM play ORDER BY play_id LIMIT 1000",
  },
  {
    mistake: "too many rows",
    wrong:
      "SELECT name FROM track WHERE album_id = (SELECT album_id FROM album WHERE artist_id = 8) ORDER BY name",
    right:
      "SELECT name FROM track WHERE album_id IN (SELECT album_id FROM album WHERE artist_id = 8) ORDER BY name",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT count(*) FROM invoice WHERE status = 'Paid'",
    right: "SELECT count(*) FROM invoice WHERE status = 'paid'",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT name FROM track WHERE media_format = 'MPEG' AND track_id < 20",
    right: "SELECT name FROM track WHERE media_format = 'mpeg' AND track_id < 20",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT sum(total) FROM invoice WHERE status IN ('Open', 'paid')",
    right: "SELECT sum(total) FROM invoice WHERE status IN ('open', 'paid')",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT last_name FROM customer WHERE country = 'United States'",
    right: "SELECT last_name FROM customer WHERE country = 'USA'",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT ar.name, count(*) FROM artist ar JOIN album al ON al.album_id = ar.artist_id GROUP BY ar.name",
    right:
      "SELECT ar.name, count(*) FROM artist ar JOIN album al ON al.artist_id = ar.artist_id GROUP BY ar.name",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT sum(il.quantity) FROM invoice_line il JOIN track t ON t.unit_price = il.unit_price WHERE t.genre_id = 2",
    right:
      "SELECT sum(il.quantity) FROM invoice_line il JOIN track t ON il.track_id = t.track_id WHERE t.genre_id = 2",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT c.last_name, sum(i.total) FROM customer c JOIN invoice i ON i.billing_country = c.country GROUP BY c.last_name",
    right:
      "SELECT c.last_name, sum(i.total) FROM customer c JOIN invoice i ON i.customer_id = c.customer_id GROUP BY c.last_name",
  },
  {
    mistake: "bare column",
    wrong: "SELECT billing_country, sum(total) FROM invoice",
    right: "SELECT billing_country, sum(total) FROM invoice GROUP BY billing_country",
  },
  {
    mistake: "text and number",
    wrong: "SELECT count(*) FROM track WHERE bpm > 100",
    right: "SELECT count(*) FROM track WHERE CAST(bpm AS NUMERIC) > 100",
  },
];
