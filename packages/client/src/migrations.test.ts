import { describe, expect, it } from "vitest";
import { createClient } from "./client.js";
import { json, scriptedServer } from "./testing/scripted-server.js";

describe("migrations", () => {
  it("reach the documented paths", async () => {
    await using server = await scriptedServer((_request, response) => {
      json(response, 200, { data: {} });
    });
    const { migrations } = createClient({ baseUrl: server.url, role: "admin" });
    const proposal = { database: "shop", sql: "CREATE TABLE t (a)", message: "m" };
    await migrations.proposeMigration(proposal);
    await migrations.listMigrations();
    await migrations.getMigration({ migration_id: "a/b" });
    await migrations.verifyMigration({ migration_id: "1" });
    await migrations.applyMigration({ migration_id: "1", accept_data_loss: true });
    await migrations.revertMigration({ migration_id: "1" });
    await migrations.compareSchemas({ from: "schemas/shop", to: "v1" });
    await migrations.dumpSchema();
    await migrations.dumpSchema({ database: "shop" });
    await migrations.getSchemaDrift({ database: "shop" });
    await migrations.acceptSchemaDrift({ database: "shop", message: "m" });
    expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([
      `POST /api/state/migrations ${JSON.stringify(proposal)}`,
      "GET /api/state/migrations",
      "GET /api/state/migrations/a%2Fb",
      "POST /api/state/migrations/1/verify",
      'POST /api/state/migrations/1/apply {"accept_data_loss":true}',
      "POST /api/state/migrations/1/revert {}",
      "GET /api/state/schema-diff?from=schemas%2Fshop&to=v1",
      "GET /api/state/schema",
      "GET /api/state/schema?database=shop",
      "GET /api/state/drift?database=shop",
      'POST /api/state/drift {"database":"shop","message":"m"}',
    ]);
  });
});
