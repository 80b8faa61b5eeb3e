import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Caller, recordedCaller } from "@steward/kernel/caller.js";
import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { SqliteAnalyzer } from "../../adapters/sql-analyzer/index.js";
import { readAtOnce } from "../../adapters/sql-analyzer/testing/read-at-once.js";
import { SqliteTarget } from "../../adapters/sql-target-sqlite/index.js";
import { buildToolRegistry } from "../../adapters/tool-registry.js";
import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { systemClock } from "@steward/kernel/clock.js";
import { DisposalStack } from "../../kernel/disposal.js";
import { AppError } from "@steward/kernel/errors.js";
import { systemIds } from "@steward/kernel/ids.js";
import { type Log, silentLog } from "@steward/kernel/log.js";
import { silentTelemetry, type Telemetry } from "../../kernel/telemetry.js";
import type { ToolCallRecord } from "../../kernel/tool-call.js";
import { openSqliteStore, type SqliteStore } from "../../storage/sqlite/store.js";
import { DurableOrchestrator } from "./durable-orchestrator.js";
import type { PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import { StatementError } from "../ports.js";
import type { PlanDefinition, PlanRecord, StepChanges, StepDefinition } from "../plan.js";

/** A statement that never ends. */
const RUNAWAY =
  "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c";

const ORG = "11111111-1111-4111-8111-111111111111";
const ids = systemIds(systemClock);

/** Parts of a process that a test replaces. */
interface Given {
  readonly Target?: typeof SqliteTarget;
  readonly log?: Log;
  readonly telemetry?: Telemetry;
  /** Called when the submitter of a plan is read from the store. */
  readonly onSubmitterRead?: () => void;
}

/** A database that rolls its first statement back, as it does with the loser of a deadlock. */
class RollsBackOnce extends SqliteTarget {
  #isFirst = true;

  override run(...given: Parameters<SqliteTarget["run"]>): ReturnType<SqliteTarget["run"]> {
    if (!this.#isFirst) return super.run(...given);
    this.#isFirst = false;
    return Promise.reject(new StatementError("rolled_back", "could not serialize access of Ada"));
  }
}

/** All components of one process: the store, the data source, the orchestrator. */
class Process extends DisposalStack {
  readonly store: SqliteStore;
  readonly target: SqliteTarget;
  readonly orchestrator: DurableOrchestrator;
  /** Whether the policies forbid every statement. */
  isForbidden = false;

  constructor(dir: string, stepTimeoutMs = 10_000, given: Given = {}) {
    super();
    const { Target = SqliteTarget, log = silentLog, telemetry = silentTelemetry } = given;
    this.store = this.use(openSqliteStore(join(dir, "store.db"), systemClock, silentTelemetry));
    this.target = this.use(
      new Target({
        name: "default",
        path: join(dir, "target.db"),
        analyzer: new SqliteAnalyzer(),
        log: silentLog,
      }),
    );
    this.orchestrator = this.use(
      new DurableOrchestrator({
        engine: readingSubmitters(this.store.plans, given.onSubmitterRead),
        approvals: this.store.approvals,
        tools: buildToolRegistry({ strict: false, tools: [] }, new Map([["default", this.target]])),
        access: new DataSourceAccess([{ name: "default" }]),
        schemas: { before: () => Promise.resolve(), after: () => Promise.resolve() },
        analyzer: new SqliteAnalyzer(),
        reader: readAtOnce(new SqliteAnalyzer()),
        policy: {
          permitOutput: () => Promise.resolve(undefined),
          looksAtData: () => Promise.resolve(false),
          permit: () =>
            this.isForbidden
              ? Promise.reject(new AppError("POLICY_DENIED", "no more"))
              : Promise.resolve({}),
          permits: () => Promise.resolve(!this.isForbidden),
          decide: () => Promise.resolve({ verdict: "permit", policies: [] }),
          versionFor: () => Promise.resolve(""),
        },
        readPolicy: {
          permitOutput: () => Promise.resolve(undefined),
          looksAtData: () => Promise.resolve(false),
        },
        mayReadAll: () => Promise.resolve(true),
        mayDo: () => Promise.resolve(true),
        isRevoked: () => Promise.resolve(false),
        pricing: {
          quote: (_caller, calls) => Promise.resolve(calls.map(() => ({ aau: 1 }))),
          exceededBudgets: () => Promise.resolve([]),
        },
        gate: { admit: () => Promise.resolve([]), release: () => undefined },
        clock: systemClock,
        ids,
        log,
        telemetry,
        stepTimeoutMs,
        stepWaitMs: 5_000,
        planDeadlineMs: 60_000,
        approvalValidMs: 60_000,
      }),
    );
  }

  submit(steps: readonly StepDefinition[]): Promise<PlanRecord> {
    return this.orchestrator.createPlan("session", plan(steps), ctx());
  }

  async toolCalls(): Promise<readonly ToolCallRecord[]> {
    return (await this.store.memory.toolCalls.take(1000)).calls;
  }
}

/** The same engine, which tells when it reads who submitted a plan. */
function readingSubmitters(engine: PlanEngine, onRead: (() => void) | undefined): PlanEngine {
  return new Proxy(engine, {
    get(target, name) {
      if (name === "submitterOf") onRead?.();
      const member: unknown = Reflect.get(target, name, target);
      // A method with private members needs the engine itself.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steward-plans-"));
  const db = new DatabaseSync(join(dir, "target.db"));
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace')`);
  db.close();
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

describe("a durable orchestrator", () => {
  it("reads nowhere who submitted a plan that it has just created", async () => {
    let reads = 0;
    await using process = new Process(dir, 10_000, { onSubmitterRead: () => (reads += 1) });
    const { planId } = await process.submit([step("find", "SELECT id FROM users")]);
    await process.orchestrator.executeStep(planId, "find", ctx());
    expect(reads).toBe(0);
  });

  it("runs dependent steps and hands each result on to the next and to the LLM", async () => {
    await using process = new Process(dir);
    const { planId, status } = await process.submit([
      step("find", "SELECT id FROM users WHERE name = 'Grace'"),
      step(
        "greet",
        "SELECT 'Hello ' || name AS text FROM users WHERE id = {{step.find.output[0].id}}",
        ["find"],
      ),
    ]);
    expect(status).toBe("pending");
    await process.orchestrator.executeStep(planId, "find", ctx());
    const greeted = await process.orchestrator.executeStep(planId, "greet", ctx());
    expect(greeted).toMatchObject({
      replayed: false,
      stepResult: { stepId: "greet", status: "completed", rowCount: 1, attempt: 1 },
      llmContextUpdate: {
        planId,
        stepId: "greet",
        toolOutputJson: '[{"text":"Hello Grace"}]',
        schemaAdditions: [],
        augmentationHints: [],
      },
    });
    expect(await process.orchestrator.getPlan(planId, ctx())).toMatchObject({
      status: "completed",
      steps: [{ status: "completed" }, { status: "completed" }],
    });
  });

  it("lets a failed step wait for its revision, checks it as a submission is, and runs it anew", async () => {
    await using process = new Process(dir);
    const { orchestrator } = process;
    const steps = [
      step("find", "SELECT id FROM users WHERE nme = 'Grace'"),
      step("greet", "SELECT name FROM users WHERE id = {{step.find.output[0].id}}", ["find"]),
    ];
    const paused: PlanDefinition = { ...plan(steps), onFailure: "pause" };
    const { planId } = await orchestrator.createPlan("session", paused, ctx());
    const failed = await orchestrator.executeStep(planId, "find", ctx());
    expect(failed.stepResult.status).toBe("failed");
    expect(await orchestrator.getPlan(planId, ctx())).toMatchObject({
      status: "running",
      steps: [{ status: "failed", waitReason: "awaiting_revision" }, { status: "pending" }],
    });
    const revise = (stepId: string, changes: StepChanges, over = {}) =>
      orchestrator.reviseStep(planId, stepId, { changes }, ctx(over));
    for (const [changes, code] of [
      [{ queryTemplate: "SELECT 1; SELECT 2" }, "INVALID_PLAN"],
      [{ queryTemplate: "SELECT {{step.greet.output[0].name}}" }, "BAD_PLACEHOLDER"],
      [{ dependsOn: ["greet"] }, "PLAN_CYCLE"],
      [{ intent: "read_select", queryTemplate: "DELETE FROM users" }, "INVALID_PLAN"],
    ] as const) {
      await expect(revise("find", changes)).rejects.toMatchObject({ code });
    }
    await expect(revise("nobody", {})).rejects.toMatchObject({ code: "STEP_NOT_FOUND" });
    const mended = { queryTemplate: "SELECT id FROM users WHERE name = 'Grace'" };
    const key = { idempotencyKey: "k" };
    expect(await revise("find", mended, key)).toMatchObject({ status: "running", revision: 2 });
    expect(await revise("find", mended, key)).toMatchObject({ revision: 2 });
    await expect(revise("find", {}, key)).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
    const found = await orchestrator.executeStep(planId, "find", ctx());
    expect(found).toMatchObject({
      replayed: false,
      stepResult: { status: "completed", attempt: 2 },
    });
    expect(await revise("find", mended)).toMatchObject({ status: "running", revision: 2 });
    const other = { queryTemplate: "SELECT 1" };
    await expect(revise("find", other)).rejects.toMatchObject({ code: "STEP_NOT_REVISABLE" });
    const greeted = await orchestrator.executeStep(planId, "greet", ctx());
    expect(greeted.llmContextUpdate.toolOutputJson).toBe('[{"name":"Grace"}]');
    expect((await process.toolCalls()).map(({ query }) => query)).toEqual([
      ...["SELECT id FROM users WHERE nme = 'Grace'", mended.queryTemplate],
      "SELECT name FROM users WHERE id = {{step.find.output[0].id}}",
    ]);
  });

  it("runs a plan that failed fast on when its step is revised, with the steps that were skipped", async () => {
    await using process = new Process(dir);
    const { orchestrator } = process;
    const { planId } = await process.submit([
      ...[step("a", "SELECT 1 AS n"), step("b", "SELECT nme FROM users", ["a"])],
      step("c", "SELECT {{step.b.output[0].name}} AS name", ["b"]),
    ]);
    for (const id of ["a", "b"]) await orchestrator.executeStep(planId, id, ctx());
    expect(await orchestrator.getPlan(planId, ctx())).toMatchObject({
      status: "failed",
      steps: [{ status: "completed" }, { status: "failed" }, { status: "skipped" }],
    });
    const changes = { queryTemplate: "SELECT name FROM users ORDER BY id" };
    await orchestrator.reviseStep(planId, "b", { changes, expectedRevision: 1 }, ctx());
    for (const id of ["b", "c"]) await orchestrator.executeStep(planId, id, ctx());
    expect(await orchestrator.getPlan(planId, ctx())).toMatchObject({
      status: "completed",
      steps: [{ attempt: 1 }, { attempt: 2 }, { attempt: 1 }],
    });
  });

  it("appends steps that build on what there is, unless the plan has changed or is over", async () => {
    await using process = new Process(dir);
    const { orchestrator } = process;
    const { planId } = await process.submit([
      ...[step("a", "SELECT 1 AS n"), step("b", "SELECT 2 AS n")],
    ]);
    await orchestrator.executeStep(planId, "a", ctx());
    const append = (steps: readonly StepDefinition[], expectedRevision?: number) =>
      orchestrator.appendSteps(planId, { steps, expectedRevision }, ctx());
    await expect(append([step("a", "SELECT 1")])).rejects.toMatchObject({
      code: "INVALID_PLAN",
      details: [{ field: "steps[0].id" }],
    });
    await expect(append([])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const next = step("next", "SELECT {{step.a.output[0].n}} + 1 AS n", ["a"]);
    expect(await append([next], 1)).toMatchObject({ revision: 2 });
    await expect(append([step("late", "SELECT 1")], 1)).rejects.toMatchObject({
      code: "REVISION_CONFLICT",
      message: expect.stringContaining("expected_revision 2") as string,
    });
    const { llmContextUpdate } = await orchestrator.executeStep(planId, "next", ctx());
    expect(llmContextUpdate.toolOutputJson).toBe('[{"n":2}]');
    await orchestrator.executeStep(planId, "b", ctx());
    await expect(append([step("more", "SELECT 1")])).rejects.toMatchObject({
      code: "PLAN_NOT_ACTIVE",
    });
  });

  it("refuses to revise a step that runs, and says to wait or to cancel", async () => {
    await using process = new Process(dir);
    const { orchestrator } = process;
    const { planId } = await process.submit([step("long", RUNAWAY)]);
    const running = orchestrator.executeStep(planId, "long", ctx()).catch(() => undefined);
    const statusOf = async () => (await orchestrator.getPlan(planId, ctx()))?.steps[0]?.status;
    await expect.poll(statusOf).toBe("running");
    const revision = { changes: { queryTemplate: "SELECT 1" } };
    await expect(orchestrator.reviseStep(planId, "long", revision, ctx())).rejects.toMatchObject({
      code: "STEP_NOT_REVISABLE",
      message: "Step long is running: wait until it has ended, or cancel the plan",
    });
    await orchestrator.cancelPlan(planId, ctx());
    await running;
  });

  it("refuses a step whose dependencies are not completed, and an unknown one", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([step("a", "SELECT 1"), step("b", "SELECT 2", ["a"])]);
    const execute = (stepId: string, over = {}): Promise<unknown> =>
      process.orchestrator.executeStep(planId, stepId, ctx(over));
    await expect(execute("b")).rejects.toMatchObject({ code: "STEP_DEPENDENCIES_NOT_MET" });
    await expect(execute("z")).rejects.toMatchObject({ code: "STEP_NOT_FOUND" });
    const elsewhere = { orgId: "22222222-2222-4222-8222-222222222222" };
    await expect(execute("a", elsewhere)).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
    expect(await process.orchestrator.getPlan(planId, ctx(elsewhere))).toBeUndefined();
  });

  it("runs a step once however many ask for it at once", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([
      step("w", "INSERT INTO users (name) VALUES ('Edith') RETURNING id", [], "write_insert"),
    ]);
    const results = await Promise.all(
      Array.from({ length: 25 }, () => process.orchestrator.executeStep(planId, "w", ctx())),
    );
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(await process.toolCalls()).toHaveLength(1);
    expect(names()).toEqual(["Ada", "Grace", "Edith"]);
  });

  it("records who had a step run and on which data source", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([step("a", "SELECT 1"), step("b", "SELECT 2")]);
    const agent: Caller = {
      ...{ ...NOBODY, kind: "agent", agentId: "a1", userId: "ann" },
      ...{ orgId: ORG, roles: ["agent"] },
    };
    await process.orchestrator.executeStep(planId, "a", ctx(agent));
    await process.orchestrator.executeStep(planId, "b", ctx());
    const [first, second] = await process.toolCalls();
    expect(first).toMatchObject({ caller: recordedCaller(agent), dataSource: "default" });
    expect(second?.caller).toEqual(recordedCaller(NOBODY));
  });

  it("answers a finished step from the store: same result, no event, no tool call", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([
      step("a", "SELECT name FROM users"),
      step("b", "SELECT 1"),
    ]);
    const first = await process.orchestrator.executeStep(planId, "a", ctx());
    const events = await process.orchestrator.readEvents(planId, 0, 100, ctx());
    const again = await process.orchestrator.executeStep(planId, "a", ctx());
    expect(again).toEqual({ ...first, replayed: true });
    expect(await process.orchestrator.readEvents(planId, 0, 100, ctx())).toEqual(events);
    expect(await process.toolCalls()).toHaveLength(1);
  });

  it("lets a caller go without stopping what was started", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([step("slow", countTo(3_000_000))]);
    const caller = new AbortController();
    const waiting = process.orchestrator.executeStep(
      planId,
      "slow",
      ctx({ signal: caller.signal }),
    );
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    const result = await process.orchestrator.executeStep(planId, "slow", ctx());
    expect(result.stepResult.status).toBe("completed");
    expect(await process.toolCalls()).toHaveLength(1);
  });

  it("stops a runaway step at its time limit and fails the plan with it", async () => {
    await using process = new Process(dir, 300);
    const { planId } = await process.submit([
      step("run", RUNAWAY),
      step("after", "SELECT 1", ["run"]),
    ]);
    const result = await process.orchestrator.executeStep(planId, "run", ctx());
    expect(result.stepResult).toMatchObject({ status: "failed", error: { code: "STEP_TIMEOUT" } });
    expect(result.stepResult.error?.message).toMatch(
      /took over 300 ms\. The limit of 300 ms is the server's: .*SERVICE_STEP_TIMEOUT_MS$/,
    );
    const record = await process.orchestrator.getPlan(planId, ctx());
    expect(record?.status).toBe("failed");
    expect(record?.steps.map((s) => s.status)).toEqual(["failed", "skipped"]);
  });

  it("interrupts the running statement when its plan is cancelled, and says so", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([step("run", RUNAWAY), step("other", "SELECT 1")]);
    const running = process.orchestrator.executeStep(planId, "run", ctx());
    await untilRunning(process, planId);
    await process.orchestrator.cancelPlan(planId, ctx(), "enough");
    expect((await running).stepResult.status).toBe("cancelled");
    const record = await process.orchestrator.getPlan(planId, ctx());
    expect(record?.status).toBe("cancelled");
    expect(record?.steps.map((s) => s.status)).toEqual(["cancelled", "skipped"]);
    await process.orchestrator.cancelPlan(planId, ctx());
    expect(types(await process.orchestrator.readEvents(planId, 2, 100, ctx()))).toEqual([
      "PlanStepStarted",
      "PlanCancelRequested",
      "PlanStepCancelled",
      "PlanStepSkipped",
      "PlanCancelled",
    ]);
  });

  it("rolls an interrupted write back", async () => {
    await using process = new Process(dir);
    const insertForever = `INSERT INTO users (name) ${RUNAWAY.replace("SELECT sum(x)", "SELECT x")}`;
    const { planId } = await process.submit([step("w", insertForever, [], "write_insert")]);
    const running = process.orchestrator.executeStep(planId, "w", ctx());
    // The statement has written more than the cache of its connection holds.
    const wal = join(dir, "target.db-wal");
    const size = () => statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
    await expect.poll(size).toBeGreaterThan(1_000_000);
    await process.orchestrator.cancelPlan(planId, ctx());
    expect((await running).stepResult.status).toBe("cancelled");
    expect(names()).toEqual(["Ada", "Grace"]);
  });

  it("keeps a failed step's reason and hints, and runs the plan on after a retry", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([
      step("a", "SELECT 1 AS one"),
      step("b", "SELECT total FROM orders", ["a"]),
    ]);
    await process.orchestrator.executeStep(planId, "a", ctx());
    const failed = await process.orchestrator.executeStep(planId, "b", ctx());
    expect(failed.stepResult).toMatchObject({ status: "failed", error: { code: "STEP_FAILED" } });
    expect(failed.stepResult.error?.message).toContain("orders");
    expect(failed.llmContextUpdate.augmentationHints.length).toBeGreaterThan(0);
    expect(await process.orchestrator.executeStep(planId, "b", ctx())).toEqual({
      ...failed,
      replayed: true,
    });
    const db = new DatabaseSync(join(dir, "target.db"));
    db.exec("CREATE TABLE orders (total INTEGER)");
    db.close();
    expect((await process.orchestrator.retryPlan(planId, ctx())).status).toBe("running");
    const second = await process.orchestrator.executeStep(planId, "b", ctx());
    expect(second.stepResult).toMatchObject({ status: "completed", attempt: 2 });
    expect((await process.orchestrator.getPlan(planId, ctx()))?.status).toBe("completed");
  });

  it("fails a step whose placeholder leads nowhere, without calling its tool", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([
      step("none", "SELECT id FROM users WHERE id = 99"),
      step("next", "SELECT {{step.none.output[0].id}} AS id", ["none"]),
    ]);
    await process.orchestrator.executeStep(planId, "none", ctx());
    const result = await process.orchestrator.executeStep(planId, "next", ctx());
    expect(result.stepResult.status).toBe("failed");
    expect(result.stepResult.error?.message).toContain("step.none.output[0]");
    expect(await process.toolCalls()).toHaveLength(1);
  });

  it("tells the LLM of tables that a step made", async () => {
    await using process = new Process(dir);
    const { planId } = await process.submit([
      step("ddl", "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)", [], "admin"),
    ]);
    const { llmContextUpdate } = await process.orchestrator.executeStep(planId, "ddl", ctx());
    expect(llmContextUpdate.schemaAdditions).toMatchObject([
      { tableName: "notes", operation: "NEW" },
    ]);
    expect(llmContextUpdate.augmentationHints[0]).toContain("Table notes now exists");
  });

  it("answers a repeated submit under one idempotency key with the first plan", async () => {
    await using process = new Process(dir);
    const submit = (sql: string): Promise<PlanRecord> =>
      process.orchestrator.createPlan(
        "session",
        plan([step("a", sql)]),
        ctx({ idempotencyKey: "once" }),
      );
    const first = await submit("SELECT 1");
    expect((await submit("SELECT 1")).planId).toBe(first.planId);
    await expect(submit("SELECT 2")).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
  });

  it("gives the first answer to a repeated request, also when the state of now would refuse it", async () => {
    await using process = new Process(dir);
    const { orchestrator } = process;
    const keyed = (key: string) => ctx({ idempotencyKey: key });
    const definition = plan([step("a", "SELECT 1 AS n"), step("b", "SELECT 2 AS n")]);
    const submit = () => orchestrator.createPlan("session", definition, keyed("submit"));
    const { planId } = await submit();
    const run = (stepId: string) => orchestrator.executeStep(planId, stepId, ctx());
    const fork = () => orchestrator.forkPlan(planId, { steps: [] }, keyed("fork"));
    const append = () =>
      orchestrator.appendSteps(planId, { steps: [step("c", "SELECT 3 AS n")] }, keyed("append"));
    const revise = () =>
      orchestrator.reviseStep(
        planId,
        "b",
        { changes: { queryTemplate: "SELECT 4 AS n" } },
        keyed("revise"),
      );
    await run("a");
    const calls = [submit, fork, append, revise];
    const ids = (answers: readonly { readonly planId: string }[]) =>
      answers.map((answer) => answer.planId);
    const first = [await submit(), await fork(), await append(), await revise()];
    await run("b");
    await run("c");
    // The plan is over: it takes no more steps, b is completed, and a fork would have nothing to run.
    process.isForbidden = true;
    const again = await Promise.all(calls.map((call) => call()));
    expect(ids(again)).toEqual(ids(first));
    expect(again.map(({ revision }) => revision)).toEqual([3, 1, 2, 3]);
    const refused = [
      orchestrator.forkPlan(planId, { steps: [] }, keyed("another fork")),
      orchestrator.createPlan("session", definition, keyed("another plan")),
    ].map((each) => expect(each).rejects.toBeInstanceOf(AppError));
    await Promise.all(refused);
    const other = orchestrator.forkPlan(planId, { stepId: "a", steps: [] }, keyed("fork"));
    await expect(other).rejects.toMatchObject({ code: "POLICY_DENIED" });
  });

  it("tells an operator of an attempt that is retried, without what the database says", async () => {
    const warned: object[] = [];
    const counted: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
    const count = (...given: readonly unknown[]) => void counted.push(given);
    const telemetry = { ...silentTelemetry, count };
    await using process = new Process(dir, undefined, { Target: RollsBackOnce, log, telemetry });
    const { planId } = await process.submit([step("a", "SELECT 1 AS n")]);
    const { stepResult } = await process.orchestrator.executeStep(planId, "a", ctx());
    expect(stepResult).toMatchObject({ status: "completed", attempt: 2 });
    expect(warned).toEqual([
      {
        ...{ orgId: ORG, planId, stepId: "a", attempt: 1 },
        ...{ dataSource: "default", reason: "rolled_back" },
        delayMs: expect.any(Number) as number,
      },
    ]);
    const labels = { intent: "read_select", reason: "rolled_back" };
    expect(counted).toContainEqual(["steward_step_retries_total", labels]);
  });

  it("completes a write that took effect before the process died, without running it again", async () => {
    let planId = "";
    {
      await using process = new Process(dir);
      planId = (
        await process.submit([
          step("w", "INSERT INTO users (name) VALUES ('Edith') RETURNING name", [], "write_insert"),
        ])
      ).planId;
      // Leaves the state of a process that died between the write and its record: claimed, run,
      // never finished.
      const ref = { orgId: ORG, planId, stepId: "w" };
      const claim = await process.store.plans.claimStep(ref, "a process that dies");
      if (claim.kind !== "claimed") throw new Error(claim.kind);
      await process.target.run(
        {
          sql: claim.step.statement.sql,
          binds: [],
          intent: claim.step.intent,
          schemaTableHints: [],
          waitMs: 5_000,
          timeoutMs: 5_000,
          attempt: { ...ref, attempt: claim.attempt },
          caller: NOBODY,
        },
        AbortSignal.timeout(5_000),
      );
    }
    await using process = new Process(dir);
    const result = await process.orchestrator.executeStep(planId, "w", ctx());
    expect(result.stepResult).toMatchObject({ status: "completed", attempt: 1, rowCount: 1 });
    expect(result.llmContextUpdate.toolOutputJson).toBe('[{"name":"Edith"}]');
    expect(names()).toEqual(["Ada", "Grace", "Edith"]);
    const [call] = await process.toolCalls();
    // The caller is unknown, because it was known only to the dead process.
    expect(call).toMatchObject({ status: "completed", caller: undefined });
  });

  it("hands a write back that took no effect before the process died", async () => {
    let planId = "";
    {
      await using process = new Process(dir);
      planId = (
        await process.submit([
          step("w", "INSERT INTO users (name) VALUES ('Edith')", [], "write_insert"),
        ])
      ).planId;
      await process.store.plans.claimStep(
        { orgId: ORG, planId, stepId: "w" },
        "a process that dies",
      );
    }
    await using process = new Process(dir);
    const result = await process.orchestrator.executeStep(planId, "w", ctx());
    expect(result.stepResult).toMatchObject({ status: "completed", attempt: 2 });
    expect(names()).toEqual(["Ada", "Grace", "Edith"]);
  });

  it("drains on shutdown: a step that ends soon is waited for, new ones are turned away", async () => {
    const process = new Process(dir);
    const { planId } = await process.submit([
      step("slow", countTo(2_000_000)),
      step("b", "SELECT 1"),
    ]);
    const running = process.orchestrator.executeStep(planId, "slow", ctx());
    await untilRunning(process, planId);
    const closing = process[Symbol.asyncDispose]();
    await expect(process.orchestrator.executeStep(planId, "b", ctx())).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    expect((await running).stepResult.status).toBe("completed");
    await closing;
  });
});

function plan(steps: readonly StepDefinition[]): PlanDefinition {
  return { name: "plan", description: "", steps };
}

function step(
  id: string,
  queryTemplate: string,
  dependsOn: readonly string[] = [],
  intent = "read_select",
): StepDefinition {
  return { id, name: id, toolName: "sql", intent, queryTemplate, dependsOn, schemaTableHints: [] };
}

function ctx(over: Partial<QueryRuntimeContext> = {}): QueryRuntimeContext {
  return {
    ...NOBODY,
    orgId: ORG,
    requestId: "test",
    signal: new AbortController().signal,
    ...over,
  };
}

/** Waits until the plan's first step has started. */
async function untilRunning(process: Process, planId: string): Promise<void> {
  const status = async () => (await process.orchestrator.getPlan(planId, ctx()))?.steps[0]?.status;
  await expect.poll(status, { interval: 10 }).toBe("running");
}

/** A read that takes some time but ends. */
function countTo(n: number): string {
  return `WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < ${String(n)}) SELECT count(*) AS n FROM c`;
}

function names(): unknown[] {
  const db = new DatabaseSync(join(dir, "target.db"));
  const rows = db.prepare("SELECT name FROM users ORDER BY id").all() as { name: string }[];
  db.close();
  return rows.map((row) => row.name);
}

function types(events: readonly { readonly eventType: string }[]): readonly string[] {
  return events.map((event) => event.eventType);
}
