import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import type { RecordedCaller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { toolCallRecord } from "../../../kernel/testing/tool-call-record.js";
import type { ToolCallRecord } from "../../../kernel/tool-call.js";
import type { PlanEngine, PreparedStep } from "../../../plans/index.js";
import { forkedSteps, forkOrigin } from "../../../plans/fork.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { StepOutcome } from "../../../plans/transitions.js";
import { openSqliteStore } from "../../sqlite/store.js";
import { openTestStore } from "../testing/open-store.js";
import { storeDatabase } from "../testing/store-database.js";

/** Queries that an operator might run with `sqlite3` or `psql`, without times, which differ. */
const LOOKS = [
  "SELECT plan_id, session_id, status, cancel_reason, failure FROM plans ORDER BY plan_id",
  "SELECT plan_id, sequence, event_type, payload FROM plan_events ORDER BY plan_id, sequence",
  `SELECT plan_id, step_index, step_id, revision, status, attempt, owner, wait_reason, row_count, error, output,
     schema_additions, augmentation_hints, output_metadata FROM plan_steps ORDER BY plan_id, step_index`,
  `SELECT event_id, org_id, session_id, plan_id, step_id, attempt, tool_name, intent, intent_source,
     orm_model, status, row_count, error, query, output, duration_ms, data_source, caller, touched
   FROM tool_calls ORDER BY event_id`,
];

const AGENT: RecordedCaller = {
  ...{ kind: "agent", authenticatedBy: "jwt", userId: "ann", agentId: "a1" },
  ...{ roles: ["agent"], permissions: [] },
};
const ORDERS = {
  tables: [{ name: "orders", accesses: { read: ["id"] } }],
  functions: ["public.total_of"],
};

it("tell an operator the same in the same words on both engines", async () => {
  const directory = mkdtempSync(join(tmpdir(), "steward-views-"));
  const path = join(directory, "store.db");
  await using database = await storeDatabase();
  const ref = { orgId: randomUUID(), planId: randomUUID() };
  const calls = ["a", "b", "b", "d"].map((stepId, index) =>
    toolCallRecord({
      ...{ ...ref, stepId, output: '[{"n":1}]'.slice(0, stepId === "a" ? 9 : 4) },
      ...(stepId === "a" ? {} : { caller: AGENT, dataSource: "shop", touched: ORDERS }),
      ...(index < 2 ? {} : { attempt: 2, query: `SELECT ${String(index)}`, toolName: "other" }),
    }),
  );
  {
    await using sqlite = openSqliteStore(path, systemClock, silentTelemetry);
    await using postgres = await openTestStore(database.url);
    const fork = { orgId: ref.orgId, planId: randomUUID() };
    for (const { plans } of [sqlite, postgres]) {
      await run(plans, ref, calls);
      await forkOf(plans, ref, fork);
    }
  }
  const db = new DatabaseSync(path);
  const taken = `SELECT output FROM plan_steps WHERE step_id = 'a'`;
  expect(db.prepare(taken).all()).toEqual([{ output: '[{"n":1}]' }, { output: '[{"n":1}]' }]);
  for (const sql of LOOKS) {
    const expected = db.prepare(sql).all() as Record<string, unknown>[];
    expect(expected.length).toBeGreaterThan(0);
    const found = (await database.query(sql)) as Record<string, unknown>[];
    expect(found.map(plain)).toEqual(expected.map(plain));
  }
  db.close();
  rmSync(directory, { recursive: true });
});

/** A plan with a retried step, a failing step and a skipped step. */
async function run(
  plans: PlanEngine,
  ref: PlanRef,
  [ofA, ofB, ofMended, ofD]: readonly ToolCallRecord[],
): Promise<void> {
  const createdAtMs = systemClock.nowMs();
  const deadlineMs = createdAtMs + 86_400_000;
  const steps = ["a", "b", "c"].map(step);
  const texts = { sessionId: "s", name: "plan", description: "" };
  await plans.createPlan({ ref, ...texts, steps, createdAtMs, deadlineMs });
  const attempt = async (stepId: string, outcome: StepOutcome, call?: ToolCallRecord) => {
    const claim = await plans.claimStep({ ...ref, stepId }, "owner");
    const claimed = { ...ref, stepId, attempt: claim.kind === "claimed" ? claim.attempt : 0 };
    await plans.finishStep(claimed, outcome, call);
  };
  const error = { code: "STEP_FAILED", message: "it's locked" } as const;
  const context = {
    toolOutputJson: '[{"n":1}]',
    outputMetadata: { types: [{ name: "n", storage: "i" }] },
    schemaAdditions: [],
    augmentationHints: ["look again"],
  };
  await attempt("a", { kind: "retried", error, durationMs: 1.5 });
  await attempt("a", { kind: "completed", rowCount: 1, durationMs: 2.5, context }, ofA);
  await attempt("b", { kind: "failed", error, durationMs: 3.5, context }, ofB);
  const mended = { ...step("b", 1), queryTemplate: "SELECT 'mended'" };
  const change = { kind: "revise", step: mended } as const;
  await plans.revisePlan(ref, { change, expectedRevision: 1, deadlineMs });
  const appended = { kind: "append", steps: [{ ...step("d", 3), toolName: "other" }] } as const;
  await plans.revisePlan(ref, { change: appended, expectedRevision: 2, deadlineMs });
  await attempt("b", { kind: "completed", rowCount: 1, durationMs: 2.5, context }, ofMended);
  await attempt("d", { kind: "failed", error, durationMs: 3.5, context }, ofD);
}

/** A fork of a plan, which takes over what is completed. */
async function forkOf(plans: PlanEngine, source: PlanRef, ref: PlanRef): Promise<void> {
  const loaded = await plans.loadPlan(source);
  const createdAtMs = systemClock.nowMs();
  await plans.createPlan({
    ...{ ref, sessionId: "s", name: "fork", description: "" },
    ...{ steps: forkedSteps(loaded.prepared), fork: forkOrigin(loaded, undefined) },
    ...{ createdAtMs, deadlineMs: createdAtMs + 86_400_000 },
  });
}

function step(id: string, index: number): PreparedStep {
  return {
    id,
    index,
    name: id,
    toolName: "sql",
    intent: "write_insert",
    intentSource: "explicit",
    statementClass: "write_insert",
    dataSource: "default",
    queryTemplate: `SELECT '${id}'`,
    dependsOn: [],
    schemaTableHints: [],
    statement: { sql: `SELECT '${id}'`, binds: [] },
  };
}

/** A row for comparison: JSON is parsed, and times, which differ, are left out. */
function plain(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" && /^[[{]/.test(value) ? tryParse(value) : value,
    ]),
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
