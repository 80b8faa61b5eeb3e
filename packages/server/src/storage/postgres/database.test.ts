import { freshDatabase } from "@steward/test-postgres";
import { expect, it } from "vitest";
import { Database } from "./database.js";

const PREPARED = "SELECT count(*) FROM pg_prepared_statements";

it("prepares a statement once, and does without where a pooler has lost it", async () => {
  await using database = await freshDatabase();
  await using db = new Database(database.url);
  const add = (): Promise<readonly { readonly sum: number }[]> =>
    db.queryPrepared("SELECT $1::integer + $2::integer AS sum", [1, 2]);
  expect(await add()).toEqual([{ sum: 3 }]);
  expect(await add()).toEqual([{ sum: 3 }]);
  expect(await db.query(PREPARED)).toEqual([{ count: 1 }]);
  // A pooler that switches to another server connection has this effect.
  await db.query("DEALLOCATE ALL");
  expect(await add()).toEqual([{ sum: 3 }]);
  expect(await db.query(PREPARED)).toEqual([{ count: 0 }]);
});

it("undoes a transaction that was refused, and keeps its connection", async () => {
  await using database = await freshDatabase();
  await using db = new Database(database.url);
  await db.query("CREATE TABLE prices (name text PRIMARY KEY)");
  const pid = async (): Promise<unknown> => (await db.query("SELECT pg_backend_pid()"))[0];
  const before = await pid();
  const refused = db.transaction(async (connection) => {
    await connection.query("INSERT INTO prices VALUES ('gpt')");
    throw new Error("this price is taken");
  });
  await expect(refused).rejects.toThrow("this price is taken");
  const failed = db.transaction(async (connection) => {
    await connection.query("INSERT INTO prices VALUES ('gpt'), ('gpt')");
  });
  await expect(failed).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(await db.query("SELECT * FROM prices")).toEqual([]);
  expect(await pid()).toEqual(before);
});

it.each([
  ["database", (url: URL) => void (url.pathname = "/no_such_thing")],
  ["role", (url: URL) => void (url.username = "no_such_thing")],
])("quotes a server that refuses the %s, and does not advise to wait", async (_what, spoil) => {
  await using database = await freshDatabase();
  const url = new URL(database.url);
  spoil(url);
  await using db = new Database(url.href);
  await expect(db.query("SELECT 1")).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/"no_such_thing".*correct SERVICE_DATABASE_URL/) as string,
    retryAfterMs: undefined,
  });
});

it("does not advise to wait when the server cannot hold a value", async () => {
  await using database = await freshDatabase();
  await using db = new Database(database.url);
  await expect(db.query("SELECT $1::text", ["\0"])).rejects.toMatchObject({
    code: "INTERNAL",
    retryAfterMs: undefined,
  });
});
