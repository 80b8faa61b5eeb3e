import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatementRequest, StatementResult } from "../../plans/ports.js";
import { runStatement } from "../testing/run-statement.js";
import { PostgresTarget } from "./postgres-target.js";
import { openShop, shopOptions, type Shop } from "./testing/shop.js";
import { TripCounter } from "./testing/trip-counter.js";

const ORG = "11111111-1111-4111-8111-111111111111";
/** The statement, and the ROLLBACK that precedes the next one on the same connection. */
const TRIPS_A_READ = 2;

let shop: Shop;
let counter: TripCounter;

beforeAll(async () => {
  shop = await openShop();
  counter = await TripCounter.start(shop.database.url);
});
afterAll(async () => {
  await counter[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

function read(
  target: PostgresTarget,
  sql: string,
  more: Partial<StatementRequest> = {},
): Promise<StatementResult> {
  const attempt = { orgId: ORG, planId: "p", stepId: "s", attempt: 1 };
  return runStatement(target, sql, { attempt, ...more });
}

async function oneConnection(
  options: Parameters<typeof openShop>[0] = {},
): Promise<PostgresTarget> {
  return new PostgresTarget(
    await shopOptions({ url: counter.url, sessionsMax: 1, previews: false, ...options }),
  );
}

/** Round trips of a repeated read; the first one opens the connection and reads the catalog. */
async function tripsOf(run: () => Promise<unknown>): Promise<number> {
  await run();
  const before = counter.trips;
  await run();
  await run();
  return (counter.trips - before) / 2;
}

describe("a read on PostgreSQL", () => {
  it.each<[string, string, Partial<StatementRequest>]>([
    ["without values", "SELECT id, name FROM users", {}],
    ["with values", "SELECT name FROM users WHERE id = $1", { binds: [2] }],
    ["without rows", "SELECT name FROM users WHERE false", {}],
  ])("takes one round trip, and another one for its end: %s", async (_case, sql, more) => {
    await using target = await oneConnection();
    expect(await tripsOf(() => read(target, sql, more))).toBe(TRIPS_A_READ);
  });

  it("takes no further round trip under the role of its organization", async () => {
    await shop.database.query(
      "DROP ROLE IF EXISTS tripper; CREATE ROLE tripper; GRANT SELECT ON users TO tripper",
    );
    await using target = await oneConnection({ roleOf: () => "tripper" });
    const run = (): Promise<StatementResult> => read(target, "SELECT current_user AS me");
    expect(JSON.stringify(await run())).toContain("tripper");
    expect(await tripsOf(run)).toBe(TRIPS_A_READ);
    await shop.database.query("DROP OWNED BY tripper; DROP ROLE tripper");
  });

  it("asks for the catalog's version and for the statement, where a policy decides on it", async () => {
    await using target = await oneConnection();
    const permit = (): Promise<object> => Promise.resolve({});
    const run = (): Promise<StatementResult> => read(target, "SELECT id FROM users", { permit });
    expect(await tripsOf(run)).toBe(TRIPS_A_READ + 1);
  });

  it("fetches many rows in batches, each by a round trip", async () => {
    await shop.database.query(
      "CREATE TABLE many AS SELECT id FROM generate_series(1, 900) AS s (id)",
    );
    await using target = await oneConnection();
    const run = (): Promise<StatementResult> => read(target, "SELECT id FROM many ORDER BY id");
    expect(await run()).toMatchObject({ rowCount: 900, rowsKept: 900 });
    expect(await tripsOf(run)).toBe(TRIPS_A_READ + 1);
  });

  it("is not run when its transaction or its role could not be set", async () => {
    await shop.database.query(
      "CREATE SEQUENCE used; CREATE VIEW peek AS SELECT nextval('used') AS n",
    );
    await using target = await oneConnection({ roleOf: () => "nobody's role" });
    await expect(read(target, "SELECT n FROM peek")).rejects.toThrow(/nobody's role/);
    const [sequence] = await shop.database.query("SELECT is_called FROM used");
    expect(sequence).toEqual({ is_called: false });
  });
});
