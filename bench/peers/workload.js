import pg from "pg";

/** Reads in one plan, each of which needs the previous answer. */
export const STEPS = 10;

const READ = "SELECT id, name, email FROM customers WHERE id = $1";

/**
 * Creates a database with the table that every system reads.
 * @returns its URL.
 */
export async function createCustomers(serverUrl) {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query("CREATE DATABASE shop");
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = "/shop";
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query("CREATE TABLE customers (id integer PRIMARY KEY, name text, email text)");
  await client.query(`INSERT INTO customers
    SELECT n, 'Customer ' || n, 'customer-' || n || '@example.com' FROM generate_series(1, 1000) AS n`);
  await client.end();
  return url.href;
}

/** @returns a function that reads a customer and returns the next one to read. */
export function reader(pool) {
  return async (id) => {
    const { rows } = await pool.query(READ, [id]);
    return { row: rows[0], next: (rows[0].id % 1000) + 1 };
  };
}

/**
 * Runs plans and counts their steps.
 * @param onePlan runs a plan of {@link STEPS} steps.
 */
export async function load({ concurrency, plansEach }, onePlan) {
  const started = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let plan = 0; plan < plansEach; plan += 1) await onePlan();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return Math.round((concurrency * plansEach * STEPS) / seconds);
}
