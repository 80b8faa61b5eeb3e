import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import {
  type Migration,
  migrationDigest,
  MigrationService,
  type Proposal,
  scriptLocks,
} from "../index.js";
import { proposed } from "../testing/proposed.js";
import { log, MemoryBlockStore, quad, text, TripleStore } from "@steward/state";
import { memoryRepositories } from "@steward/state/testing/memory-repositories.js";
import { SqliteSchemaDatabase } from "./index.js";

const SCHEMA = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, city TEXT);
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    total INTEGER CHECK (total >= 0)
  );
  CREATE INDEX orders_by_customer ON orders (customer_id);
  CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;
  CREATE TRIGGER orders_check AFTER INSERT ON orders BEGIN UPDATE customers SET city = city WHERE id = NEW.customer_id; END;
`;

describe("migrations of a SQLite database", () => {
  let folder: string;
  let path: string;
  let db: DatabaseSyncInstance;
  let blocks: MemoryBlockStore;
  let service: MigrationService;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "migrations-"));
    path = join(folder, "shop.db");
    db = new DatabaseSync(path);
    db.exec(SCHEMA);
    db.exec("INSERT INTO customers VALUES (1, 'Ada', 'Rome'), (2, 'Bo', NULL), (9, 'Gone', NULL)");
    db.exec("INSERT INTO orders VALUES (1, 1, 10), (2, 1, 32), (3, 2, NULL)");
    db.exec("DELETE FROM customers WHERE id = 9");
    blocks = new MemoryBlockStore(systemClock);
    service = serviceOver(blocks);
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  const serviceOver = (store: MemoryBlockStore) =>
    new MigrationService({
      databases: new Map([["shop", new SqliteSchemaDatabase("shop", path)]]),
      repositories: memoryRepositories(new Map([[ADMIN.orgId, store]])),
      clock: systemClock,
      ids: systemIds(systemClock),
    });
  const propose = async (sql: string, over: Partial<Proposal> = {}): Promise<Migration> =>
    proposed(await service.propose(ADMIN, { database: "shop", sql, message: "a change", ...over }));
  const rows = (sql: string): unknown[] => db.prepare(sql).all();
  const statements = ({ up }: Migration) => up.flatMap((phase) => phase.statements);
  const codes = ({ findings }: Migration) => findings.map(({ code }) => code);

  it("have one commit each, also when the process dies after the schema was recorded and before the migration is", async () => {
    const { id } = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"));
    const move = blocks.move.bind(blocks);
    blocks.move = (order, held) => {
      if (order.name === "heads/migrations") throw new Error("the process died");
      return move(order, held);
    };
    await expect(service.apply(ADMIN, id)).rejects.toThrow("the process died");
    blocks.move = move;
    expect((await serviceOver(blocks).apply(ADMIN, id)).status).toBe("applied");
    const head = blocks.ref("heads/schemas/shop");
    const messages = head === undefined ? [] : [...log(blocks, head)].map(({ message }) => message);
    expect(messages.filter((message) => message.includes(id))).toEqual([`Apply ${id}: a change`]);
  });

  it("use ALTER TABLE where SQLite has it, keep the rows, and come back", async () => {
    const wanted = SCHEMA.replace("city TEXT", "city TEXT, email TEXT DEFAULT 'none'");
    const migration = await propose(wanted);
    expect(statements(migration)).toEqual([
      `ALTER TABLE "customers" ADD COLUMN "email" TEXT DEFAULT 'none'`,
    ]);
    expect(codes(migration)).toEqual([]);
    expect(rows("SELECT * FROM customers")).toHaveLength(2);
    expect((await service.apply(ADMIN, migration.id)).status).toBe("applied");
    expect(rows("SELECT name, email FROM customers")).toEqual([
      { name: "Ada", email: "none" },
      { name: "Bo", email: "none" },
    ]);
    await expect(service.revert(ADMIN, migration.id)).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
      message: expect.stringContaining("customers.email"),
    });
    const back = await service.revert(ADMIN, migration.id, { acceptDataLoss: true });
    expect(back).toMatchObject({
      status: "reverted",
      commits: [expect.any(String), expect.any(String)],
    });
    expect(rows("SELECT * FROM customers")).toEqual([
      { id: 1, name: "Ada", city: "Rome" },
      { id: 2, name: "Bo", city: null },
    ]);
    expect((await service.apply(ADMIN, migration.id)).status).toBe("applied");
  });

  it("build a table anew where it must be, with rows, keys, indexes, views and triggers", async () => {
    const wanted = SCHEMA.replace(
      "name TEXT NOT NULL",
      "name VARCHAR(50) NOT NULL CHECK (name <> '')",
    );
    const migration = await propose(wanted);
    expect(codes(migration)).toEqual(
      expect.arrayContaining(["data-dependent", "lock-heavy", "backward-incompatible"]),
    );
    await service.apply(ADMIN, migration.id);
    expect(rows("SELECT name FROM customers")).toEqual([{ name: "Ada" }, { name: "Bo" }]);
    expect(rows("SELECT * FROM totals")).toHaveLength(2);
    expect(rows("PRAGMA foreign_key_check")).toEqual([]);
    db.exec("PRAGMA foreign_keys = ON");
    db.exec("INSERT INTO customers (name) VALUES ('Cy')");
    // AUTOINCREMENT does not reuse the key of a deleted row.
    expect(rows("SELECT max(id) AS id FROM customers")).toEqual([{ id: 10 }]);
    expect(() => db.exec("INSERT INTO customers (name) VALUES ('')")).toThrow("CHECK");
    db.exec("DELETE FROM customers WHERE id = 1");
    expect(rows("SELECT id FROM orders")).toEqual([{ id: 3 }]);
  });

  it("see a rename as a rename, in both directions, and keep the object's identity", async () => {
    const wanted = SCHEMA.replaceAll("customers", "people")
      .replaceAll("orders_by_people", "orders_by_customer")
      .replaceAll("customer_id", "person_id")
      .replace("CREATE TABLE people (", "CREATE TABLE people ( -- @renamed from=customers\n")
      .replace(
        "person_id INTEGER NOT NULL",
        "person_id INTEGER NOT NULL /* @renamed from=customer_id */",
      );
    const migration = await propose(wanted);
    expect(migration.operations.filter(({ action }) => action === "rename")).toMatchObject([
      { kind: "Table", from: "customers", to: "people" },
      { kind: "Column", from: "customer_id", to: "person_id" },
    ]);
    expect(codes(migration)).not.toContain("destructive");
    await service.apply(ADMIN, migration.id);
    expect(rows("SELECT person_id FROM orders JOIN people p ON p.id = person_id")).toHaveLength(3);
    await service.revert(ADMIN, migration.id);
    expect(
      rows("SELECT customer_id FROM orders JOIN customers c ON c.id = customer_id"),
    ).toHaveLength(3);
    const idOf = (of: Migration, name: string) =>
      [...of.base, ...of.target].find((each) => each.name === name)?.id;
    expect(idOf(migration, "people")).toBe(idOf(migration, "customers"));
  });

  it("rename what takes the name of something that goes, or changes places with it", async () => {
    const swapped = SCHEMA.replace(
      "name TEXT NOT NULL, city TEXT",
      "city TEXT NOT NULL /* @renamed from=name */,\n name TEXT /* @renamed from=city */",
    );
    await service.apply(ADMIN, (await propose(swapped)).id);
    expect(rows("SELECT city, name FROM customers")[0]).toEqual({ city: "Ada", name: "Rome" });
    const taken = swapped
      .replace(
        "city TEXT NOT NULL /* @renamed from=name */,\n name TEXT /* @renamed from=city */",
        "name TEXT NOT NULL /* @renamed from=city */",
      )
      .replace(/CREATE TRIGGER.*/, "");
    const migration = await propose(taken);
    await service.apply(ADMIN, migration.id, { acceptDataLoss: true });
    expect(rows("SELECT * FROM customers")[0]).toEqual({ id: 1, name: "Ada" });
  });

  it("take hints beside the SQL too", async () => {
    const hints = [{ kind: "Column", table: "customers", from: "city", to: "town" }] as const;
    const migration = await propose(SCHEMA.replaceAll("city", "town"), { hints });
    expect(migration.operations).toMatchObject([
      { action: "rename", from: "city", to: "town" },
      {},
    ]);
    await service.apply(ADMIN, migration.id);
    expect(rows("SELECT town FROM customers")).toEqual([{ town: "Rome" }, { town: null }]);
  });

  it("are refused on a database that is another by now, which is named", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"));
    db.exec("ALTER TABLE orders ADD COLUMN note TEXT; DROP INDEX orders_by_customer");
    const drifted = {
      code: "STATE_CONFLICT",
      message: expect.stringMatching(/drop Index orders_by_customer; create Column orders.note/),
    };
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject(drifted);
    await expect(propose(SCHEMA)).rejects.toMatchObject(drifted);
    expect((await service.drift(ADMIN, "shop")).differences).toMatchObject([
      { action: "drop", path: "orders_by_customer" },
      { action: "create", path: "orders.note" },
    ]);
    const { liveRoot, expectedRoot: recordedRoot } = await service.drift(ADMIN, "shop");
    const accepted = { database: "shop", message: "it was me" };
    await expect(
      service.acceptDrift(ADMIN, { ...accepted, expectedRoot: recordedRoot }),
    ).rejects.toMatchObject({
      code: "STATE_CONFLICT",
      message: expect.stringContaining(
        `has the root ${liveRoot} now and not ${recordedRoot}`,
      ) as string,
    });
    expect((await service.drift(ADMIN, "shop")).differences).toHaveLength(2);
    await service.acceptDrift(ADMIN, { ...accepted, expectedRoot: liveRoot });
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject(drifted);
    expect((await propose(SCHEMA)).operations).toHaveLength(2);
  });

  it("change nothing when the rows do not allow them", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT NOT NULL"));
    expect(codes(migration)).toContain("data-dependent");
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject({
      code: "STEP_FAILED",
      message: expect.stringContaining("NOT NULL constraint failed"),
    });
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
    expect((await service.show(ADMIN, migration.id)).status).toBe("proposed");
    db.exec("UPDATE customers SET city = '' WHERE city IS NULL");
    expect((await service.apply(ADMIN, migration.id)).status).toBe("applied");
  });

  it("leave no row that points nowhere", async () => {
    db.exec("PRAGMA foreign_keys = OFF; INSERT INTO orders VALUES (4, 77, 1)");
    const migration = await propose(SCHEMA.replace("total INTEGER", "total REAL"));
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject({
      code: "STEP_FAILED",
      message: expect.stringContaining(
        "orders has rows whose foreign key matches no row of customers",
      ),
    });
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
  });

  it("ask before data is lost", async () => {
    const migration = await propose(
      SCHEMA.replace(", city TEXT", "").replace(/CREATE TRIGGER.*/, ""),
    );
    expect(codes(migration)).toEqual(expect.arrayContaining(["destructive", "irreversible-down"]));
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject({
      code: "APPROVAL_REQUIRED",
    });
    expect((await service.apply(ADMIN, migration.id, { acceptDataLoss: true })).status).toBe(
      "applied",
    );
  });

  it("are commits with author and message, and records that outlive the service", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"), {
      message: "mail",
    });
    const { commits } = await service.apply({ ...ADMIN, userId: "grace" }, migration.id);
    expect(commits).toHaveLength(1);
    const head = blocks.ref("heads/schemas/shop");
    expect(head === undefined ? [] : [...log(blocks, head)]).toMatchObject([
      { author: "grace", message: `Apply ${migration.id}: mail` },
      { author: "ada", message: "Record the schema of shop" },
    ]);
    const again = serviceOver(blocks);
    expect(await again.list(ADMIN)).toMatchObject([
      { id: migration.id, status: "applied", author: "ada" },
    ]);
    expect(await again.verify(ADMIN, migration.id)).toMatchObject({ isProven: true });
  });

  it("are recorded after a death between the change and its commit", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"));
    for (const sql of statements(migration)) db.exec(sql);
    expect((await service.apply(ADMIN, migration.id)).status).toBe("applied");
    expect((await service.drift(ADMIN, "shop")).differences).toEqual([]);
  });

  it("are run once by a step of a plan, however often it asks, and settled for one that died", async () => {
    const wanted = SCHEMA.replace("city TEXT", "city TEXT, email TEXT");
    const { id } = await propose(wanted);
    const step = { planId: "plan", stepId: "step" };
    expect(await service.settle(ADMIN.orgId, id, step)).toBeUndefined();
    const applied = await service.apply(ADMIN, id, { step });
    expect(applied.stepRuns).toEqual([{ ...step, commit: applied.commits[0] }]);
    await service.revert(ADMIN, id, { acceptDataLoss: true });
    expect(await service.apply(ADMIN, id, { step })).toMatchObject({ status: "reverted" });
    expect(await service.settle(ADMIN.orgId, id, step)).toMatchObject({ status: "reverted" });
    const other = { ...step, stepId: "other" };
    db.exec('ALTER TABLE "customers" ADD COLUMN "email" TEXT');
    const settled = await service.settle(ADMIN.orgId, id, other);
    expect(settled).toMatchObject({ status: "applied" });
    expect(settled?.stepRuns?.map(({ stepId }) => stepId)).toEqual(["step", "other"]);
  });

  /** Writes another document where a migration is stored. */
  function storeInstead(document: object): void {
    const store = new TripleStore(blocks, systemClock, "migrations");
    for (const old of [...store.now.match()]) {
      store.delete(old);
      store.add(quad(old.subject, old.predicate, text(JSON.stringify(document))));
    }
    store.commit({ author: "eve", message: "" });
  }

  it("of earlier versions, which stored no commands, have the same digest and can be applied", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"));
    const digest = migrationDigest(migration);
    const up = migration.up.map(({ isAtomic, statements }) => ({ isAtomic, statements }));
    storeInstead({ ...migration, up, upLocks: scriptLocks(migration.up) });
    const [stored] = await service.list(ADMIN);
    expect(stored?.up).toEqual(up);
    expect(stored === undefined ? undefined : migrationDigest(stored)).toBe(digest);
    await service.apply(ADMIN, migration.id, { digest });
    expect(rows("SELECT email FROM customers")).toHaveLength(2);
  });

  it("run the statements that their schemas ask for, and no others", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"));
    storeInstead({
      ...migration,
      up: [{ isAtomic: true, statements: [...statements(migration), "DELETE FROM orders"] }],
    });
    await expect(service.apply(ADMIN, migration.id)).rejects.toMatchObject({
      code: "STATE_CONFLICT",
    });
    expect(rows("SELECT * FROM orders")).toHaveLength(3);
  });

  it.each([
    ["CREATE TABLE t (a INTEGER", "incomplete input"],
    ["CREATE TABLE t (a); SELECT 1", "definitions only"],
    ["DROP TABLE customers", "definitions only"],
    ["ATTACH 'x.db' AS x", "definitions only"],
    ["CREATE TABLE t AS SELECT 1 AS a", "definitions only"],
    [
      "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
      "definitions only",
    ],
    ["CREATE TEMP TABLE t (a)", "definitions only"],
    ["CREATE TABLE t (a)\0; CREATE TABLE u (a)", "NUL"],
  ])("are not made of %j", async (sql, reason) => {
    await expect(propose(sql)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(reason),
    });
    expect(await service.list(ADMIN)).toEqual([]);
  });

  it("are nothing to keep where the schema is as it is wanted, however it is written", async () => {
    const written = `PRAGMA foreign_keys=OFF; BEGIN TRANSACTION;${SCHEMA}
      CREATE TABLE sqlite_sequence(name,seq); COMMIT;`;
    const outcome = await service.propose(ADMIN, { database: "shop", sql: written, message: "m" });
    expect(outcome).toEqual({
      status: "unchanged",
      database: "shop",
      root: (await service.drift(ADMIN, "shop")).liveRoot,
    });
    expect(await service.list(ADMIN)).toEqual([]);
  });

  it("are each organization's own", async () => {
    const migration = await propose(SCHEMA.replace("city TEXT", "city TEXT, email TEXT"));
    const other = {
      ...ADMIN,
      orgId: "11111111-1111-4111-8111-111111111111",
      permissions: ["manage:schema"],
      roles: [],
    };
    expect(await service.list(other)).toEqual([]);
    await expect(service.apply(other, migration.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(service.drift(other, "nope")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("shop"),
    });
  });
});
