import { Client } from "pg";
import { expect, it } from "vitest";
import { freshDatabase } from "./test-database.js";

it("is empty, and shares nothing with another one", async () => {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  await one.query("CREATE TABLE mine (n int); INSERT INTO mine VALUES (1)");
  expect(await one.query("SELECT n FROM mine WHERE n = $1", [1])).toEqual([{ n: 1 }]);
  await expect(other.query("SELECT n FROM mine")).rejects.toThrow("does not exist");
});

it("is dropped when it is disposed of, also while somebody is connected", async () => {
  const gone = await freshDatabase();
  await using other = await freshDatabase();
  const visitor = new Client({ connectionString: gone.url });
  visitor.on("error", () => undefined);
  await visitor.connect();
  await gone[Symbol.asyncDispose]();
  const rows = await other.query("SELECT 1 FROM pg_database WHERE datname = $1", [gone.name]);
  expect(rows).toEqual([]);
});
