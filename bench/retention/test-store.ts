import {
  appendAudit,
  openSqliteStore,
  RetentionSweeper,
  silentLog,
  silentTelemetry,
  systemIds,
} from "./server-modules.js";

export const DAY_MS = 24 * 60 * 60 * 1000;
const ORG = "11111111-1111-4111-8111-111111111111";
/** Steps of each plan. */
const STEPS = 10;
/** Plans that run at the same time. */
const PLANS_AT_ONCE = 64;

type Sweeper = InstanceType<typeof RetentionSweeper>;
type SqliteStore = ReturnType<typeof openSqliteStore>;
type NewPlan = Parameters<SqliteStore["plans"]["createPlan"]>[0];
type Step = NewPlan["steps"][number];

/** A store whose clock is moved by hand, with the sweeper that the server has. */
export class TestStore implements AsyncDisposable {
  nowMs: number = Date.parse("2026-01-01T00:00:00Z");
  readonly store: SqliteStore;
  readonly sweeper: Sweeper;
  readonly #clock = { nowMs: (): number => this.nowMs };
  readonly #ids = systemIds(this.#clock);

  private constructor(path: string) {
    const store = openSqliteStore(path, this.#clock, silentTelemetry);
    this.store = store;
    this.sweeper = this.newSweeper();
  }

  /** A sweeper as the server has it, which keeps everything for 30 days. The caller closes it. */
  newSweeper(): Sweeper {
    const { store } = this;
    const days = 30;
    return new RetentionSweeper({
      rules: {
        periods: { plans: days, idempotency_keys: days, memory: days, usage_detail: days },
        mayBeLonger: false,
      },
      ...{ store: store.retention, rows: store.expired, clock: this.#clock, log: silentLog },
      entries: { deleteEntries: async (...of) => (await store.memory.deleteExpired(...of)).length },
      withUsage: (work) => work(),
    });
  }

  static async open(path: string): Promise<TestStore> {
    const opened = new TestStore(path);
    await opened.store.memory.useModel({ name: "two", dimension: 2 });
    return opened;
  }

  /** Makes this many tool calls with small outputs, and has usage and memory process them. */
  async makeCalls(count: number): Promise<void> {
    let left = Math.ceil(count / STEPS);
    const run = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.runPlan(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: PLANS_AT_ONCE }, run));
    await this.#consume();
  }

  /** Runs a plan of ten steps. @param onStep gets the time of each step, in ms. */
  async runPlan(onStep: (ms: number) => void): Promise<void> {
    const { plans } = this.store;
    const ref = { orgId: ORG, planId: this.#ids.orderedUuid() };
    await plans.createPlan({
      ...{ ref, sessionId: "session", name: "plan", description: "", steps: STEPS_OF_PLAN },
      createdAtMs: this.nowMs,
      deadlineMs: Number.MAX_SAFE_INTEGER,
      idempotency: { key: ref.planId, requestHash: "hash" },
    });
    for (const { id } of STEPS_OF_PLAN) {
      const beganMs = performance.now();
      await this.#runStep(ref, id);
      onStep(performance.now() - beganMs);
    }
  }

  async #runStep(ref: NewPlan["ref"], stepId: string): Promise<void> {
    const { plans } = this.store;
    const claim = await plans.claimStep({ ...ref, stepId }, "owner");
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    const context = { toolOutputJson: OUTPUT, schemaAdditions: [], augmentationHints: [] };
    await plans.finishStep(
      { ...ref, stepId, attempt: claim.attempt },
      { kind: "completed", rowCount: 1, durationMs: 1, context },
      {
        ...{ ...ref, stepId, eventId: this.#ids.uuid(), sessionId: "session", attempt: 1 },
        ...{ caller: undefined, dataSource: "default", touched: undefined, toolName: "sql" },
        ...{
          intent: "read_select",
          intentSource: "explicit",
          ormModel: undefined,
          error: undefined,
        },
        ...{ status: "completed", rowCount: 1, query: "SELECT 1", output: OUTPUT, durationMs: 1 },
        finishedAtMs: this.nowMs,
      },
    );
  }

  async #consume(): Promise<void> {
    const { usage, memory, audit } = this.store;
    // A plan stays until the audit log has read it, too.
    await appendAudit(audit.sequence);
    while ((await usage.recording.recordPending(1000)).length > 0);
    for (;;) {
      const taken = await memory.takeCalls(500);
      if (taken.calls.length === 0) return;
      const zero = Float32Array.of(0, 0);
      await memory.remember(
        taken,
        taken.calls.map(() => zero),
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sweeper[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }
}

const OUTPUT = JSON.stringify([{ id: 1, name: "a customer", city: "Paris" }]);

const STEPS_OF_PLAN: readonly Step[] = Array.from({ length: STEPS }, (_, index) => ({
  ...{ id: `s${String(index)}`, index, name: "step", toolName: "sql", dataSource: "default" },
  ...{ intent: "read_select", intentSource: "explicit", statementClass: "read_select" },
  ...{ queryTemplate: "SELECT 1", dependsOn: [], schemaTableHints: [] },
  statement: { sql: "SELECT 1", binds: [] },
}));
