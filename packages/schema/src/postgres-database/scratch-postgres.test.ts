import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PostgresScratch } from "./scratch-postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const ENDED = {
  code: "STORE_UNAVAILABLE",
  message: expect.stringContaining("shop itself is unchanged") as string,
};

/** A role for this test alone, because other tests use the shared server too. */
async function urlOfRole(rights: string): Promise<{ readonly role: string; readonly url: string }> {
  const role = `scratch_${randomUUID().replaceAll("-", "")}`;
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' ${rights}`);
  const url = new URL(database.url);
  url.username = role;
  url.password = "secret";
  return { role, url: url.href };
}

describe("a scratch database", () => {
  it("whose connection is lost says so, whatever was under way, and lets itself be closed", async () => {
    const { role, url } = await urlOfRole("CREATEDB");
    for (const use of ["introspect", "run"] as const) {
      await using scratch = await PostgresScratch.open(url, "shop");
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE usename = $1 AND datname LIKE 'steward_scratch_%'`,
        [role],
      );
      const used = use === "introspect" ? scratch.introspect() : scratch.run([]);
      await expect(used).rejects.toMatchObject(ENDED);
    }
    await database.query(`DROP ROLE ${role}`);
  });

  it("needs a role that may create databases, and says so", async () => {
    const { role, url } = await urlOfRole("NOCREATEDB");
    await expect(PostgresScratch.open(url, "shop")).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringMatching(/SERVICE_MIGRATION_URLS to shop=.*CREATEDB/) as string,
    });
    await database.query(`DROP ROLE ${role}`);
  });
});
