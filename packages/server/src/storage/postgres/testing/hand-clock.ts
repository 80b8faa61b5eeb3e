import type { Clock } from "@steward/kernel/clock.js";

/** Runs a statement on the database directly. */
interface Queryable {
  query(sql: string): Promise<unknown>;
}

/** Makes a migrated store's database use the time of a clock that a test moves. */
export async function ownDatabaseClock(db: Queryable, clock: Clock): Promise<void> {
  await db.query("CREATE TABLE IF NOT EXISTS test_clock (now_ms bigint NOT NULL)");
  await db.query("TRUNCATE test_clock");
  await db.query(`INSERT INTO test_clock VALUES (${clock.nowMs()})`);
  await db.query(
    `CREATE OR REPLACE FUNCTION steward_now_ms() RETURNS bigint LANGUAGE sql STABLE AS
       'SELECT now_ms FROM test_clock'`,
  );
}

/** The same port with calls that set the database's time first. */
export function onTime<Port extends object>(port: Port, db: Queryable, clock: Clock): Port {
  // One after the other, because they share a connection.
  let told: Promise<unknown> = Promise.resolve();
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (typeof name === "symbol" || name.startsWith("on")) return method;
      return async (...args: unknown[]) => {
        told = told.then(() => db.query(`UPDATE test_clock SET now_ms = ${clock.nowMs()}`));
        await told;
        return method(...args);
      };
    },
  });
}
