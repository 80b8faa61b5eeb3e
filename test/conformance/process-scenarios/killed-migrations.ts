import { createClient } from "@steward/client";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import type { Execution, Wire } from "../client.js";
import type { ServerProcess } from "../../faults/server-process.js";
import { insist } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { Steward } from "../steward.js";
import {
  ADMIN,
  apply,
  BASE,
  openShop,
  propose,
  type Shop,
  submit,
  WANTED,
} from "./migrated-shop.js";

/** Building an index waits for the end of an open transaction. */
async function openTransaction(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  return client;
}

/** Migrations on servers of their own, most of which are killed (Decision §15). */
export const killedMigrations: readonly ProcessScenario[] = [
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
      const { migration_id: id } = await propose({ rest, database: "default" }, wanted);
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
      await expect(propose({ rest, database: "default" })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("event trigger watcher") as unknown,
      });
      const migration = await propose(
        { rest, database: "default" },
        `${WANTED}; ${watch}; ${index}`,
      );
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
      await using steward = await Steward.startProcess();
      const shop = await openShop(steward, steward, "default", "rest");
      for (const [round, [wire, pauseMs]] of ROUNDS.entries()) {
        const client = steward.client(wire, { ...ADMIN, "x-org-id": shop.org });
        await killRound({ ...shop, client }, round, pauseMs);
      }
    },
  },
];

/** How long a server works on a step before it is killed, in ms, by protocol. */
const ROUNDS: readonly (readonly [Wire, number])[] = [
  ["grpc", 30],
  ["rest", 0],
  ["rest", 90],
];

async function killRound(
  { client, source: steward, ...shop }: Shop<Steward<ServerProcess>>,
  round: number,
  pauseMs: number,
): Promise<void> {
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
    (await shop.rest.migrations.getMigration({ migration_id: migration.migration_id })).commits,
  ).toHaveLength(1);
  const log = await shop.rest.state.getStateLog({ from: "schemas/default" });
  for (const named of [`Run step add of plan ${plan}`, migration.migration_id]) {
    expect(log.filter(({ message }) => message.includes(named))).toHaveLength(1);
  }
  expect((await shop.rest.migrations.getSchemaDrift({ database: "default" })).differences).toEqual(
    [],
  );
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
