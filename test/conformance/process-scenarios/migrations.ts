import { createClient } from "@steward/client";
import { expect } from "vitest";
import type { Wire } from "../client.js";
import { expectRefusal } from "../expectations.js";
import type { RequirementId } from "../requirements.js";
import { step, type ProcessScenario } from "../scenario.js";
import { shared } from "../shared-steward.js";
import { ShopSources } from "../shop-sources.js";
import { apply, BASE, openShop, propose, type Shop, submit, WANTED } from "./migrated-shop.js";

const WIRES: readonly Wire[] = ["grpc", "rest"];

/** Number of scenarios made by {@link onShop}. */
const SHOPS = 13;

/** A scenario whose calls exist in one protocol only. It has a data source of its own, on a server that they share. */
function onShop(
  cites: readonly RequirementId[],
  title: string,
  run: (shop: Shop) => Promise<void>,
  wire: Wire = "rest",
): ProcessScenario {
  return {
    cites,
    title,
    run: async () => {
      const shops = await shared("shops", () => ShopSources.open(SHOPS));
      const source = shops.next();
      await run(await openShop(shops.steward, source, source.database, wire));
    },
  };
}

/** A scenario with steps of plans, over each protocol. */
function overEach(...[cites, title, run]: Parameters<typeof onShop>): readonly ProcessScenario[] {
  return WIRES.map((wire) => onShop(cites, `${title} (${wire})`, run, wire));
}

/** Schemas, migrations, and steps that apply migrations (Decision §15). */
export const migrations: readonly ProcessScenario[] = [
  onShop(
    ["D15-proof", "D15-pinned", "D15-drift", "D15-locks", "D15-digest", "D15-code"],
    "a migration is proven, runs on the very schema it is for, and drift is named",
    async (shop) => {
      const { source, database, org, rest } = shop;
      const migration = await propose(shop);
      expect(migration.up).toMatchObject([
        {
          atomic: true,
          statements: [expect.stringContaining("ADD COLUMN") as unknown],
          commands: [{ command: "add_column", object: expect.stringContaining("customers.") }],
          locks: [
            {
              ...{ statement: 0, table: "customers", mode: "RESERVED", holds_while: "instant" },
              effect: "reads continue, writes to the whole file wait",
            },
          ],
        },
      ]);
      expect(
        await rest.migrations.verifyMigration({ migration_id: migration.migration_id }),
      ).toMatchObject({ proven: true });
      const trigger = "CREATE TRIGGER t AFTER INSERT ON customers BEGIN SELECT 1; END";
      const schema = createClient({
        baseUrl: source.url,
        orgId: org,
        userId: "bo",
        role: "schema",
      });
      const coded = { database, sql: `${WANTED}; ${trigger}`, message: "code" };
      await expect(schema.migrations.proposeMigration(coded)).rejects.toMatchObject({
        ...{ status: 403, code: "POLICY_DENIED" },
        message: expect.stringContaining("manage:code") as unknown,
      });
      await source.sql("CREATE INDEX by_hand ON customers (name)");
      await expect(
        rest.migrations.applyMigration({ migration_id: migration.migration_id }),
      ).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining("create Index by_hand") as unknown,
      });
      expect((await rest.migrations.getSchemaDrift({ database })).differences).toMatchObject([
        { action: "create", kind: "Index", path: "by_hand" },
      ]);
      await source.sql("DROP INDEX by_hand");
      const { digest } = migration;
      const other = { digest: digest.split("").reverse().join("") };
      await expect(
        rest.migrations.applyMigration({ migration_id: migration.migration_id, ...other }),
      ).rejects.toMatchObject({
        ...{ status: 409, code: "STATE_CONFLICT" },
      });
      const applied = await rest.migrations.applyMigration({
        migration_id: migration.migration_id,
        digest,
      });
      const [commit] = await rest.state.getStateLog({ from: `schemas/${database}`, limit: 1 });
      expect(commit).toMatchObject({ commit: applied.commits[0], author: "ada" });
    },
  ),
  onShop(
    ["D15-written", "D15-unchanged", "D15-dump"],
    "a schema is proposed as sqlite3 writes it, and nothing is kept where it is there already",
    async ({ rest, database }) => {
      const dump = `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n${BASE};\n`;
      const proposal = { database, message: "as it is" };
      const files = [
        { name: "a.sql", sql: dump },
        { name: "b.sql", sql: "CREATE TABLE sqlite_sequence(name,seq);\nCOMMIT;\n" },
      ];
      expect(await rest.migrations.proposeMigration({ ...proposal, sql: files })).toMatchObject({
        status: "unchanged",
        database,
      });
      const { sql } = await rest.migrations.dumpSchema({ database });
      expect(await rest.migrations.proposeMigration({ ...proposal, sql })).toMatchObject({
        status: "unchanged",
      });
      expect(await rest.migrations.listMigrations()).toEqual([]);
      const rows = `${dump}INSERT INTO customers VALUES(1,'Ada');\n`;
      await expect(
        rest.migrations.proposeMigration({ ...proposal, sql: rows }),
      ).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("line 4: a schema is made of definitions only") as unknown,
      });
    },
  ),
  ...overEach(
    ["D15-loss"],
    "a migration that would lose data needs a word of the caller",
    async (shop) => {
      const lossy = await propose(shop, "CREATE TABLE customers (id INTEGER PRIMARY KEY)");
      await expect(
        shop.rest.migrations.applyMigration({ migration_id: lossy.migration_id }),
      ).rejects.toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      const plan = await submit(shop.client, apply(lossy));
      const refused = await shop.client.execute(plan, "apply");
      expect(refused).toMatchObject({ success: false, step_result: { status: "failed" } });
      expect(refused.error_message).toContain("accept_data_loss");
    },
  ),
  onShop(
    ["D15-hint"],
    "a rename hint keeps the rows, and one that has no effect is refused",
    async ({ source, rest, database }) => {
      await source.sql("INSERT INTO customers (name) VALUES ('Ada')");
      const renamed = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT";
      const idle = propose({ rest, database }, `${renamed} /* @renamed from=title */)`);
      await expect(idle).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("the database has no column title") as unknown,
      });
      const { migration_id: id } = await propose(
        { rest, database },
        `${renamed}) /* @renamed from=customers */`,
      );
      await rest.migrations.applyMigration({ migration_id: id });
      expect(await source.rows("SELECT name FROM people")).toEqual([{ name: "Ada" }]);
    },
  ),
  ...overEach(
    ["D15-values"],
    "a change of type stops where it would change values, and names them",
    async ({ source, rest, client, database }) => {
      await source.sql("INSERT INTO customers (name) VALUES ('007'), ('Ada')");
      const numbers = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name INTEGER)";
      const { migration_id: id } = await propose({ rest, database }, numbers);
      const stopped = {
        code: "APPROVAL_REQUIRED",
        message: expect.stringContaining("customers.name: 1 of its values would change") as unknown,
      };
      await expect(rest.migrations.applyMigration({ migration_id: id })).rejects.toMatchObject(
        stopped,
      );
      const refused = await client.execute(
        await submit(client, apply({ migration_id: id })),
        "apply",
      );
      expect(refused.error_message).toContain("'007' → 7");
      const applied = await rest.migrations.applyMigration({
        migration_id: id,
        accept_data_loss: true,
      });
      expect(applied).toMatchObject({ status: "applied" });
    },
  ),
  ...overEach(
    ["D15-tool", "D15-tool-told", "D11-migration"],
    "a step applies a migration, and is told, metered and logged like any other",
    async (shop) => {
      const { client, rest, database } = shop;
      const migration = await propose(shop);
      const plan = await submit(client, apply(migration));
      const execution = await client.execute(plan, "apply");
      expect(execution).toMatchObject({
        success: true,
        step_result: { status: "completed", row_count: 1 },
        llm_context_update: {
          schema_additions: [{ table_name: "customers", operation: "MODIFIED" }],
        },
      });
      const { commits } = await rest.migrations.getMigration({
        migration_id: migration.migration_id,
      });
      expect(execution.llm_context_update?.tool_output_json).toContain(commits[0]);
      const [commit] = await rest.state.getStateLog({ from: `schemas/${database}`, limit: 1 });
      expect(commit?.message).toContain(`step apply of plan ${plan}`);
      await expect
        .poll(() => rest.billing.getUsageHeatMap())
        .toMatchObject([{ intent: "admin", aau_weight: 5, action_count: 1 }]);
      expect(await client.execute(plan, "apply")).toMatchObject({ replayed: true });
    },
  ),
  ...overEach(
    ["D15-tool-intent", "D15-tool-who", "D15-tool-unknown"],
    "the tool is called with its one intent, by those who may, with a migration that there is",
    async (shop) => {
      const { client } = shop;
      const migration = await propose(shop);
      const { wire } = client;
      for (const [more, field] of [
        [{ intent: "write_update" }, "steps[0].intent"],
        [{ query_template: "DROP TABLE customers" }, "steps[0].query_template"],
      ] as const) {
        await expectRefusal(wire, client.submit({ steps: [{ ...apply(migration), ...more }] }), {
          ...{ code: "INVALID_PLAN", grpc: "INVALID_ARGUMENT", rest: 400 },
          field,
        });
      }
      const agent = client.as({ "x-user-role": "agent" });
      await expectRefusal(wire, submit(agent, apply(migration)), {
        ...{ code: "POLICY_DENIED", grpc: "PERMISSION_DENIED", rest: 403 },
      });
      const denied = await agent.execute(await submit(client, apply(migration)), "apply");
      expect(denied).toMatchObject({ success: false, error_code: "POLICY_DENIED" });
      const none = { migration_id: "11111111-1111-4111-8111-111111111111" };
      const unknown = await client.execute(await submit(client, apply(none)), "apply");
      expect(unknown).toMatchObject({ success: false, step_result: { status: "failed" } });
      expect(unknown.error_message).toContain("There is no migration");
      expect(
        (await shop.rest.migrations.getMigration({ migration_id: migration.migration_id })).status,
      ).toBe("proposed");
    },
  ),
  ...overEach(
    ["D15-commit", "D15-found", "D15-no-change", "D15-compare"],
    "a step that changes the schema leaves a commit, and none that does not",
    async ({ client, rest, source, database }) => {
      const here = { tool_name: "", data_source: database };
      const plan = await submit(
        client,
        step("make", "CREATE TABLE orders (id INTEGER PRIMARY KEY)", here),
        step("fill", "INSERT INTO orders VALUES (1)", here),
        step("index", "CREATE INDEX orders_by_id ON orders (id)", here),
      );
      await client.execute(plan, "make");
      await client.execute(plan, "fill");
      await source.sql("CREATE VIEW ids AS SELECT id FROM orders");
      await client.execute(plan, "index");
      const log = await rest.state.getStateLog({ from: `schemas/${database}` });
      expect(log.map(({ author, message }) => [author, message])).toEqual([
        ["ada", `Run step index of plan ${plan}`],
        ["ada", `Found before step index of plan ${plan}: changed by others`],
        ["ada", `Run step make of plan ${plan}`],
        ["ada", `Record the schema of ${database}`],
      ]);
      expect((await rest.migrations.getSchemaDrift({ database })).differences).toEqual([]);
      const [index, found] = log.map(({ commit }) => commit);
      const { operations, up, down } = await rest.migrations.compareSchemas({
        from: found ?? "",
        to: index ?? "",
      });
      expect(operations).toMatchObject([{ action: "create", path: "orders_by_id" }]);
      expect([up, down].map((script) => script.flatMap(({ statements }) => statements))).toEqual([
        [`CREATE INDEX "orders_by_id" ON "orders" ("id")`],
        [`DROP INDEX "orders_by_id"`],
      ]);
    },
  ),
];
