import { Client } from "pg";
import { expect, it } from "vitest";
import { isServerOfThisRun } from "./shared-server.js";
import type { Template } from "./template-database.js";
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

it("begins with a template, which is filled once", async () => {
  const filled: string[] = [];
  const template: Template = {
    name: "counted",
    fill: async (url) => {
      filled.push(url);
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query("CREATE TABLE mine (n int); INSERT INTO mine VALUES (1)");
      await client.end();
    },
  };
  await using one = await freshDatabase(template);
  await one.query("UPDATE mine SET n = 2");
  await using other = await freshDatabase(template);
  expect(await other.query("TABLE mine")).toEqual([{ n: 1 }]);
  // A server that outlives the run has no templates.
  expect(filled).toHaveLength(isServerOfThisRun() ? 1 : 2);
});

it("is filled once also when several databases are created at the same time", async () => {
  let fills = 0;
  const template: Template = { name: "raced", fill: () => Promise.resolve(fills++) };
  const databases = await Promise.all([1, 2, 3, 4].map(() => freshDatabase(template)));
  for (const database of databases) await database[Symbol.asyncDispose]();
  expect(fills).toBe(isServerOfThisRun() ? 1 : databases.length);
});

it("fills a template again that could not be filled", async () => {
  let isBroken = true;
  const template: Template = {
    name: "broken",
    fill: () => (isBroken ? Promise.reject(new Error("not now")) : Promise.resolve()),
  };
  await expect(freshDatabase(template)).rejects.toThrow("not now");
  isBroken = false;
  await using database = await freshDatabase(template);
  expect(await database.query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
});
