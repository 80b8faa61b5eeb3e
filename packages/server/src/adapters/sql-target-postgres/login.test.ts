import { mkdtemp, rm, writeFile, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "@steward/test-postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StatementError } from "../../plans/ports.js";
import { Database } from "../../storage/postgres/database.js";
import { runStatement } from "../testing/run-statement.js";
import { PostgresTarget } from "./postgres-target.js";
import { shopOptions } from "./testing/shop.js";

// A server of its own demands SCRAM of the role `agent`, and trusts its owner, who counts backends.
let directory: string;
let server: PostgresServer;
let owner: Client;
let url: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "steward-login-"));
  await chmod(directory, 0o755);
  const rules = join(directory, "pg_hba.conf");
  await writeFile(
    rules,
    "host all agent all scram-sha-256\nhost all all all trust\nlocal all all trust\n",
  );
  server = await PostgresServer.start({ settings: { hba_file: rules } });
  owner = new Client({ connectionString: server.url });
  await owner.connect();
  await owner.query("CREATE ROLE agent LOGIN PASSWORD 'secret'");
  const address = new URL(server.url);
  address.username = "agent";
  address.password = "";
  url = address.href;
});

afterAll(async () => {
  await owner.end();
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Waits until the server has no other backend of a client, up to a number of looks. */
async function backends(): Promise<number> {
  let count = 0;
  for (let look = 0; look < 100; look++) {
    const { rowCount } = await owner.query(
      "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    count = rowCount ?? 0;
    if (count === 0) break;
    await owner.query("SELECT pg_sleep(0.05)");
  }
  return count;
}

describe("a PostgreSQL login that the driver cannot do", () => {
  it("fails the step for good with the reason, and leaves no backend", async () => {
    await using target = new PostgresTarget(await shopOptions({ url }));
    for (let step = 0; step < 4; step++) {
      const failed = runStatement(target, "SELECT 1");
      const error: unknown = await failed.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StatementError);
      expect(error).toMatchObject({
        reason: "statement",
        message: expect.stringContaining("the URL has no password") as string,
      });
    }
    expect(await backends()).toBe(0);
  });

  it("makes the store say so, and leaves no backend", async () => {
    await using database = new Database(url);
    for (let attempt = 0; attempt < 4; attempt++) {
      await expect(database.query("SELECT 1")).rejects.toThrow("the URL has no password");
    }
    expect(await backends()).toBe(0);
  });
});
