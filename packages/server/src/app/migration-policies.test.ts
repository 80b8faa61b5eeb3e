/**
 * Policies on tables and on kinds of change hold for migrations as for the statements of steps: on both engines, a role
 * that may not change a table by a step may not change it by proposing, applying or reverting a migration, nor by a
 * step that applies one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applying, send, startShop } from "../testing/schema-plans.js";
import type { App } from "./app.js";

const SAM = { "x-user-id": "sam", "x-user-role": "schema" };
const ADA = { "x-user-id": "ada", "x-user-role": "admin" };
const BOB = { "x-user-id": "bob", "x-user-role": "approver" };

const POLICIES = `
@id("keep-customers") @reason("Customers stay as they are")
forbid (principal in Steward::Role::"schema", action == Steward::Action::"admin", resource == Steward::Table::"shop/customers");
@id("keep-rows")
forbid (principal in Steward::Role::"schema", action == Steward::Action::"write_delete", resource == Steward::Table::"shop/orders");
@id("keep-salaries")
forbid (principal in Steward::Role::"schema", action, resource == Steward::Column::"shop/people/salary");
@id("keep-secrets")
forbid (principal in Steward::Role::"schema", action == Steward::Action::"read_select", resource == Steward::Table::"shop/secrets");
@id("ask-first") @approval("approver")
forbid (principal, action == Steward::Action::"admin", resource == Steward::Table::"shop/ledger")
unless { context.approved };`;

const TABLES = {
  customers: "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);",
  orders: "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT);",
  people: "CREATE TABLE people (id INTEGER PRIMARY KEY, salary INTEGER);",
  secrets: "CREATE TABLE secrets (id INTEGER PRIMARY KEY, name TEXT);",
  ledger: "CREATE TABLE ledger (id INTEGER PRIMARY KEY);",
};
type Tables = Readonly<Partial<Record<keyof typeof TABLES | "more", string>>>;

/** The schema with some tables defined otherwise; an empty text drops one. */
const schema = (changed: Tables): string => Object.values({ ...TABLES, ...changed }).join("\n");

const CHANGES: readonly (readonly [name: string, changed: Tables, refusal: RegExp])[] = [
  [
    "alters a forbidden table",
    { customers: "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, more TEXT);" },
    /Customers stay as they are: denied here: table (public\.)?customers/,
  ],
  [
    "has a view that reads a forbidden table",
    { more: "CREATE VIEW names AS SELECT name FROM secrets;" },
    /denied here: table (public\.)?secrets/,
  ],
  ["drops a forbidden table", { customers: "" }, /denied here: table (public\.)?customers/],
  [
    "has an index of a forbidden table",
    { more: "CREATE INDEX by_name ON customers (name);" },
    /denied here: table (public\.)?customers/,
  ],
  ["drops rows that may not be deleted", { orders: "" }, /denied here: table (public\.)?orders/],
  [
    "drops a forbidden column",
    { people: "CREATE TABLE people (id INTEGER PRIMARY KEY);" },
    /denied here: column (public\.)?people\.salary/,
  ],
];

interface Shop {
  readonly app: App;
  readonly names: () => Promise<readonly string[]>;
}

async function openShop(dir: string, db: TestDatabase | undefined): Promise<Shop> {
  const sqlite = db === undefined ? new DatabaseSync(join(dir, "shop.db")) : undefined;
  sqlite?.exec(schema({}));
  await db?.query(schema({}));
  const app = await startShop(dir, db?.url);
  await send(app, "PUT /api/policies", { version: 0, text: POLICIES }, ADA);
  return {
    app,
    names: async () => {
      const { sql } = (await send(app, "GET /api/state/schema?database=shop", undefined, ADA)) as {
        readonly sql: string;
      };
      return Object.keys(TABLES).filter((name) => sql.includes(name));
    },
  };
}

describe.each(["SQLite", "PostgreSQL"])("policies on a migration of %s", (engine) => {
  const dir = mkdtempSync(join(tmpdir(), "steward-migration-policies-"));
  let db: TestDatabase | undefined;
  let shop: Shop;
  beforeAll(async () => {
    db = engine === "SQLite" ? undefined : await freshDatabase();
    shop = await openShop(dir, db);
  });
  afterAll(async () => {
    await shop.app[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  interface Answer {
    readonly migration_id?: string;
    readonly plan_id?: string;
    readonly approval_id?: string;
    readonly step_id?: string;
    readonly digest?: string;
  }
  const propose = (changed: Tables, who: typeof ADA): Promise<Answer> => {
    const proposal = { database: "shop", sql: schema(changed), message: "a wish" };
    return send(shop.app, "POST /api/state/migrations", proposal, who) as Promise<Answer>;
  };
  const run = (migration: Answer, way: string, who: typeof ADA): Promise<Answer> =>
    send(
      shop.app,
      `POST /api/state/migrations/${String(migration.migration_id)}/${way}`,
      { digest: migration.digest, accept_data_loss: true },
      who,
    ) as Promise<Answer>;

  // The rules are the same on both engines; the names that they are asked about are not.
  it.each(CHANGES.slice(0, engine === "SQLite" ? CHANGES.length : 3))(
    "refuse one that %s, however it is run",
    async (_what, changed, refusal) => {
      const denied = {
        ...{ code: "POLICY_DENIED", error: expect.stringMatching(refusal) as string },
        details: expect.arrayContaining([
          expect.objectContaining({ field: expect.stringMatching(/^policy keep-/) as string }),
        ]) as object[],
      };
      expect(await propose(changed, SAM)).toMatchObject(denied);
      const migration = await propose(changed, ADA);
      expect(await run(migration, "apply", SAM)).toMatchObject(denied);
      const steps = [applying(String(migration.migration_id), { accept_data_loss: true })];
      expect(await send(shop.app, "POST /api/plans", { steps }, SAM)).toMatchObject(denied);
      const plan = (await send(shop.app, "POST /api/plans", { steps }, ADA)) as Answer;
      const path = `/api/plans/${String(plan.plan_id)}/steps/apply/execute`;
      expect(await send(shop.app, `POST ${path}`, undefined, SAM)).toMatchObject(denied);
      expect(await shop.names()).toEqual(Object.keys(TABLES));
      // Who is not forbidden applies it, and reverts it.
      expect(await send(shop.app, `POST ${path}`, undefined, ADA)).toMatchObject({
        step_result: { status: "completed" },
      });
      // Back, it makes the table orders and drops the view.
      if (changed.orders === undefined && changed.more?.startsWith("CREATE VIEW") !== true) {
        expect(await run(migration, "revert", SAM)).toMatchObject(denied);
      }
      expect(await run(migration, "revert", ADA)).toMatchObject({ status: "reverted" });
      expect(await shop.names()).toEqual(Object.keys(TABLES));
    },
  );

  it.runIf(engine === "PostgreSQL")(
    "refuse one whose function reads a forbidden table",
    async () => {
      const coding = { ...SAM, "x-user-permissions": "manage:code" };
      const define = (table: string): string => `CREATE FUNCTION top() RETURNS text LANGUAGE plpgsql
      AS 'BEGIN RETURN (SELECT max(id) FROM ${table}); END';`;
      expect(await propose({ more: define("secrets") }, coding)).toMatchObject({
        ...{ code: "POLICY_DENIED", error: expect.stringContaining("secrets") as string },
      });
      const migration = await propose({ more: define("orders") }, coding);
      expect(await run(migration, "apply", coding)).toMatchObject({ status: "applied" });
      expect(await run(migration, "revert", coding)).toMatchObject({ status: "reverted" });
    },
  );

  it("permit one of other tables", async () => {
    const migration = await propose({ more: "CREATE TABLE notes (id INTEGER PRIMARY KEY);" }, SAM);
    expect(await run(migration, "apply", SAM)).toMatchObject({ status: "applied" });
    expect(await run(migration, "revert", SAM)).toMatchObject({ status: "reverted" });
    const noted = { orders: "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, more TEXT);" };
    expect(await run(await propose(noted, SAM), "apply", SAM)).toMatchObject({ status: "applied" });
  });

  it("have one wait for the approval that its table needs", async () => {
    const orders = "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, more TEXT);";
    const ledger = "CREATE TABLE ledger (id INTEGER PRIMARY KEY, sum INTEGER);";
    const migration = await propose({ orders, ledger }, SAM);
    const approve = async (step: string): Promise<void> => {
      const { approvals } = (await send(
        shop.app,
        "GET /api/approvals?status=pending",
        undefined,
        BOB,
      )) as {
        readonly approvals: readonly Answer[];
      };
      const asked = approvals.find(({ step_id }) => step_id === step);
      const path = `/api/approvals/${String(asked?.approval_id)}/approve`;
      expect(await send(shop.app, `POST ${path}`, { digest: asked?.digest }, BOB)).toMatchObject({
        status: "approved",
      });
    };
    expect(await run(migration, "apply", SAM)).toMatchObject({
      code: "APPROVAL_REQUIRED",
      details: [{ field: "policy ask-first" }],
    });
    await approve("applyMigration");
    expect(await run(migration, "apply", SAM)).toMatchObject({ status: "applied" });

    const back = await propose({ orders }, SAM);
    const steps = [applying(String(back.migration_id), { accept_data_loss: true })];
    const plan = (await send(shop.app, "POST /api/plans", { steps }, SAM)) as Answer;
    const path = `/api/plans/${String(plan.plan_id)}/steps/apply/execute`;
    expect(await send(shop.app, `POST ${path}`, undefined, SAM)).toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    await approve("apply");
    expect(await send(shop.app, `POST ${path}`, undefined, SAM)).toMatchObject({
      step_result: { status: "completed" },
    });
  });
});
