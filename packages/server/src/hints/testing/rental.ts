import type { WrongStatement } from "./wrong-statement.js";

/** A shop that lends films on PostgreSQL, after the public Pagila schema. */
export const RENTAL_SCHEMA = `
CREATE TYPE rating AS ENUM ('g', 'pg', 'pg-13', 'r');
CREATE TABLE country (country_id int PRIMARY KEY, country text NOT NULL);
CREATE TABLE city (city_id int PRIMARY KEY, city text NOT NULL, country_id int NOT NULL REFERENCES country);
CREATE TABLE address (
  address_id int PRIMARY KEY, street text NOT NULL, district text, city_id int NOT NULL REFERENCES city, phone text);
CREATE TABLE language (language_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE film (
  film_id int PRIMARY KEY, title text NOT NULL, description text, release_year int, language_id int NOT NULL REFERENCES language,
  rental_rate numeric(4, 2) NOT NULL, length_minutes int, rating rating NOT NULL, shelf_code text NOT NULL, score double precision);
CREATE TABLE actor (actor_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL);
CREATE TABLE film_actor (
  film_id int REFERENCES film, actor_id int REFERENCES actor, PRIMARY KEY (film_id, actor_id));
CREATE TABLE category (category_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE film_category (
  film_id int REFERENCES film, category_id int REFERENCES category, PRIMARY KEY (film_id, category_id));
CREATE TABLE store (store_id int PRIMARY KEY, address_id int NOT NULL REFERENCES address);
CREATE TABLE staff (
  staff_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, store_id int REFERENCES store,
  is_active boolean NOT NULL, password_hash text);
CREATE TABLE customer (
  customer_id int PRIMARY KEY, store_id int NOT NULL REFERENCES store, first_name text NOT NULL, last_name text NOT NULL,
  email text UNIQUE, address_id int NOT NULL REFERENCES address, membership text NOT NULL
  CONSTRAINT customer_membership_check CHECK (membership IN ('basic', 'gold', 'silver')), created_on date NOT NULL);
CREATE TABLE inventory (
  inventory_id int PRIMARY KEY, film_id int NOT NULL REFERENCES film, store_id int NOT NULL REFERENCES store);
CREATE TABLE rental (
  rental_id int PRIMARY KEY, rented_at timestamptz NOT NULL, inventory_id int NOT NULL REFERENCES inventory,
  customer_id int NOT NULL REFERENCES customer, returned_at timestamptz, staff_id int NOT NULL REFERENCES staff);
CREATE TABLE payment (
  payment_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, rental_id int REFERENCES rental,
  amount numeric(6, 2) NOT NULL, paid_at timestamptz NOT NULL, method text NOT NULL);
CREATE TABLE payroll (staff_id int PRIMARY KEY REFERENCES staff, monthly numeric NOT NULL);
CREATE TABLE visit (visit_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, visited_on date NOT NULL);

INSERT INTO country VALUES (1, 'Germany'), (2, 'Japan'), (3, 'Peru');
INSERT INTO city SELECT n, 'City ' || n, 1 + n % 3 FROM generate_series(1, 12) n;
INSERT INTO address SELECT n, n || ' Main Street', 'District ' || n % 4, 1 + n % 12, '555-0' || n FROM generate_series(1, 60) n;
INSERT INTO language VALUES (1, 'English'), (2, 'Spanish'), (3, 'Japanese');
INSERT INTO film SELECT n, 'Film ' || n, 'About ' || n, 1990 + n % 30, 1 + n % 3, 0.99 + n % 3, 70 + n * 7 % 90,
  (enum_range(NULL::rating))[1 + n % 4], (100 + n)::text, n / 7.0 FROM generate_series(1, 100) n;
INSERT INTO actor SELECT n, 'First' || n, 'Last' || n FROM generate_series(1, 30) n;
INSERT INTO film_actor SELECT DISTINCT 1 + n * 3 % 100, 1 + n * 7 % 30 FROM generate_series(1, 250) n;
INSERT INTO category SELECT n, (ARRAY['Action', 'Comedy', 'Drama', 'Horror', 'Travel'])[n] FROM generate_series(1, 5) n;
INSERT INTO film_category SELECT n, 1 + n % 5 FROM generate_series(1, 100) n;
INSERT INTO store VALUES (1, 1), (2, 2);
INSERT INTO staff VALUES (1, 'Mike', 'Hill', 1, true, 'x'), (2, 'Jon', 'Snow', 2, true, 'y'), (3, 'Amy', 'Reed', 2, false, 'z');
INSERT INTO customer SELECT n, 1 + n % 2, 'First' || n, 'Last' || n, 'c' || n || '@example.org', n,
  (ARRAY['basic', 'gold', 'silver'])[1 + n % 3], date '2020-01-01' + n FROM generate_series(1, 50) n;
INSERT INTO inventory SELECT n, 1 + n % 100, 1 + n % 2 FROM generate_series(1, 200) n;
INSERT INTO rental SELECT n, timestamptz '2024-01-01 10:00+00' + n * interval '1 day', 1 + n * 7 % 200, 1 + n * 11 % 50,
  CASE WHEN n % 9 > 0 THEN timestamptz '2024-01-04 10:00+00' + n * interval '1 day' END, 1 + n % 3 FROM generate_series(1, 300) n;
INSERT INTO payment SELECT n, 1 + n * 11 % 50, n, 1 + n % 7, timestamptz '2024-01-02 10:00+00' + n * interval '1 day',
  (ARRAY['card', 'cash', 'voucher'])[1 + n % 3] FROM generate_series(1, 300) n;
INSERT INTO payroll VALUES (1, 3000), (2, 3100), (3, 2900);
INSERT INTO visit SELECT n, 1 + n % 50, date '2024-01-01' + n % 300 FROM generate_series(1, 12000) n;
`;

/** Grants for the role of the data source: it may neither read the payroll nor passwords. */
export function rentalGrants(role: string): string {
  return `
GRANT USAGE ON SCHEMA public TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
REVOKE ALL ON payroll, staff FROM ${role};
GRANT SELECT (staff_id, first_name, last_name, store_id, is_active) ON staff TO ${role};
GRANT CREATE ON SCHEMA public TO ${role};
`;
}

/** An agent may not read e-mail addresses. */
export const RENTAL_POLICIES = `
@id("no-mail-here") forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"rental/customer/email");
@id("no-phone") forbid (principal in Steward::Role::"agent", action, resource == Steward::Column::"rental/address/phone");
`;

export const RENTAL_STATEMENTS: readonly WrongStatement[] = [
  {
    mistake: "unknown column",
    wrong: "SELECT titel FROM film WHERE film_id = 3",
    right: "SELECT title FROM film WHERE film_id = 3",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT f.title, f.duration FROM film f WHERE f.film_id = 10",
    right: "SELECT f.title, f.length_minutes FROM film f WHERE f.film_id = 10",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT cust_id, sum(amount) FROM payment GROUP BY cust_id",
    right: "SELECT customer_id, sum(amount) FROM payment GROUP BY customer_id",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT title FROM film WHERE releaseYear = 2000",
    right: "SELECT title FROM film WHERE release_year = 2000",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT customer.last_name FROM customer c WHERE c.customer_id = 4",
    right: "SELECT c.last_name FROM customer c WHERE c.customer_id = 4",
  },
  {
    mistake: "unknown column",
    wrong: "SELECT count(*) FROM rental WHERE return_date IS NULL",
    right: "SELECT count(*) FROM rental WHERE returned_at IS NULL",
  },
  {
    mistake: "unknown column",
    wrong: 'SELECT title FROM film WHERE title = "Film 7"',
    right: "SELECT title FROM film WHERE title = 'Film 7'",
  },
  {
    mistake: "unknown column",
    wrong:
      "SELECT a.street, ci.name FROM address a JOIN city ci ON ci.city_id = a.city_id WHERE a.address_id = 5",
    right:
      "SELECT a.street, ci.city FROM address a JOIN city ci ON ci.city_id = a.city_id WHERE a.address_id = 5",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT count(*) FROM films WHERE rating = 'pg'",
    right: "SELECT count(*) FROM film WHERE rating = 'pg'",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT sum(amount) FROM payments WHERE method = 'cash'",
    right: "SELECT sum(amount) FROM payment WHERE method = 'cash'",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT title FROM movie WHERE length_minutes > 150",
    right: "SELECT title FROM film WHERE length_minutes > 150",
  },
  {
    mistake: "unknown table",
    wrong:
      "SELECT a.last_name, count(*) FROM actor a JOIN actor_film fa ON fa.actor_id = a.actor_id GROUP BY a.last_name",
    right:
      "SELECT a.last_name, count(*) FROM actor a JOIN film_actor fa ON fa.actor_id = a.actor_id GROUP BY a.last_name",
  },
  {
    mistake: "unknown table",
    wrong: "SELECT name FROM film_categories_list WHERE category_id = 2",
    right: "SELECT name FROM category WHERE category_id = 2",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT customer_id, count(*) FROM customer c JOIN rental r ON r.customer_id = c.customer_id GROUP BY c.customer_id",
    right:
      "SELECT c.customer_id, count(*) FROM customer c JOIN rental r ON r.customer_id = c.customer_id GROUP BY c.customer_id",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT f.title FROM film f JOIN inventory i ON i.film_id = f.film_id WHERE film_id < 4 ORDER BY 1",
    right:
      "SELECT f.title FROM film f JOIN inventory i ON i.film_id = f.film_id WHERE f.film_id < 4 ORDER BY 1",
  },
  {
    mistake: "ambiguous column",
    wrong:
      "SELECT last_name, sum(p.amount) FROM payment p JOIN customer c ON c.customer_id = p.customer_id JOIN rental r ON r.rental_id = p.rental_id JOIN staff s ON s.staff_id = r.staff_id GROUP BY c.customer_id, c.last_name",
    right:
      "SELECT c.last_name, sum(p.amount) FROM payment p JOIN customer c ON c.customer_id = p.customer_id JOIN rental r ON r.rental_id = p.rental_id JOIN staff s ON s.staff_id = r.staff_id GROUP BY c.customer_id, c.last_name",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT f.title FROM film f JOIN language l ON l.id = f.language_id WHERE l.name = 'Spanish' AND f.film_id < 20",
    right:
      "SELECT f.title FROM film f JOIN language l ON l.language_id = f.language_id WHERE l.name = 'Spanish' AND f.film_id < 20",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT c.last_name, ci.city FROM customer c JOIN city ci ON ci.city_id = c.city_id WHERE c.customer_id = 9",
    right:
      "SELECT c.last_name, ci.city FROM customer c JOIN address a ON a.address_id = c.address_id JOIN city ci ON ci.city_id = a.city_id WHERE c.customer_id = 9",
  },
  {
    mistake: "wrong join",
    wrong: "SELECT r.rental_id, c.last_name FROM rental r WHERE r.rental_id < 5",
    right:
      "SELECT r.rental_id, c.last_name FROM rental r JOIN customer c ON c.customer_id = r.customer_id WHERE r.rental_id < 5",
  },
  {
    mistake: "wrong join",
    wrong:
      "SELECT f.title, category.name FROM film f JOIN film_category fc ON fc.film_id = f.film_id WHERE f.film_id = 6",
    right:
      "SELECT f.title, category.name FROM film f JOIN film_category fc ON fc.film_id = f.film_id JOIN category ON category.category_id = fc.category_id WHERE f.film_id = 6",
  },
  {
    mistake: "GROUP BY",
    wrong: "SELECT method, sum(amount) FROM payment",
    right: "SELECT method, sum(amount) FROM payment GROUP BY method",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT c.membership, c.store_id, count(*) FROM customer c GROUP BY c.membership ORDER BY c.membership",
    right:
      "SELECT c.membership, c.store_id, count(*) FROM customer c GROUP BY c.membership, c.store_id ORDER BY c.membership",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT customer_id, sum(amount) FROM payment WHERE sum(amount) > 30 GROUP BY customer_id",
    right:
      "SELECT customer_id, sum(amount) FROM payment GROUP BY customer_id HAVING sum(amount) > 30",
  },
  {
    mistake: "GROUP BY",
    wrong:
      "SELECT l.name, avg(f.length_minutes) FROM film f JOIN language l ON l.language_id = f.language_id GROUP BY l.language_id, f.rating HAVING f.rental_rate > 1",
    right:
      "SELECT l.name, avg(f.length_minutes) FROM film f JOIN language l ON l.language_id = f.language_id GROUP BY l.language_id, f.rating, f.rental_rate HAVING f.rental_rate > 1",
  },
  {
    mistake: "types",
    wrong: "SELECT title FROM film WHERE shelf_code = 110",
    right: "SELECT title FROM film WHERE shelf_code = '110'",
  },
  {
    mistake: "types",
    wrong: "SELECT round(avg(score), 2) FROM film",
    right: "SELECT round(avg(score)::numeric, 2) FROM film",
  },
  {
    mistake: "types",
    wrong: "SELECT title FROM film WHERE rating = 'PG-13' AND film_id < 30",
    right: "SELECT title FROM film WHERE rating = 'pg-13' AND film_id < 30",
  },
  {
    mistake: "types",
    wrong: "SELECT count(*) FROM customer WHERE created_on > '31.01.2020'",
    right: "SELECT count(*) FROM customer WHERE created_on > '2020-01-31'",
  },
  {
    mistake: "types",
    wrong:
      "SELECT count(*) FROM film f JOIN inventory i ON f.shelf_code = i.inventory_id WHERE i.store_id = 1",
    right:
      "SELECT count(*) FROM film f JOIN inventory i ON f.shelf_code = i.inventory_id::text WHERE i.store_id = 1",
  },
  {
    mistake: "types",
    wrong: "SELECT sum(shelf_code) FROM film WHERE film_id < 5",
    right: "SELECT sum(shelf_code::numeric) FROM film WHERE film_id < 5",
  },
  {
    mistake: "syntax",
    wrong: "SELECT title FROM film WERE film_id = 1",
    right: "SELECT title FROM film WHERE film_id = 1",
  },
  {
    mistake: "syntax",
    wrong: "SELECT title, rating, FROM film WHERE film_id = 1",
    right: "SELECT title, rating FROM film WHERE film_id = 1",
  },
  {
    mistake: "syntax",
    wrong: "SELECT title FROM film WHERE film_id IN (1, 2 ORDER BY title",
    right: "SELECT title FROM film WHERE film_id IN (1, 2) ORDER BY title",
  },
  {
    mistake: "syntax",
    wrong: "SELECT rating, count(*) FROM film GROUP rating",
    right: "SELECT rating, count(*) FROM film GROUP BY rating",
  },
  {
    mistake: "constraint",
    wrong:
      "INSERT INTO customer (customer_id, store_id, first_name, last_name, address_id, membership, created_on) VALUES (90, 1, 'A', 'B', 3, 'Gold', '2024-01-01')",
    right:
      "INSERT INTO customer (customer_id, store_id, first_name, last_name, address_id, membership, created_on) VALUES (90, 1, 'A', 'B', 3, 'gold', '2024-01-01')",
  },
  {
    mistake: "constraint",
    wrong: "INSERT INTO category (category_id, name) VALUES (3, 'Drama')",
    right:
      "INSERT INTO category (category_id, name) VALUES (3, 'Drama') ON CONFLICT (category_id) DO NOTHING",
  },
  {
    mistake: "constraint",
    wrong: "INSERT INTO language (language_id) VALUES (9)",
    right: "INSERT INTO language (language_id, name) VALUES (9, 'German')",
  },
  {
    mistake: "permission",
    wrong: "SELECT first_name, last_name, password_hash FROM staff",
    right: "SELECT first_name, last_name FROM staff",
  },
  {
    mistake: "permission",
    wrong: "SELECT * FROM staff WHERE store_id = 2",
    right:
      "SELECT staff_id, first_name, last_name, store_id, is_active FROM staff WHERE store_id = 2",
  },
  {
    mistake: "permission",
    wrong: "SELECT s.last_name, p.monthly FROM staff s JOIN payroll p ON p.staff_id = s.staff_id",
    right: "SELECT s.last_name FROM staff s",
  },
  {
    mistake: "policy",
    wrong: "SELECT first_name, email FROM customer WHERE store_id = 1",
    right: "SELECT first_name FROM customer WHERE store_id = 1",
  },
  {
    mistake: "policy",
    wrong: "SELECT * FROM address WHERE address_id = 2",
    right: "SELECT address_id, street, district, city_id FROM address WHERE address_id = 2",
  },
  {
    mistake: "time-out",
    wrong:
      "SELECT count(*) FROM visit v, payment p, customer c WHERE p.customer_id = c.customer_id AND c.store_id = 1 AND md5(repeat(v.visited_on::text || p.amount, 40)) <> ''",
    right:
      "SELECT count(*) FROM visit v, payment p, customer c WHERE p.customer_id = c.customer_id AND c.store_id = 1 AND md5(repeat(v.visited_on::text || p.amount, 40)) <> '' AND v.customer_id = c.customer_id",
  },
  {
    mistake: "too many rows",
    wrong: "SELECT visit_id, visited_on FROM visit",
    right: "SELECT visit_id, visited_on FROM visit ORDER BY visit_id LIMIT 1000",
  },
  {
    mistake: "too many rows",
    wrong:
      "SELECT title FROM film WHERE film_id = (SELECT film_id FROM film_category WHERE category_id = 2) ORDER BY title",
    right:
      "SELECT title FROM film WHERE film_id IN (SELECT film_id FROM film_category WHERE category_id = 2) ORDER BY title",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT sum(amount) FROM payment WHERE method = 'Cash'",
    right: "SELECT sum(amount) FROM payment WHERE method = 'cash'",
  },
  {
    mistake: "unheld literal",
    wrong: "SELECT last_name FROM customer WHERE membership = 'GOLD' AND store_id = 1",
    right: "SELECT last_name FROM customer WHERE membership = 'gold' AND store_id = 1",
  },
  {
    mistake: "unheld literal",
    wrong:
      "SELECT count(*) FROM film f JOIN language l ON l.language_id = f.language_id WHERE l.name = 'english'",
    right:
      "SELECT count(*) FROM film f JOIN language l ON l.language_id = f.language_id WHERE l.name = 'English'",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT c.last_name, sum(p.amount) FROM customer c JOIN payment p ON p.payment_id = c.customer_id GROUP BY c.last_name",
    right:
      "SELECT c.last_name, sum(p.amount) FROM customer c JOIN payment p ON p.customer_id = c.customer_id GROUP BY c.last_name",
  },
  {
    mistake: "join off the key",
    wrong:
      "SELECT f.rating, count(*) FROM film f JOIN inventory i ON i.store_id = f.language_id GROUP BY f.rating",
    right:
      "SELECT f.rating, count(*) FROM film f JOIN inventory i ON i.film_id = f.film_id GROUP BY f.rating",
  },
];
