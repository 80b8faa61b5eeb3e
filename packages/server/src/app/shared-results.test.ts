import { setImmediate as turn } from "node:timers/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@steward/kernel/clock.js";
import { resumedByTurn } from "@steward/kernel/concurrency/testing/resumed-by-turn.js";
import { RESUMED_CALLERS_MAX } from "@steward/kernel/limits.js";
import { silentLog } from "@steward/kernel/log.js";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { afterAll, expect, it } from "vitest";
import { cedarEngine, defaultPolicies } from "../adapters/policy-cedar/index.js";
import { DialectAnalyzer } from "../adapters/sql-analyzer/dialect-analyzer.js";
import { PostgresAnalyzer } from "../adapters/sql-analyzer/postgres-analyzer.js";
import { ReadingThreads } from "../adapters/sql-analyzer/reading/reading-threads.js";
import { SqliteAnalyzer } from "../adapters/sql-analyzer/sqlite-analyzer.js";
import { HintSchemas } from "../hints/schema/hint-schemas.js";
import { cachedVerification, FailedAttempts } from "../identity/index.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { InFlightSteps } from "../plans/attempts/in-flight-steps.js";
import type { StepExecution } from "../plans/plan.js";
import { OrganizationPolicySource } from "../policies/index.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import { LedgerReservations } from "../usage/index.js";
import { UsageRoom } from "../usage/testing/usage-room.js";
import { SharedHealth } from "./health.js";

const directory = mkdtempSync(join(tmpdir(), "steward-shared-"));
const store = openSqliteStore(join(directory, "store.db"), systemClock, silentTelemetry);
const usage = await UsageRoom.open();
const [sqlite, postgres] = [new SqliteAnalyzer(), await PostgresAnalyzer.load()];
const threads = new ReadingThreads(new DialectAnalyzer({ sqlite, postgres }));
afterAll(async () => {
  await threads[Symbol.asyncDispose]();
  await usage[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const CALLERS = 200;
const { orgId } = ADMIN;

/** For each place where many callers wait for one result: a call of a server that has just started. */
const PLACES: Readonly<Record<string, () => (n: number) => Promise<unknown>>> = {
  "the policies of an organization": () => {
    const engine = cedarEngine();
    const source = new OrganizationPolicySource({
      ...{ engine, store: store.policies, clock: systemClock, shipped: defaultPolicies() },
    });
    return async () => source.of(orgId);
  },
  "the verification of a credential": () => {
    const principal = { ...ADMIN, kind: "agent", authenticatedBy: "apikey" } as const;
    const verify = cachedVerification(
      async () => {
        await turn();
        return { principal, untilMs: Infinity };
      },
      { clock: systemClock, attempts: new FailedAttempts(systemClock, silentLog) },
    );
    return () => verify("credential", "127.0.0.1");
  },
  "the result of a step": () => {
    const steps = new InFlightSteps();
    // None of its fields is read.
    const run = () => turn().then(() => ({}) as StepExecution);
    const step = steps.start({ orgId, planId: "plan", stepId: "step" }, run);
    return () => steps.wait(step, { signal: new AbortController().signal });
  },
  "the schema for hints": () => {
    const schemas = new HintSchemas({ of: () => turn().then(() => undefined) }, systemClock);
    return () => schemas.current(ADMIN, "shop");
  },
  "the analysis of a long statement": () => {
    const sql = `SELECT 1 FROM a${",a".repeat(2000)}`;
    return async () => threads.read(sql, "sqlite", orgId);
  },
  "the budgets of an organization": () => {
    const reservations = new LedgerReservations(usage.store.usage, usage.recorder, systemClock);
    const call = { orgId, sessionId: "session", toolName: "sql", intent: "read_select" } as const;
    return async (n) => reservations.reserve({ ...call, eventId: String(n), ormModel: undefined });
  },
  "the health of the server": () => {
    const readiness = () => turn().then(() => ({ ready: true, checks: {} }));
    const health = new SharedHealth({ readiness }, systemClock);
    return () => health.readiness();
  },
};

it.each(Object.entries(PLACES))(
  "lets the callers that wait for %s resume in several turns",
  async (_place, call) => {
    const byTurn = await resumedByTurn(CALLERS, call());
    // The callbacks of one turn may be counted with those of the next.
    expect(Math.max(...byTurn)).toBeLessThanOrEqual(2 * RESUMED_CALLERS_MAX);
  },
);
