import pg from "pg";

/** Reads in one plan, each of which needs the previous answer. */
export const STEPS = 10;

const READ = "SELECT id, name, email FROM customers WHERE id =";

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
export function postgresReader(pool) {
  return async (id) => nextOf((await pool.query(`${READ} $1`, [id])).rows[0]);
}

/** The same on a database of better-sqlite3. */
export function sqliteReader(db) {
  const statement = db.prepare(`${READ} ?`);
  return (id) => nextOf(statement.get(id));
}

function nextOf(row) {
  return { row, next: (row.id % 1000) + 1 };
}

/**
 * Runs plans.
 * @param onePlan runs a plan of {@link STEPS} steps.
 * @returns steps a second, and the processor time of this process for a step, in µs.
 */
export async function load({ concurrency, plansEach }, onePlan) {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let plan = 0; plan < plansEach; plan += 1) await onePlan();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const steps = concurrency * plansEach * STEPS;
  return { rate: Math.round(steps / seconds), cpuUs: Math.round((user + system) / steps) };
}
