/**
 * Wrong statements over two schemas, mended by a mechanical fixer that does only what the hints say.
 * Each statement runs through the whole server, as an agent under policies and, on PostgreSQL, as a
 * role with few privileges. It is mended when the result is that of the correction. PostgreSQL's messages are in a
 * language that nobody has prepared for.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { createClient, StewardError } from "@steward/client";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { silentLog } from "@steward/kernel/log.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foreignMessages } from "../adapters/sql-target-postgres/testing/foreign-messages.js";
import type { Dialect } from "../governance/index.js";
import { fixedAsSaid } from "../hints/testing/mechanical-fixer.js";
import { MUSIC_HELD_OUT, RENTAL_HELD_OUT } from "../hints/testing/held-out.js";
import {
  MUSIC_NESTED,
  MUSIC_NESTED_HELD_OUT,
  RENTAL_NESTED,
  RENTAL_NESTED_HELD_OUT,
} from "../hints/testing/nested.js";
import { MUSIC_POLICIES, MUSIC_SCHEMA, MUSIC_STATEMENTS } from "../hints/testing/music.js";
import {
  RENTAL_POLICIES,
  RENTAL_SCHEMA,
  RENTAL_STATEMENTS,
  rentalGrants,
} from "../hints/testing/rental.js";
import { isSameStatement } from "../hints/testing/statement-edits.js";
import type { WrongStatement } from "../hints/testing/wrong-statement.js";
import { type App, openApp } from "./app.js";

/** How often a statement is edited and run again. */
const ROUNDS_MAX = 3;
/** Some statements are stopped by the time limit; the others take milliseconds. */
const STEP_TIMEOUT_MS = 2000;

const directory = mkdtempSync(join(tmpdir(), "steward-repair-"));
const music = new DatabaseSync(join(directory, "music.db"));
let database: TestDatabase;
let role: string;
let server: Awaited<ReturnType<typeof foreignMessages>>;
let app: App;

beforeAll(async () => {
  music.exec(MUSIC_SCHEMA);
  database = await freshDatabase();
  await database.query(RENTAL_SCHEMA);
  role = `${database.name}_agent`;
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few'; ${rentalGrants(role)}`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, "few"];
  server = await foreignMessages(url.href);
  app = await openApp({
    port: 0,
    log: silentLog,
    stepTimeoutMs: STEP_TIMEOUT_MS,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [
      { name: "music", url: `sqlite:${join(directory, "music.db")}` },
      { name: "rental", url: server.url },
    ],
    tools: {
      strict: true,
      tools: [
        { name: "music.query", dataSource: "music" },
        { name: "rental.query", dataSource: "rental" },
      ],
    },
    embedding: { provider: "hash", dimension: 64 },
    dataDir: directory,
  });
  await as("admin").policies.putPolicies({ text: MUSIC_POLICIES + RENTAL_POLICIES, version: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await database.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  await database[Symbol.asyncDispose]();
  music.close();
  rmSync(directory, { recursive: true });
});

function as(user: string): ReturnType<typeof createClient> {
  return createClient({
    baseUrl: `http://127.0.0.1:${String(app.address.port)}`,
    headers: { "x-user-role": user },
  });
}

/** Runs a statement as a step of an agent. @returns what the agent reads of it. */
async function hintsOf(sql: string, source: "music" | "rental"): Promise<readonly string[]> {
  const { plans } = as("agent");
  try {
    const { plan_id: planId } = await plans.submit({
      name: "a question",
      steps: [{ id: "a", tool_name: `${source}.query`, query_template: sql }],
    });
    const { llm_context_update: update } = await plans.execute(planId, "a");
    return update.augmentation_hints;
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return [error.message, ...error.details.map(({ reason }) => reason)];
  }
}

/** The rows of a read, without the names of columns; of a write its text. */
async function resultOf(sql: string, dialect: Dialect): Promise<string> {
  if (!isRead(sql)) return sql;
  const rows =
    dialect === "sqlite"
      ? (music.prepare(sql).all() as readonly object[])
      : await database.query(sql);
  return rows
    .map((row) => JSON.stringify(Object.values(row)))
    .sort()
    .join("\n");
}

function isRead(sql: string): boolean {
  return /^(?:select|with)\b/i.test(sql);
}

async function isRight(sql: string, right: string, dialect: Dialect): Promise<boolean> {
  if (isSameStatement(sql, right, dialect)) return true;
  try {
    await database.query("SET statement_timeout = 2000");
    return isRead(sql) && (await resultOf(sql, dialect)) === (await resultOf(right, dialect));
  } catch {
    return false;
  }
}

/**
 * Follows the hints until they say nothing more. A hint on a right statement would change it again, so that
 * it would not be mended.
 */
async function mended(
  wrong: string,
  source: "music" | "rental",
  dialect: Dialect,
): Promise<string> {
  let sql = wrong;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const fixed = fixedAsSaid(sql, await hintsOf(sql, source), dialect);
    if (fixed === undefined) break;
    sql = fixed;
  }
  return sql;
}

/** The statements that the hints do not mend, by mistake. */
async function unmended(
  statements: readonly WrongStatement[],
  source: "music" | "rental",
  dialect: Dialect,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { mistake, wrong, right } of statements) {
    const sql = await mended(wrong, source, dialect);
    const isMended = sql !== wrong && (await isRight(sql, right, dialect));
    if (!isMended) left.push(`${mistake}: ${wrong} → ${sql}`);
  }
  return left;
}

/**
 * Statements that may stay unrepaired. Nobody can tell which value was meant in some of them, or which column was meant
 * instead of a forbidden table; on a busy machine a hint may run out of time.
 */
const LEFT_MAX = 8;
/** The score on statements that were written after the rules: two are not repaired. */
const HELD_OUT_LEFT_MAX = 4;

/**
 * The same for statements with nested queries or long text. Before the hints looked into these, 14 of 16 were left, and
 * 7 of the 8 that were held out. The remaining ones have ambiguous columns: the hint is right, but the fixer also writes
 * it into a subquery that has a column of the same name.
 */
const NESTED_LEFT_MAX = 2;
const NESTED_HELD_OUT_LEFT_MAX = 1;

describe("the hints", () => {
  it("lead a fixer that knows nothing else from 100 wrong statements to more than 90 right ones", async () => {
    expect(MUSIC_STATEMENTS.length + RENTAL_STATEMENTS.length).toBe(100);
    const both = [
      unmended(MUSIC_STATEMENTS, "music", "sqlite"),
      unmended(RENTAL_STATEMENTS, "rental", "postgres"),
    ];
    const left = (await Promise.all(both)).flat();
    expect(left.length, left.join("\n")).toBeLessThanOrEqual(LEFT_MAX);
  }, 90_000);

  it("lead it from most of 20 statements that were written after the rules", async () => {
    const both = [
      unmended(MUSIC_HELD_OUT, "music", "sqlite"),
      unmended(RENTAL_HELD_OUT, "rental", "postgres"),
    ];
    const left = (await Promise.all(both)).flat();
    expect(left.length, left.join("\n")).toBeLessThanOrEqual(HELD_OUT_LEFT_MAX);
  }, 60_000);

  it.each([
    [
      "16 statements with nested queries or long text",
      MUSIC_NESTED,
      RENTAL_NESTED,
      NESTED_LEFT_MAX,
    ],
    [
      "eight of them that were held out",
      MUSIC_NESTED_HELD_OUT,
      RENTAL_NESTED_HELD_OUT,
      NESTED_HELD_OUT_LEFT_MAX,
    ],
  ])(
    "lead it from %s",
    async (_what, ofMusic, ofRental, leftMax) => {
      const both = [unmended(ofMusic, "music", "sqlite"), unmended(ofRental, "rental", "postgres")];
      const left = (await Promise.all(both)).flat();
      expect(left.length, left.join("\n")).toBeLessThanOrEqual(leftMax);
    },
    60_000,
  );
});
