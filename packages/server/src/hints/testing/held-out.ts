import type { WrongStatement } from "./wrong-statement.js";

/** Statements on the schema of the music shop that were written after the hints, and changed nothing of them. */
export const MUSIC_HELD_OUT: readonly WrongStatement[] = [
  {
    mistake: "unknown column",
    wrong: "SELECT e.family_name, e.title FROM employee e WHERE e.employee_id = 2",
    right: "SELECT e.last_name, e.title FROM employee e WHERE e.employee_id = 2",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT title, release_date FROM album WHERE artist_id = 4",
    right: "SELECT title, released_on FROM album WHERE artist_id = 4",
  },
  {
    mistake: "unknown table",
    wrong:
      "SELECT a.title, count(*) FROM album a JOIN tracks t ON t.album_id = a.album_id GROUP BY a.title",
    right:
      "SELECT a.title, count(*) FROM album a JOIN track t ON t.album_id = a.album_id GROUP BY a.title",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT invoice_id, total, quantity FROM invoice JOIN invoice_line ON invoice_line.invoice_id = invoice.invoice_id WHERE total > 15",
    right:
      "SELECT invoice.invoice_id, total, quantity FROM invoice JOIN invoice_line ON invoice_line.invoice_id = invoice.invoice_id WHERE total > 15",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT p.name, t.name FROM playlist p JOIN track t ON t.playlist_id = p.playlist_id WHERE t.track_id < 6",
    right:
      "SELECT p.name, t.name FROM playlist p JOIN playlist_track pt ON pt.playlist_id = p.playlist_id JOIN track t ON t.track_id = pt.track_id WHERE t.track_id < 6",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT genre_id, avg(length_ms) FROM track WHERE album_id < 20 AND avg(length_ms) > 200000 GROUP BY genre_id",
    right:
      "SELECT genre_id, avg(length_ms) FROM track WHERE album_id < 20 GROUP BY genre_id HAVING avg(length_ms) > 200000",
  },
  {
    mistake: "constraint",
    wrong: "INSERT INTO playlist_track VALUES (2, 1)",
    right:
      "INSERT INTO playlist_track VALUES (2, 1) ON CONFLICT (playlist_id, track_id) DO NOTHING",
  },
  {
    mistake: "unheld literal",
    wrong:
      "SELECT g.name, count(*) FROM genre g JOIN track t ON t.genre_id = g.genre_id WHERE g.name = 'hip-hop' GROUP BY g.name",
    right:
      "SELECT g.name, count(*) FROM genre g JOIN track t ON t.genre_id = g.genre_id WHERE g.name = 'Hip Hop' GROUP BY g.name",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT e.last_name, count(*) FROM employee e JOIN customer c ON c.customer_id = e.employee_id GROUP BY e.last_name",
    right:
      "SELECT e.last_name, count(*) FROM employee e JOIN customer c ON c.support_rep_id = e.employee_id GROUP BY e.last_name",
  },
  {
    mistake: "bare column",
    wrong:
      "SELECT c.country, count(*) FROM customer c JOIN invoice i ON i.customer_id = c.customer_id",
    right:
      "SELECT c.country, count(*) FROM customer c JOIN invoice i ON i.customer_id = c.customer_id GROUP BY c.country",
  },
];

/** The same of the shop that lends films. */
export const RENTAL_HELD_OUT: readonly WrongStatement[] = [
  {
    mistake: "unknown column",
    wrong: "SELECT title, year FROM film WHERE film_id = 8",
    right: "SELECT title, release_year FROM film WHERE film_id = 8",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT sum(p.total) FROM payment p WHERE p.customer_id = 12",
    right: "SELECT sum(p.amount) FROM payment p WHERE p.customer_id = 12",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT count(*) FROM rentals WHERE staff_id = 2",
    right: "SELECT count(*) FROM rental WHERE staff_id = 2",
  },
  {
    mistake: "wrong join",
    wrong: "SELECT ci.city, co.country FROM city ci WHERE ci.city_id = 4",
    right:
      "SELECT ci.city, co.country FROM city ci JOIN country co ON co.country_id = ci.country_id WHERE ci.city_id = 4",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT c.store_id, c.membership, count(*) FROM customer c WHERE c.created_on < '2020-02-01' GROUP BY c.store_id",
    right:
      "SELECT c.store_id, c.membership, count(*) FROM customer c WHERE c.created_on < '2020-02-01' GROUP BY c.store_id, c.membership",
  },
  {
    mistake: "types",
    wrong: "SELECT title FROM film WHERE shelf_code > 190 AND rating = 'r'",
    right: "SELECT title FROM film WHERE shelf_code::numeric > 190 AND rating = 'r'",
  },
  {
    mistake: "types",
    wrong: "SELECT count(*) FROM payment WHERE paid_at >= '03/15/2024'",
    right: "SELECT count(*) FROM payment WHERE paid_at >= '2024-03-15'",
  },
  {
    mistake: "permission",
    wrong:
      "SELECT s.first_name, s.password_hash, st.address_id FROM staff s JOIN store st ON st.store_id = s.store_id",
    right:
      "SELECT s.first_name, st.address_id FROM staff s JOIN store st ON st.store_id = s.store_id",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT sum(amount) FROM payment WHERE method = 'credit card'",
    right: "SELECT sum(amount) FROM payment WHERE method = 'card'",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT a.last_name, count(*) FROM actor a JOIN film_actor fa ON fa.film_id = a.actor_id GROUP BY a.last_name",
    right:
      "SELECT a.last_name, count(*) FROM actor a JOIN film_actor fa ON fa.actor_id = a.actor_id GROUP BY a.last_name",
  },
];
