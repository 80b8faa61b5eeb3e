import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { roleReport } from "./role-rights.js";

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

  async function found(url: string): Promise<readonly string[]> {
    const { problems } = await roleReport(url);
    return problems.map((problem) => problem.found);
  }

  it("are not excessive where it owns nothing but the service's own tables", async () => {
    expect((await found(urlOf("modest"))).join()).not.toMatch(/owns|superuser|BYPASSRLS/);
  });

  it.each([
    ["bypassing", "has BYPASSRLS"],
    ["owner", "owns shop.orders"],
    ["member", "owns shop.orders"],
  ])("are named where nothing holds it back: %s", async (role, expected) => {
    expect((await found(urlOf(role)))[0]).toContain(`role ${prefix}_${role} ${expected}`);
  });

  it("are named where it is a superuser", async () => {
    const { problems } = await roleReport(database.url);
    expect(problems).toMatchObject([
      {
        found: expect.stringContaining("is a superuser"),
        fix: expect.stringContaining("CREATE ROLE"),
      },
    ]);
  });

  it("suffice for writes once the SQL of the fix has run, and for the roles of organizations", async () => {
    const url = urlOf("modest");
    const { problems } = await roleReport(url, [`${prefix}_owner`]);
    const [role, marker] = problems;
    expect(role?.found).toContain(`cannot take on role ${prefix}_owner`);
    expect(marker?.found).toContain("the table _steward_steps is missing");
    const sql = marker?.fix.replace(
      "if steps are to write, run as the owner of the database: ",
      "",
    );
    await database.query(`${sql ?? ""} GRANT ${prefix}_owner TO ${prefix}_modest`);
    expect(await found(url)).toEqual([expect.stringContaining("owns shop.orders")]);
    expect((await roleReport(url, [`${prefix}_owner`])).problems.length).toBe(1);
    await database.query(
      `DROP TABLE public._steward_steps; REVOKE ${prefix}_owner FROM ${prefix}_modest`,
    );
  });
});
