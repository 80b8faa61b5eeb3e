import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { TestDatabase } from "@steward/test-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RecordedOperation } from "../../kernel/recorded-operation.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { Database } from "../postgres/database.js";
import { PostgresSqlStore } from "../postgres/sql-store.js";
import { storeDatabase } from "../postgres/testing/store-database.js";
import { CommitWriter } from "../sqlite/commit-writer.js";
import { openConnection, StatementCache } from "../sqlite/connection.js";
import { migrate } from "../sqlite/migrate.js";
import { StoreReads } from "../sqlite/reads/store-reads.js";
import { SqliteSqlStore } from "../sqlite/sql-store.js";
import { integer, json, optional, rowType, text, uuid } from "./row-type.js";
import { elements, greater, joined, onPostgres, raw, sql } from "./sql.js";
import { NO_PARTY, one, type SqlStore } from "./sql-store.js";

const ORG = "11111111-1111-4111-8111-111111111111";

interface Hold {
  readonly orgId: string;
  readonly holdId: string;
  readonly sessionId?: string;
  readonly reason: { readonly because: readonly string[] };
  readonly placedBy: string;
  readonly placedAtMs: number;
}

const HOLD = rowType<Hold>({
  orgId: uuid,
  holdId: uuid,
  sessionId: optional(text()),
  reason: json(),
  placedBy: text(),
  placedAtMs: integer,
});

function hold(number: number, over: Partial<Hold> = {}): Hold {
  return {
    ...{ orgId: ORG, holdId: `00000000-0000-4000-8000-00000000000${String(number)}` },
    ...{ reason: { because: ["?", "$1", "é'"] }, placedBy: "ada", placedAtMs: 2 ** 52 + number },
    ...over,
  };
}

function insert(row: Hold) {
  return sql`INSERT INTO legal_holds (${HOLD.columns}) VALUES (${HOLD.values(row)})`;
}

/** @param open a store without rows. */
function sqlStoreBattery(open: () => Promise<SqlStore>): void {
  let db: SqlStore;
  beforeEach(async () => {
    db = await open();
  });
  const holds = () =>
    db.rows(
      NO_PARTY,
      sql`SELECT ${HOLD.columns} FROM legal_holds WHERE org_id = ${ORG} ORDER BY hold_id`,
      HOLD,
    );

  it("reads what it has written, values that look like placeholders and absent ones too", async () => {
    const rows = [hold(1), hold(2, { sessionId: "" }), hold(3, { sessionId: "s" })];
    expect(await db.write(rows.map(insert))).toBe(true);
    expect(await holds()).toEqual(rows);
    const query = sql`SELECT ${HOLD.columns} FROM legal_holds
      WHERE org_id = ${ORG} AND hold_id = ${hold(4).holdId}`;
    expect(await db.row(query, HOLD)).toBeUndefined();
  });

  it("changes nothing, and records nothing, when a statement of a unit changes too few rows", async () => {
    await db.write([insert(hold(1))]);
    const lift = (row: Hold) =>
      one(sql`DELETE FROM legal_holds WHERE org_id = ${ORG} AND hold_id = ${row.holdId}`);
    const fact = { orgId: ORG, atMs: 1, kind: "hold.lifted", subject: "", detail: {} };
    const operation = new RecordedOperation(fact);
    const unit = [insert(hold(2)), lift(hold(1)), lift(hold(3))];
    expect(await db.write(unit, { operation })).toBe(false);
    expect(operation.isWritten).toBe(false);
    expect(await holds()).toEqual([hold(1)]);
    expect(await db.write([lift(hold(1))])).toBe(true);
    expect(await db.write([lift(hold(1))])).toBe(false);
  });

  it("writes what the engines spell differently", async () => {
    const size = rowType<{ readonly size: number }>({ size: integer });
    const ofWitness = sql`org_id = ${NIL_ORG_ID} AND witness = ${"w"}`;
    await db.write([
      sql`INSERT INTO audit_cosignatures (org_id, witness, size, note)
        VALUES (${NIL_ORG_ID}, ${"w"}, ${5}, ${""})`,
      onPostgres(sql`SELECT 1 FROM audit_cosignatures WHERE ${ofWitness} FOR UPDATE`),
      sql`UPDATE audit_cosignatures SET size = ${greater(raw("size"), sql`CAST(e.value ->> 1 AS bigint)`)}
        FROM ${elements([["w", 7]])} WHERE ${ofWitness} AND witness = e.value ->> 0`,
    ]);
    const query = sql`SELECT size FROM audit_cosignatures
      WHERE ${joined([ofWitness, sql`size < ${8}`], " AND ")}`;
    expect(await db.row(query, size)).toEqual({ size: 7 });
  });
}

describe("SQL on SQLite", () => {
  const root = mkdtempSync(join(tmpdir(), "steward-sql-"));
  const opened: AsyncDisposable[] = [];
  let files = 0;
  afterEach(async () => {
    for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
  });
  afterAll(() => {
    rmSync(root, { recursive: true });
  });
  sqlStoreBattery(() => {
    files += 1;
    const path = join(root, `${String(files)}.db`);
    const db = openConnection(path, false);
    migrate(db);
    const writer = new CommitWriter(path, silentTelemetry);
    const reads = new StoreReads(path, new StatementCache(db));
    const close = {
      [Symbol.asyncDispose]: () => {
        db.close();
        return Promise.resolve();
      },
    };
    opened.push(reads, writer, close);
    return Promise.resolve(new SqliteSqlStore(writer, reads));
  });
});

describe("SQL on PostgreSQL", () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await storeDatabase();
    db = new Database(database.url);
  });
  afterAll(async () => {
    await db[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
  sqlStoreBattery(async () => {
    await db.query("TRUNCATE legal_holds, audit_cosignatures");
    return new PostgresSqlStore(db);
  });
});
