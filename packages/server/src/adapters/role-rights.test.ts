import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessiveRights } from "./role-rights.js";

const PASSWORD = "not-a-secret-1";

describe("the rights of a data source's role", () => {
  let database: TestDatabase;
  const prefix = `rights_${String(Date.now())}`;

  beforeAll(async () => {
    database = await freshDatabase();
    await database.query(`
      CREATE SCHEMA shop; CREATE TABLE shop.orders (id int); CREATE TABLE shop._steward_steps (id int);
      CREATE ROLE ${prefix}_modest LOGIN PASSWORD '${PASSWORD}';
      GRANT SELECT ON shop.orders TO ${prefix}_modest;
      ALTER TABLE shop._steward_steps OWNER TO ${prefix}_modest;
      CREATE ROLE ${prefix}_bypassing LOGIN BYPASSRLS PASSWORD '${PASSWORD}';
      CREATE ROLE ${prefix}_owner LOGIN PASSWORD '${PASSWORD}';
      ALTER TABLE shop.orders OWNER TO ${prefix}_owner;
      CREATE ROLE ${prefix}_member LOGIN PASSWORD '${PASSWORD}' IN ROLE ${prefix}_owner`);
  });
  afterAll(async () => {
    await database.query("DROP SCHEMA shop CASCADE");
    for (const role of ["modest", "bypassing", "member", "owner"]) {
      await database.query(`DROP ROLE ${prefix}_${role}`);
    }
    await database[Symbol.asyncDispose]();
  });

  function urlOf(role: string): string {
    const url = new URL(database.url);
    [url.username, url.password] = [`${prefix}_${role}`, PASSWORD];
    return url.href;
  }

  it("are not excessive where it owns nothing but the service's own tables", async () => {
    expect(await excessiveRights(urlOf("modest"))).toBeUndefined();
  });

  it.each([
    ["bypassing", "has BYPASSRLS"],
    ["owner", "owns shop.orders"],
    ["member", "owns shop.orders"],
  ])("are named where nothing holds it back: %s", async (role, expected) => {
    expect(await excessiveRights(urlOf(role))).toContain(`role ${prefix}_${role} ${expected}`);
  });

  it("are named where it is a superuser", async () => {
    expect(await excessiveRights(database.url)).toContain("is a superuser");
  });
});
