import { readdirSync, readFileSync } from "node:fs";
import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TreeNode } from "../../adapters/sql-analyzer/postgres-grammar.js";
import { PostgresSyntax } from "../../adapters/sql-analyzer/postgres-syntax.js";
import { COORDINATOR_TABLES, DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./distribution/tables.js";
import {
  brokenRules,
  locksRows,
  statementsOf,
  type RuleContext,
} from "./testing/statement-rules.js";
import { ENTRY_COLUMNS } from "./memory/memory-rows.js";
import { useEveryStatement } from "./testing/use-every-statement.js";

/** Allowed statements over all organizations, by their first words, with the reason. */
const SWEEPS: readonly (readonly [beginning: string, reason: string])[] = [
  ["SELECT l.node_id, l.lease_until_ms", "steps whose node is gone, every two seconds"],
  ["SELECT org_id, plan_id FROM plans WHERE finished_at_ms IS NULL", "late plans, with the former"],
  ["SELECT a.org_id, a.plan_id FROM approvals AS a", "approvals past their time, with the former"],
  ["SELECT org_id, plan_id FROM plans WHERE is_requested", "plans to release, every second"],
  ["SELECT p.org_id, p.plan_id FROM plans AS p WHERE NOT p.is_settled", "tool calls of gone nodes"],
  [
    "SELECT count(*) FROM ( SELECT 1 FROM plans AS p JOIN plan_changes",
    "waiting calls of everybody",
  ],
  ["SELECT count(*) AS count FROM ( SELECT 1 FROM", "what waits, when an operator asks"],
  ["SELECT node_id, count(*) AS steps FROM ( SELECT node_id FROM step_leases", "with the former"],
  ["DELETE FROM usage_reservations WHERE node_id", "what a gone node has reserved"],
  ["SELECT org_id, coalesce(sum(action_count)", "the operator's report over organizations"],
  ["SELECT org_id FROM state_stores", "organizations with garbage, once an hour"],
  ['SELECT org_id AS "orgId", last_sequence', "what changed in memory, for other nodes' indexes"],
  ["DELETE FROM memory_deletions", "old marks of deleted entries, once an hour"],
  [
    "SELECT org_id, erasure_id, scope, subject, subject_digest, requested_by, requested_at_ms, finished_at_ms, plan_count, entry_count, usage_count FROM erasures WHERE finished_at_ms",
    "erasures that have not ended, every second",
  ],
  ["SELECT org_id FROM plans WHERE $1::uuid IS NULL", "organizations with expired rows, in turn"],
  ["SELECT org_id FROM plan_removals WHERE $1::uuid IS NULL", "with the former"],
  ["SELECT org_id FROM usage_events WHERE $1::uuid IS NULL", "with the former"],
  ["SELECT org_id FROM memory_entries WHERE $1::uuid IS NULL", "with the former"],
  [
    "SELECT org_id, entry_id, created_at_ms, CASE WHEN sha256",
    "an index that loads holds everybody's entries",
  ],
  ["SELECT 1 FROM memory_entries LIMIT 1", "whether an index has entries to load"],
  [`SELECT ${plain(ENTRY_COLUMNS)} FROM memory_entry_vectors`, "a search over organizations"],
  ["SELECT entry_id, embedding FROM memory_entry_vectors", "a search over organizations"],
  ["SELECT e.entry_id FROM memory_entries", "a search over organizations"],
  ["SELECT FROM memory_entry_vectors WHERE model_id", "another model is refused beside vectors"],
  ["SELECT (SELECT count(*) FROM memory_entry_vectors", "progress of another model's vectors"],
  [
    `SELECT ${plain(ENTRY_COLUMNS)} FROM memory_entries AS e WHERE (e.org_id`,
    "another model's vectors",
  ],
  ["SELECT org_id, entry_id, model_id FROM memory_entry_vectors", "another model's vectors"],
  [
    "SELECT b.org_id, b.batch_index, b.records, b.personal_values FROM audit_blocks AS b WHERE b.batch_index <",
    "an export of the audit log has everybody's records",
  ],
];

// Every statement of the store is run once on PostgreSQL, and its syntax tree is checked for
// constructs that a Citus cluster refuses or executes slowly. A statement in the source that was
// not run also fails the test.
describe("the statements of the store", () => {
  let database: TestDatabase;
  let syntax: PostgresSyntax;
  let context: RuleContext;
  const texts = new Set<string>();
  beforeAll(async () => {
    syntax = await PostgresSyntax.load();
    database = await freshDatabase();
    await useEveryStatement(database.url, (text) => {
      if (/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)) texts.add(text);
    });
    const functions = await database.query(
      `SELECT DISTINCT proname AS name, provolatile AS kind FROM pg_proc
       WHERE provolatile <> 'i' AND prokind <> 'a'`,
    );
    const volatile = functions.filter((row) => row["kind"] === "v");
    context = {
      distributed: new Set(DISTRIBUTED_TABLES),
      replicated: new Set(REFERENCE_TABLES),
      local: new Set(COORDINATOR_TABLES),
      mutable: new Set(functions.map((row) => String(row["name"]))),
      volatile: new Set(volatile.map((row) => String(row["name"]))),
      isInFunction: false,
    };
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("are all run by this test", () => {
    const run = [...texts].map(plain);
    const left = sourceTexts().filter((text) => !run.some((each) => text.test(each)));
    expect(left).toEqual([]);
  });

  it("name one organization by a parameter, or are sweeps with a reason", () => {
    const broken = [...texts].flatMap((text) => {
      const rules = parsed(text).flatMap((statement) => brokenRules(statement, context));
      const left = isSweep(text) ? rules.filter((rule) => !rule.startsWith("all shards")) : rules;
      return left.length === 0 ? [] : [{ text: plain(text), left }];
    });
    expect(broken).toEqual([]);
  });

  it("lock rows of one organization at a time", () => {
    const locking = [...texts].filter((text) => parsed(text).some(locksRows));
    const unbound = locking.filter((text) =>
      parsed(text).some((statement) => brokenRules(statement, context).length > 0),
    );
    expect(locking.length).toBeGreaterThan(5);
    expect(unbound).toEqual([]);
  });

  it("keep to the same rules within functions", async () => {
    const functions = await database.query(
      `SELECT proname AS name, lanname AS language, pronargs AS arguments, prosrc AS body
       FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
       WHERE pronamespace = 'public'::regnamespace ORDER BY proname`,
    );
    const bodies = functions.flatMap(({ body }) => statementsOf(String(body)));
    expect(bodies.length).toBeGreaterThan(15);
    const broken = functions.flatMap(({ name, language, arguments: count, body }) => {
      const statements = language === "sql" ? [String(body)] : statementsOf(String(body));
      const trees = statements.flatMap(parsed);
      const rules = trees.flatMap((tree) => brokenRules(tree, { ...context, isInFunction: true }));
      const tables = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...COORDINATOR_TABLES];
      const touches = tables.some((table) => new RegExp(`\\b${table}\\b`).test(String(body)));
      const isSql = language === "sql" && Number(count) > 0 && touches;
      return [...rules, ...(isSql ? ["LANGUAGE sql with parameters"] : [])].map(
        (rule) => `${String(name)}: ${rule}`,
      );
    });
    expect(functions.length).toBeGreaterThan(5);
    expect(broken).toEqual([]);
  });

  it("name every table as distributed, as replicated, or as the coordinator's", async () => {
    const tables = await database.query(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    );
    const known = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...COORDINATOR_TABLES].sort();
    expect(tables.map((row) => String(row["name"])).sort()).toEqual(known);
  });

  it.each([
    [
      "SELECT count(*) FROM (SELECT FROM plans WHERE org_id = $1) AS p",
      "a subquery without columns in FROM",
    ],
    [
      "SELECT FROM plans AS p JOIN plan_changes AS c USING (org_id) WHERE p.org_id = $1",
      "all shards: plan_changes",
    ],
    [
      "UPDATE plans SET status = CASE WHEN $2 THEN now() END WHERE org_id = $1",
      "now() inside of CaseExpr",
    ],
    ["DELETE FROM plans WHERE plan_id = $1", "all shards: plans"],
    [
      "INSERT INTO plans (org_id) SELECT org_id FROM unnest($1::uuid[]) AS u (org_id)",
      "all shards: plans",
    ],
    ["SELECT pg_current_snapshot()", "transaction ids: pg_current_snapshot()"],
    ["WITH n AS (SELECT pg_notify($1, $2)) SELECT FROM n", "pg_notify() that is not at the top"],
    [
      "DELETE FROM memory_models WHERE NOT EXISTS (SELECT FROM plans WHERE org_id = $1)",
      "a change of memory_models names plans",
    ],
    ["UPDATE plans SET session_id = random()::text WHERE org_id = $1", "random() in a change"],
    [
      `INSERT INTO plans AS p (org_id) VALUES ($1) ON CONFLICT (org_id, plan_id) DO UPDATE
         SET status = excluded.status WHERE p.deadline_ms < steward_now_ms()`,
      "steward_now_ms() in DO UPDATE",
    ],
    [
      `UPDATE memory_models AS m SET is_active = true FROM (
         SELECT model_id FROM memory_models LIMIT 1) AS f WHERE f.model_id = m.model_id`,
      "each copy of memory_models picks its own rows",
    ],
    [
      "SELECT FROM plans AS p JOIN nodes AS n ON n.node_id = p.owner_node WHERE p.org_id = $1",
      "joined with distributed tables: nodes",
    ],
  ])("would be found to break a rule: %s", (text, rule) => {
    expect(parsed(text).flatMap((statement) => brokenRules(statement, context))).toEqual([rule]);
  });

  it("would find a change in a function that is joined with arrays", () => {
    const text = `UPDATE plans SET status = u.status FROM unnest(p_plan, p_status) AS u (plan, status)
      WHERE org_id = p_org AND plan_id = u.plan`;
    const inFunction = { ...context, isInFunction: true };
    expect(parsed(text).flatMap((statement) => brokenRules(statement, inFunction))).toEqual([
      "a change of plans joined with unnest()",
    ]);
  });

  function parsed(text: string): readonly TreeNode[] {
    const result = syntax.parse(text);
    if (result.kind !== "parsed") throw new Error(`${result.kind}: ${text}`);
    return result.statements;
  }
});

/** A statement that starts like a sweep may be restricted to one organization. */
function isSweep(text: string): boolean {
  if (/[a-z]\.org_id = \$\d/.test(text)) return false;
  return SWEEPS.some(([beginning]) => plain(text).startsWith(beginning));
}

/** The beginning of each statement in the source that PostgreSQL gets, with anything in the place of its parts. */
function sourceTexts(): readonly RegExp[] {
  const directory = new URL("../../../src/storage/", import.meta.url);
  const files = readdirSync(directory, { encoding: "utf8", recursive: true }).filter(
    (name) =>
      /^(postgres|cold)\/.*\.ts$/.test(name) &&
      !name.endsWith(".test.ts") &&
      !/^postgres\/(distribution|schema|testing)\//.test(name) &&
      // Copying a store runs these before its tables are distributed.
      name !== "postgres/import.ts",
  );
  const literal =
    /(?<!(?:sqlite: |onSqlite\()sql)[`"]((?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH) (?:[^`"$]|\$\d|\$\{[^{}`]*\})*)/g;
  return files.flatMap((name) =>
    [...readFileSync(new URL(name, directory), "utf8").matchAll(literal)].map(([, text = ""]) => {
      const constant = plain(text).split(/ ?\$\{[^{}`]*\} ?/);
      return new RegExp(
        constant.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join(".*"),
      );
    }),
  );
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
