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
  // As when the pooler has given the program another connection to the server.
  await db.query("DEALLOCATE ALL");
  expect(await add()).toEqual([{ sum: 3 }]);
  expect(await db.query(PREPARED)).toEqual([{ count: 0 }]);
});
