import type { WrongStatement } from "./wrong-statement.js";

/**
 * Statements with common table expressions, queries in FROM, long text and expressions. They were
 * written before the hints looked into these, and scored then.
 */

/** More than the hints looked at before: a list of 1500 numbers, about 9000 characters. */
const LONG_LIST: string = Array.from({ length: 1500 }, (_, index) => String(10_000 + index)).join(
  ", ",
);

export const MUSIC_NESTED: readonly WrongStatement[] = [
  {
    // Column of a common table expression.
    mistake: "unknown column",
    wrong:
      "WITH sales AS (SELECT customer_id, sum(total) AS amount FROM invoice GROUP BY customer_id) SELECT customer_id, amout FROM sales WHERE amount > 20",
    right:
      "WITH sales AS (SELECT customer_id, sum(total) AS amount FROM invoice GROUP BY customer_id) SELECT customer_id, amount FROM sales WHERE amount > 20",
  },
  {
    // Column of a common table expression with an alias.
    mistake: "unknown column",
    wrong:
      "WITH per_album AS (SELECT album_id, count(*) AS tracks FROM track GROUP BY album_id) SELECT a.title, p.track_count FROM per_album p JOIN album a ON a.album_id = p.album_id",
    right:
      "WITH per_album AS (SELECT album_id, count(*) AS tracks FROM track GROUP BY album_id) SELECT a.title, p.tracks FROM per_album p JOIN album a ON a.album_id = p.album_id",
  },
  {
    // Column of a query in FROM.
    mistake: "unknown column",
    wrong:
      "SELECT t.name, s.quantiy FROM track t JOIN (SELECT track_id, sum(quantity) AS quantity FROM invoice_line GROUP BY track_id) s ON s.track_id = t.track_id",
    right:
      "SELECT t.name, s.quantity FROM track t JOIN (SELECT track_id, sum(quantity) AS quantity FROM invoice_line GROUP BY track_id) s ON s.track_id = t.track_id",
  },
  {
    // Table beside a common table expression.
    mistake: "unknown table",
    wrong:
      "WITH big AS (SELECT invoice_id FROM invoice WHERE total > 10) SELECT l.track_id FROM invoice_lines l JOIN big b ON b.invoice_id = l.invoice_id",
    right:
      "WITH big AS (SELECT invoice_id FROM invoice WHERE total > 10) SELECT l.track_id FROM invoice_line l JOIN big b ON b.invoice_id = l.invoice_id",
  },
  {
    // Name of a common table expression.
    mistake: "unknown table",
    wrong:
      "WITH open_invoices AS (SELECT * FROM invoice WHERE status = 'open') SELECT count(*) FROM open_invoice",
    right:
      "WITH open_invoices AS (SELECT * FROM invoice WHERE status = 'open') SELECT count(*) FROM open_invoices",
  },
  {
    // Ambiguous column beside a common table expression.
    mistake: "ambiguous column",
    wrong:
      "WITH paid AS (SELECT customer_id, total FROM invoice WHERE status = 'paid') SELECT customer_id, total FROM paid JOIN customer ON customer.customer_id = paid.customer_id WHERE customer.country = 'USA'",
    right:
      "WITH paid AS (SELECT customer_id, total FROM invoice WHERE status = 'paid') SELECT paid.customer_id, total FROM paid JOIN customer ON customer.customer_id = paid.customer_id WHERE customer.country = 'USA'",
  },
  {
    // Column of a star in FROM.
    mistake: "unknown column",
    wrong: "SELECT x.nme FROM (SELECT * FROM artist WHERE artist_id < 5) x",
    right: "SELECT x.name FROM (SELECT * FROM artist WHERE artist_id < 5) x",
  },
  {
    // Column in an expression of a long statement.
    mistake: "unknown column",
    wrong: `SELECT upper(trim(nme)) || '!' FROM artist WHERE artist_id NOT IN (${LONG_LIST})`,
    right: `SELECT upper(trim(name)) || '!' FROM artist WHERE artist_id NOT IN (${LONG_LIST})`,
  },
];

export const RENTAL_NESTED: readonly WrongStatement[] = [
  {
    // Column of a common table expression.
    mistake: "unknown column",
    wrong:
      "WITH spent AS (SELECT customer_id, sum(amount) AS total FROM payment GROUP BY customer_id) SELECT customer_id, totl FROM spent WHERE total > 5",
    right:
      "WITH spent AS (SELECT customer_id, sum(amount) AS total FROM payment GROUP BY customer_id) SELECT customer_id, total FROM spent WHERE total > 5",
  },
  {
    // Column list of a common table expression.
    mistake: "unknown column",
    wrong:
      "WITH copies (film, copies) AS (SELECT film_id, count(*) FROM inventory GROUP BY film_id) SELECT f.title, c.copy FROM copies c JOIN film f ON f.film_id = c.film",
    right:
      "WITH copies (film, copies) AS (SELECT film_id, count(*) FROM inventory GROUP BY film_id) SELECT f.title, c.copies FROM copies c JOIN film f ON f.film_id = c.film",
  },
  {
    // Column of a query in FROM.
    mistake: "unknown column",
    wrong:
      "SELECT q.actor, q.films FROM (SELECT a.last_name AS actr, count(*) AS films FROM actor a JOIN film_actor fa ON fa.actor_id = a.actor_id GROUP BY a.last_name) q WHERE q.films > 3",
    right:
      "SELECT q.actr, q.films FROM (SELECT a.last_name AS actr, count(*) AS films FROM actor a JOIN film_actor fa ON fa.actor_id = a.actor_id GROUP BY a.last_name) q WHERE q.films > 3",
  },
  {
    // Name of a common table expression.
    mistake: "unknown table",
    wrong:
      "WITH recent_rentals AS (SELECT rental_id FROM rental WHERE rental_id > 90) SELECT count(*) FROM recent_rental",
    right:
      "WITH recent_rentals AS (SELECT rental_id FROM rental WHERE rental_id > 90) SELECT count(*) FROM recent_rentals",
  },
  {
    // Ambiguous column beside a common table expression.
    mistake: "ambiguous column",
    wrong:
      "WITH long_films AS (SELECT film_id, title FROM film WHERE length_minutes > 120) SELECT title, film_id FROM long_films JOIN inventory ON inventory.film_id = long_films.film_id",
    right:
      "WITH long_films AS (SELECT film_id, title FROM film WHERE length_minutes > 120) SELECT title, long_films.film_id FROM long_films JOIN inventory ON inventory.film_id = long_films.film_id",
  },
  {
    // Column inside a common table expression.
    mistake: "unknown column",
    wrong:
      "WITH a AS (SELECT film_id, titel FROM film), b AS (SELECT film_id FROM inventory) SELECT count(*) FROM a JOIN b ON b.film_id = a.film_id",
    right:
      "WITH a AS (SELECT film_id, title FROM film), b AS (SELECT film_id FROM inventory) SELECT count(*) FROM a JOIN b ON b.film_id = a.film_id",
  },
  {
    // Column of a correlated query.
    mistake: "unknown column",
    wrong:
      "SELECT f.title FROM film f WHERE EXISTS (SELECT 1 FROM inventory i WHERE i.film_id = f.film AND i.store_id = 1)",
    right:
      "SELECT f.title FROM film f WHERE EXISTS (SELECT 1 FROM inventory i WHERE i.film_id = f.film_id AND i.store_id = 1)",
  },
  {
    // Column in an expression of a long statement.
    mistake: "unknown column",
    wrong: `SELECT coalesce(lower(last_nme), '') || '.' FROM actor WHERE actor_id NOT IN (${LONG_LIST})`,
    right: `SELECT coalesce(lower(last_name), '') || '.' FROM actor WHERE actor_id NOT IN (${LONG_LIST})`,
  },
];

/** Written at the same time, and looked at only when the rules were ready. */
export const MUSIC_NESTED_HELD_OUT: readonly WrongStatement[] = [
  {
    // Column of the second of two common table expressions.
    mistake: "unknown column",
    wrong:
      "WITH lines AS (SELECT track_id, quantity * unit_price AS revenue FROM invoice_line), per_track AS (SELECT track_id, sum(revenue) AS revenue FROM lines GROUP BY track_id) SELECT t.name, p.revenu FROM per_track p JOIN track t ON t.track_id = p.track_id WHERE p.revenue > 2",
    right:
      "WITH lines AS (SELECT track_id, quantity * unit_price AS revenue FROM invoice_line), per_track AS (SELECT track_id, sum(revenue) AS revenue FROM lines GROUP BY track_id) SELECT t.name, p.revenue FROM per_track p JOIN track t ON t.track_id = p.track_id WHERE p.revenue > 2",
  },
  {
    // Column of a query in FROM, without its alias.
    mistake: "unknown column",
    wrong:
      "SELECT county, n FROM (SELECT country, count(*) AS n FROM customer GROUP BY country) WHERE n > 9",
    right:
      "SELECT country, n FROM (SELECT country, count(*) AS n FROM customer GROUP BY country) WHERE n > 9",
  },
  {
    // Table inside a common table expression.
    mistake: "unknown table",
    wrong:
      "WITH j AS (SELECT genre_id FROM genres WHERE name = 'Jazz') SELECT count(*) FROM track JOIN j ON j.genre_id = track.genre_id",
    right:
      "WITH j AS (SELECT genre_id FROM genre WHERE name = 'Jazz') SELECT count(*) FROM track JOIN j ON j.genre_id = track.genre_id",
  },
  {
    // Unknown table in a statement of more than 8192 characters.
    mistake: "unknown table",
    wrong: `SELECT count(*) FROM albums WHERE album_id NOT IN (${LONG_LIST})`,
    right: `SELECT count(*) FROM album WHERE album_id NOT IN (${LONG_LIST})`,
  },
];

export const RENTAL_NESTED_HELD_OUT: readonly WrongStatement[] = [
  {
    // Column of a common table expression in WHERE.
    mistake: "unknown column",
    wrong:
      "WITH visits AS (SELECT customer_id, max(visited_on) AS last_visit FROM visit GROUP BY customer_id) SELECT c.last_name FROM customer c JOIN visits v ON v.customer_id = c.customer_id WHERE v.last_visited > date '2020-01-05'",
    right:
      "WITH visits AS (SELECT customer_id, max(visited_on) AS last_visit FROM visit GROUP BY customer_id) SELECT c.last_name FROM customer c JOIN visits v ON v.customer_id = c.customer_id WHERE v.last_visit > date '2020-01-05'",
  },
  {
    // Column of a star in a common table expression.
    mistake: "unknown column",
    wrong:
      "WITH english AS (SELECT * FROM film WHERE language_id = 1) SELECT e.title, e.length FROM english e WHERE e.film_id < 9",
    right:
      "WITH english AS (SELECT * FROM film WHERE language_id = 1) SELECT e.title, e.length_minutes FROM english e WHERE e.film_id < 9",
  },
  {
    // Ambiguous column beside a query in FROM.
    mistake: "ambiguous column",
    wrong:
      "SELECT store_id, n FROM store JOIN (SELECT store_id, count(*) AS n FROM inventory GROUP BY store_id) i ON i.store_id = store.store_id",
    right:
      "SELECT store.store_id, n FROM store JOIN (SELECT store_id, count(*) AS n FROM inventory GROUP BY store_id) i ON i.store_id = store.store_id",
  },
  {
    // Column in a CASE of a long statement.
    mistake: "unknown column",
    wrong: `SELECT CASE WHEN raiting = 'pg' THEN 1 ELSE 0 END FROM film WHERE film_id NOT IN (${LONG_LIST})`,
    right: `SELECT CASE WHEN rating = 'pg' THEN 1 ELSE 0 END FROM film WHERE film_id NOT IN (${LONG_LIST})`,
  },
];
