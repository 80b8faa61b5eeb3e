import { createClient, type Migration, type StewardClient } from "@steward/client";
import pg from "pg";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { Client, Execution, StepInput, Wire } from "../client.js";
import type { ServerProcess } from "../../faults/server-process.js";
import { expectRefusal, insist } from "../expectations.js";
import type { RequirementId } from "../requirements.js";
import { step, type ProcessScenario } from "../scenario.js";
import { type RunningServer, Steward } from "../steward.js";

const BASE = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)";
const WANTED = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)";
const ADMIN = { "x-user-id": "ada", "x-user-role": "admin" };
const WIRES: readonly Wire[] = ["grpc", "rest"];

/** A server whose data source has one table, with clients for plans and for the state. */
interface Shop<Server extends RunningServer = RunningServer> {
  readonly steward: Steward<Server>;
  readonly rest: StewardClient;
  readonly client: Client;
}

/** A scenario whose calls exist in one protocol only. */
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
      await using steward = await Steward.start();
      await run(await openShop(steward, wire));
    },
  };
}

async function openShop<Server extends RunningServer>(
  steward: Steward<Server>,
  wire: Wire,
): Promise<Shop<Server>> {
  await steward.sql(BASE);
  const rest = createClient({ baseUrl: steward.url, userId: "ada", role: "admin" });
  return { steward, rest, client: steward.client(wire, ADMIN) };
}

/** A scenario with steps of plans, over each protocol. */
function overEach(...[cites, title, run]: Parameters<typeof onShop>): readonly ProcessScenario[] {
  return WIRES.map((wire) => onShop(cites, `${title} (${wire})`, run, wire));
}

const propose = async ({ rest }: Pick<Shop, "rest">, sql = WANTED): Promise<Migration> => {
  const outcome = await rest.migrations.proposeMigration({
    database: "default",
    sql,
    message: "a wish",
  });
  if (outcome.status === "unchanged") throw new Error("there is nothing to do");
  return outcome;
};
const apply = ({ migration_id }: Pick<Migration, "migration_id">): StepInput =>
  step("apply", JSON.stringify({ migration_id }), {
    tool_name: "state.apply_migration",
    intent: "admin",
  });
const submit = async (client: Client, ...steps: readonly StepInput[]): Promise<string> =>
  (await client.submit({ steps })).plan_id;

/** Building an index waits for the end of an open transaction. */
async function openTransaction(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  return client;
}

/** Schemas, migrations, and steps that apply migrations (Decision §15). */
export const migrations: readonly ProcessScenario[] = [
  onShop(
    ["D15-proof", "D15-pinned", "D15-drift", "D15-locks", "D15-digest", "D15-code"],
    "a migration is proven, runs on the very schema it is for, and drift is named",
    async (shop) => {
      const { steward, rest } = shop;
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
      const schema = createClient({ baseUrl: steward.url, userId: "bo", role: "schema" });
      const coded = { database: "default", sql: `${WANTED}; ${trigger}`, message: "code" };
      await expect(schema.migrations.proposeMigration(coded)).rejects.toMatchObject({
        ...{ status: 403, code: "POLICY_DENIED" },
        message: expect.stringContaining("manage:code") as unknown,
      });
      await steward.sql("CREATE INDEX by_hand ON customers (name)");
      await expect(
        rest.migrations.applyMigration({ migration_id: migration.migration_id }),
      ).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining("create Index by_hand") as unknown,
      });
      expect(
        (await rest.migrations.getSchemaDrift({ database: "default" })).differences,
      ).toMatchObject([{ action: "create", kind: "Index", path: "by_hand" }]);
      await steward.sql("DROP INDEX by_hand");
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
      const [commit] = await rest.state.getStateLog({ from: "schemas/default", limit: 1 });
      expect(commit).toMatchObject({ commit: applied.commits[0], author: "ada" });
    },
  ),
  onShop(
    ["D15-written", "D15-unchanged", "D15-dump"],
    "a schema is proposed as sqlite3 writes it, and nothing is kept where it is there already",
    async ({ rest }) => {
      const dump = `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n${BASE};\n`;
      const proposal = { database: "default", message: "as it is" };
      const files = [
        { name: "a.sql", sql: dump },
        { name: "b.sql", sql: "CREATE TABLE sqlite_sequence(name,seq);\nCOMMIT;\n" },
      ];
      expect(await rest.migrations.proposeMigration({ ...proposal, sql: files })).toMatchObject({
        status: "unchanged",
        database: "default",
      });
      const { sql } = await rest.migrations.dumpSchema();
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
    async ({ steward, rest }) => {
      await steward.sql("INSERT INTO customers (name) VALUES ('Ada')");
      const renamed = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT";
      const idle = propose({ rest }, `${renamed} /* @renamed from=title */)`);
      await expect(idle).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("the database has no column title") as unknown,
      });
      const { migration_id: id } = await propose(
        { rest },
        `${renamed}) /* @renamed from=customers */`,
      );
      await rest.migrations.applyMigration({ migration_id: id });
      expect(await steward.rows("SELECT name FROM people")).toEqual([{ name: "Ada" }]);
    },
  ),
  ...overEach(
    ["D15-values"],
    "a change of type stops where it would change values, and names them",
    async ({ steward, rest, client }) => {
      await steward.sql("INSERT INTO customers (name) VALUES ('007'), ('Ada')");
      const numbers = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name INTEGER)";
      const { migration_id: id } = await propose({ rest }, numbers);
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
      const { client, rest } = shop;
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
      const [commit] = await rest.state.getStateLog({ from: "schemas/default", limit: 1 });
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
    async ({ client, rest, steward }) => {
      const plan = await submit(
        client,
        step("make", "CREATE TABLE orders (id INTEGER PRIMARY KEY)"),
        step("fill", "INSERT INTO orders VALUES (1)"),
        step("index", "CREATE INDEX orders_by_id ON orders (id)"),
      );
      await client.execute(plan, "make");
      await client.execute(plan, "fill");
      await steward.sql("CREATE VIEW ids AS SELECT id FROM orders");
      await client.execute(plan, "index");
      const log = await rest.state.getStateLog({ from: "schemas/default" });
      expect(log.map(({ author, message }) => [author, message])).toEqual([
        ["ada", `Run step index of plan ${plan}`],
        ["ada", `Found before step index of plan ${plan}: changed by others`],
        ["ada", `Run step make of plan ${plan}`],
        ["ada", "Record the schema of default"],
      ]);
      expect((await rest.migrations.getSchemaDrift({ database: "default" })).differences).toEqual(
        [],
      );
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
  {
    cites: ["D15-half-way", "D15-others"],
    title: "a run that a killed server left half way waits, and is taken back or gone on with",
    run: async () => {
      await using steward = await Steward.startProcess({}, { source: "PostgreSQL" });
      await steward.sql(BASE);
      // The call to the server that is killed ends with it, and is not sent to the next one.
      const client = { baseUrl: steward.url, maxRetries: 0 };
      const rest = createClient({ ...client, userId: "ada", role: "admin" });
      const { migrations } = rest;
      const wanted = `${WANTED}; CREATE INDEX by_name ON customers (name)`;
      const { migration_id: id } = await propose({ rest }, wanted);
      for (const wayOut of ["undo", "resume"] as const) {
        const others = await openTransaction(steward.dataSourceUrl);
        const applied = migrations.applyMigration({ migration_id: id }).catch(() => undefined);
        await expect
          .poll(async () => (await migrations.getMigration({ migration_id: id })).unfinished_run)
          .toMatchObject({ parts_done: 1, part_count: 2, activity: expect.any(String) as unknown });
        await steward.server.kill();
        await applied;
        await others.end();
        await steward.server.restart();
        await steward.sql(`CREATE TABLE others_${wayOut} AS SELECT 1 AS a`);
        await expect(migrations.applyMigration({ migration_id: id })).rejects.toMatchObject({
          status: 409,
          message: expect.stringContaining(`steward migrate-db undo ${id}`) as unknown,
        });
        const { status, unfinished_run } = await migrations[`${wayOut}Migration`]({
          migration_id: id,
        });
        expect(status).toBe(wayOut === "undo" ? "proposed" : "applied");
        expect(unfinished_run).toBeUndefined();
        expect(await steward.rows(`SELECT a FROM others_${wayOut}`)).toEqual([{ a: 1 }]);
        const { differences } = await migrations.getSchemaDrift({ database: "default" });
        expect(differences.map(({ kind, path }) => [kind, path])).toEqual([
          ["Table", `public.others_${wayOut}`],
        ]);
        await steward.sql(`DROP TABLE others_${wayOut}`);
      }
    },
  },
  {
    cites: ["D15-invalid", "D15-unmanaged"],
    title: "an invalid index and an event trigger do not keep a database from being migrated",
    run: async () => {
      await using steward = await Steward.startProcess({}, { source: "PostgreSQL" });
      const watch = "CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'";
      const index = "CREATE UNIQUE INDEX by_name ON customers (name)";
      await steward.sql(`${BASE}; INSERT INTO customers VALUES (1, 'Ada'), (2, 'Ada')`);
      await expect(steward.sql(index.replace("INDEX", "INDEX CONCURRENTLY"))).rejects.toThrow();
      await steward.sql(`DELETE FROM customers WHERE id = 2; ${watch};
        CREATE EVENT TRIGGER watcher ON ddl_command_end EXECUTE FUNCTION watch()`);
      const rest = createClient({ baseUrl: steward.url, userId: "ada", role: "admin" });
      await expect(propose({ rest })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("event trigger watcher") as unknown,
      });
      const migration = await propose({ rest }, `${WANTED}; ${watch}; ${index}`);
      expect(migration.findings).toMatchObject([
        { code: "invalid-index", object: "public.customers.by_name" },
        // Dropping an index without CONCURRENTLY locks its table.
        { code: "lock-brief", object: "public.customers" },
      ]);
      await rest.migrations.applyMigration({ migration_id: migration.migration_id });
      expect(await steward.rows("SELECT FROM pg_index WHERE NOT indisvalid")).toEqual([]);
      expect(await steward.rows("SELECT evtname FROM pg_event_trigger")).toEqual([
        { evtname: "watcher" },
      ]);
    },
  },
  {
    cites: ["D15-once", "D15-made-up"],
    title: "a killed server changes a schema once, and its history has a commit for it",
    run: async () => {
      for (const [wire, pauses] of PAUSES) {
        await using steward = await Steward.startProcess();
        await killRounds(await openShop(steward, wire), pauses);
      }
    },
  },
];

/** How long a server works on a step before it is killed, in ms, by protocol. */
const PAUSES: readonly (readonly [Wire, readonly number[]])[] = [
  ["grpc", [30]],
  ["rest", [0, 90]],
];

async function killRounds(shop: Shop<ServerProcess>, pauses: readonly number[]): Promise<void> {
  const { client, rest, steward } = shop;
  for (const [round, pauseMs] of pauses.entries()) {
    const plan = await submit(
      client,
      step("add", `ALTER TABLE customers ADD COLUMN c${String(round)}`),
    );
    await killedWhile(steward, pauseMs, client.execute(plan, "add"));
    await insist(client, plan, "add");
    const [live] = await steward.rows("SELECT sql FROM sqlite_schema WHERE name = 'customers'");
    const { sql } = live as { readonly sql: string };
    const migration = await propose(shop, sql.replace(/\)$/, `, m${String(round)} TEXT)`));
    const applying = await submit(client, apply(migration));
    await killedWhile(steward, pauseMs * 3, client.execute(applying, "apply"));
    await insist(client, applying, "apply");
    expect(
      (await rest.migrations.getMigration({ migration_id: migration.migration_id })).commits,
    ).toHaveLength(1);
    const log = await rest.state.getStateLog({ from: "schemas/default" });
    for (const named of [`Run step add of plan ${plan}`, migration.migration_id]) {
      expect(log.filter(({ message }) => message.includes(named))).toHaveLength(1);
    }
    expect((await rest.migrations.getSchemaDrift({ database: "default" })).differences).toEqual([]);
  }
}

async function killedWhile(
  steward: Steward<ServerProcess>,
  pauseMs: number,
  execution: Promise<Execution>,
): Promise<void> {
  const lost = execution.catch(() => undefined);
  await delay(pauseMs);
  await steward.server.kill();
  await lost;
  await steward.server.restart();
}
