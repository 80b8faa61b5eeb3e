import { describe, expect, it } from "vitest";
import { clusterDatabase, prepareOnCluster } from "./cluster-database.js";
import { freshDatabase } from "./test-database.js";

describe("the database of a cluster", () => {
  it("is emptied and prepared for each test, and belongs to one at a time", async () => {
    await using server = await freshDatabase();
    const prepared: string[] = [];
    prepareOnCluster((url) => Promise.resolve(prepared.push(url)));
    const first = await clusterDatabase(server.url);
    await first.query("CREATE TABLE left_behind (n int)");
    const second = clusterDatabase(server.url);
    await expect
      .poll(() =>
        server.query(
          `SELECT 1 FROM pg_locks JOIN pg_database AS d ON d.oid = database
           WHERE locktype = 'advisory' AND NOT granted AND d.datname = current_database()`,
        ),
      )
      .toHaveLength(1);
    expect(prepared).toEqual([server.url]);
    await first[Symbol.asyncDispose]();
    await using other = await second;
    expect(await other.query("SELECT to_regclass('left_behind') AS found")).toEqual([
      { found: null },
    ]);
    expect(prepared).toEqual([server.url, server.url]);
  });
});
