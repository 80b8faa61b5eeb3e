import { AppError } from "../../kernel/errors.js";
import { NIL_ORG_ID } from "../../kernel/caller.js";
import type { PlanEvent } from "../../plans/index.js";
import { planRecordOf } from "../../plans/execution.js";
import type { PlanRef } from "../../plans/ports.js";
import type { StepContext } from "../../plans/transitions.js";
import type { CopiedCall, CopiedPlan } from "../copied-plan.js";
import type { CopiedColumn, CopiedRow, CopiedTable } from "../copied-table.js";
import { callJson } from "./call-codec.js";
import type { Connection, Database } from "./database.js";
import { PlanQueries } from "./plan-queries.js";
import { eventsJson } from "./event-codec.js";
import { failureJson, stepsJson } from "./plan-rows.js";

/** Rows written or read at once. */
const ROWS_MAX = 1000;
/** Events read at once. */
const EVENTS_MAX = 100_000;

/** @throws AppError `INVALID_ARGUMENT` when the store has plans, usage, memory or state already. */
export async function assertEmpty(db: Database): Promise<void> {
  for (const table of ["plans", "usage_events", "memory_entries", "state_refs"]) {
    const rows = await db.query(`SELECT FROM ${table} LIMIT 1`);
    if (rows.length === 0) continue;
    throw new AppError(
      "INVALID_ARGUMENT",
      `The PostgreSQL store has rows in ${table}: copy into an empty one`,
    );
  }
}

/** Rows into a table. */
export async function insertRows(
  connection: Connection,
  { name, columns }: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const places = columns.map((_column, index) => `$${index + 1}::text[]`).join(", ");
  await connection.query(
    `INSERT INTO ${name} (${columns.map((column) => column.name).join(", ")})
     SELECT ${columns.map(valueOf).join(", ")}
     FROM unnest(${places}) AS v (${columns.map((column) => column.name).join(", ")})`,
    columns.map((_column, index) => rows.map((row) => row[index] ?? null)),
  );
}

function valueOf({ name, type }: CopiedColumn): string {
  if (type === "bytea") return `decode(v.${name}, 'hex')`;
  if (type === "timestamptz") return `to_timestamp(v.${name}::bigint / 1e3)`;
  return `v.${name}::${type}`;
}

/** Every row of a table, as it was copied. */
export async function* readRows(
  db: Database,
  { name, columns }: CopiedTable,
): AsyncGenerator<readonly CopiedRow[]> {
  const values = columns.map((column, index) => `${textOf(column)} AS c${index}`).join(", ");
  // A database that nobody else uses yet: its rows stay where they are meanwhile.
  for (let page = 0; ; page += 1) {
    const rows = await db.query<Record<string, string | null>>(
      `SELECT ${values} FROM ${name} ORDER BY ctid LIMIT ${ROWS_MAX} OFFSET ${page * ROWS_MAX}`,
    );
    yield rows.map((row) => Object.values(row));
    if (rows.length < ROWS_MAX) return;
  }
}

function textOf({ name, type }: CopiedColumn): string {
  if (type === "bytea") return `encode(${name}, 'hex')`;
  if (type === "timestamptz") return `((extract(epoch FROM ${name}) * 1000)::bigint)::text`;
  return `${name}::text`;
}

/** One plan, with its log, held by nobody. */
export async function insertPlan(connection: Connection, plan: CopiedPlan): Promise<void> {
  const { state, record, prepared } = plan;
  const { orgId, planId } = state;
  const rows = logOf(plan);
  const through = (isDone: (call: CopiedCall) => boolean): number => {
    const firstLeft = rows.find((row) => row.call !== undefined && !isDone(row.call));
    const last = firstLeft === undefined ? rows.at(-1)?.sequence : firstLeft.sequence - 1;
    return last ?? 0;
  };
  const usage = through((call) => call.isUsage);
  const memory = through((call) => call.isRemembered);
  const end = rows.at(-1)?.sequence ?? 0;
  await connection.query(
    `INSERT INTO plans (org_id, plan_id, session_id, created_at_ms, deadline_ms, status,
       started_at_ms, finished_at_ms, cancel_reason, failure, usage_through, memory_through, is_settled)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      orgId,
      planId,
      state.sessionId,
      state.createdAtMs,
      state.deadlineMs,
      state.status,
      state.startedAtMs ?? null,
      state.finishedAtMs ?? null,
      state.cancelReason ?? null,
      failureJson(state),
      usage,
      memory,
      state.finishedAtMs !== undefined && Math.min(usage, memory) >= end,
    ],
  );
  const { name, description } = record;
  await connection.query(
    `INSERT INTO plan_definitions (org_id, plan_id, name, description, steps) VALUES ($1, $2, $3, $4, $5)`,
    [orgId, planId, name, description, JSON.stringify(prepared)],
  );
  for (const row of rows) await insertLogRow(connection, plan, row);
  for (const step of state.steps) {
    if (step.status !== "running") continue;
    // Whoever ran it is gone: it is settled by the first server that starts.
    await connection.query(
      `INSERT INTO step_leases (org_id, plan_id, step_index, attempt, owner, node_id, lease_until_ms)
       VALUES ($1, $2, $3, $4, $5, $6, 0)`,
      [orgId, planId, step.index, step.attempt, step.owner ?? "", NIL_ORG_ID],
    );
  }
}

interface LogRow {
  readonly sequence: number;
  readonly events: readonly PlanEvent[];
  readonly call: CopiedCall | undefined;
  readonly resultStep: number | undefined;
  readonly isLast: boolean;
}

/** The log in rows: each ends with the end of an attempt, and has its call and its result. */
function logOf({ events, calls, contexts, state }: CopiedPlan): readonly LogRow[] {
  const left = new Map(calls.map((call) => [`${call.record.stepId} ${call.record.attempt}`, call]));
  const groups: PlanEvent[][] = [[]];
  for (const event of events) {
    groups.at(-1)?.push(event);
    if (endOf(event) !== undefined) groups.push([]);
  }
  const rows = groups.filter((group) => group.length > 0);
  return rows.map((group, index) => {
    const ended = endOf(group.at(-1));
    const step = state.steps.find(({ stepId }) => stepId === ended?.step_id);
    const hasResult =
      step !== undefined && step.attempt === ended?.attempt && contexts.has(step.index);
    return {
      sequence: group[0]?.sequence ?? 1,
      events: group,
      call: ended && left.get(`${ended.step_id} ${ended.attempt}`),
      resultStep: hasResult ? step.index : undefined,
      isLast: index === rows.length - 1,
    };
  });
}

function endOf(
  event: PlanEvent | undefined,
): { readonly step_id: string; readonly attempt: number } | undefined {
  const ends = event?.eventType === "PlanStepExecuted" || event?.eventType === "PlanStepCancelled";
  return ends ? (JSON.parse(event.payloadJson) as { step_id: string; attempt: number }) : undefined;
}

async function insertLogRow(
  connection: Connection,
  { state, prepared, contexts }: CopiedPlan,
  { sequence, events, call, resultStep, isLast }: LogRow,
): Promise<void> {
  const context = resultStep === undefined ? undefined : contexts.get(resultStep);
  const output = context?.toolOutputJson === "[]" ? undefined : context?.toolOutputJson;
  const { orgId, planId, sessionId } = state;
  const step = prepared.find(({ id }) => id === call?.record.stepId);
  const touched = state.steps.filter((each) => each.status !== "pending" || each.attempt > 0);
  await connection.query(
    `INSERT INTO plan_changes (org_id, plan_id, sequence, result_step, events, steps, call, output,
       schema_additions, augmentation_hints, output_metadata)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      orgId,
      planId,
      sequence,
      resultStep ?? null,
      eventsJson(events),
      isLast ? stepsJson(touched) : null,
      call === undefined || step === undefined
        ? null
        : callJson(call.record, { orgId, planId, sessionId, step, output }),
      output ?? null,
      listJson(context?.schemaAdditions),
      listJson(context?.augmentationHints),
      context?.outputMetadata === undefined ? null : JSON.stringify(context.outputMetadata),
    ],
  );
}

function listJson(list: readonly unknown[] | undefined): string | null {
  return list === undefined || list.length === 0 ? null : JSON.stringify(list);
}

/** A plan as everybody sees it now. */
export async function readPlan(
  db: Database,
  ref: PlanRef,
): Promise<Pick<CopiedPlan, "record" | "events" | "contexts"> | undefined> {
  const queries = new PlanQueries(db, { others: [], buryTheGone: () => Promise.resolve() });
  const loaded = await queries.load(ref);
  if (loaded === undefined) return undefined;
  const contexts = new Map<number, StepContext>();
  for (const [index, sequence] of loaded.results) {
    contexts.set(index, await queries.context(ref, sequence));
  }
  return {
    record: planRecordOf(loaded),
    events: await queries.events(ref, 0, EVENTS_MAX),
    contexts,
  };
}
