import type { PgValue, Connection } from "./database.js";
import { callJson } from "./call-codec.js";
import type { ChangeRow, OpenPlan, PlanUnit } from "./open-plan.js";
import { endingJson, eventsJson, stepsJson } from "./plan-rows.js";

/** A row that was read back. */
export interface AppliedRow {
  isOf(unit: PlanUnit): boolean;
}

/** What a step that is claimed is leased for. */
export interface StepLease {
  readonly nodeId: string;
  readonly forMs: number;
}

/** A row of `plan_changes` as it is written. */
interface WrittenRow {
  readonly planId: string;
  readonly sequence: number;
  readonly isFirst: boolean;
  readonly resultStep: number | null;
  readonly events: string;
  readonly steps: string | null;
  readonly call: string | null;
  readonly output: string | null;
  readonly additions: string | null;
  readonly hints: string | null;
}

/** The call of `steward_append` for units of one organization, each of another plan. */
export class AppendStatement {
  readonly #orgId: string;
  readonly #rows: readonly WrittenRow[];
  readonly #values: readonly PgValue[];

  constructor(orgId: string, units: readonly PlanUnit[], lease: StepLease) {
    this.#orgId = orgId;
    this.#rows = units.flatMap(({ plan, rows }) =>
      rows.map((row, index) => writtenRow(plan, row, index === 0)),
    );
    this.#values = valuesOf(orgId, this.#rows, units, lease);
  }

  /** @returns the plans whose units took effect. */
  async run(db: Connection): Promise<readonly string[]> {
    const [row] = await db.query<{ readonly applied: readonly string[] }>(APPEND, this.#values);
    return row?.applied ?? [];
  }

  /** The rows of this statement that are there, whenever they came: to be asked after a lost answer. */
  async readBack(db: Connection): Promise<readonly AppliedRow[]> {
    const firsts = this.#rows.filter(({ isFirst }) => isFirst);
    const found = await db.query<{
      readonly plan_id: string;
      readonly sequence: number;
      readonly events: string;
      readonly steps: string | null;
      readonly call: string | null;
    }>(
      `SELECT plan_id, sequence, events, steps, call FROM plan_changes
       WHERE org_id = $1 AND (plan_id, sequence) IN
         (SELECT plan, seq FROM unnest($2::uuid[], $3::integer[]) AS f (plan, seq))`,
      [this.#orgId, firsts.map((row) => row.planId), firsts.map((row) => row.sequence)],
    );
    return found.flatMap((row): readonly AppliedRow[] => {
      const written = firsts.find((first) => first.planId === row.plan_id);
      const isSame =
        written?.events === row.events && written.steps === row.steps && written.call === row.call;
      return isSame ? [{ isOf: ({ plan }) => plan.ref.planId === row.plan_id }] : [];
    });
  }
}

function writtenRow(
  { ref, sessionId }: OpenPlan,
  { sequence, events, steps, end }: ChangeRow,
  isFirst: boolean,
): WrittenRow {
  const context = end?.context;
  // What is empty is not kept.
  const output = context?.toolOutputJson === "[]" ? undefined : context?.toolOutputJson;
  const call = end?.call && callJson(end.call, { ...ref, sessionId, step: end.step, output });
  return {
    planId: ref.planId,
    sequence,
    isFirst,
    resultStep: context === undefined ? null : (end?.step.index ?? null),
    events: eventsJson(events),
    steps: stepsJson(steps),
    call: call ?? null,
    output: output ?? null,
    additions: listJson(context?.schemaAdditions),
    hints: listJson(context?.augmentationHints),
  };
}

function listJson(list: readonly unknown[] | undefined): string | null {
  return list === undefined || list.length === 0 ? null : JSON.stringify(list);
}

const APPEND = `SELECT steward_append(
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
  $22, $23, $24, $25, $26) AS applied`;

function valuesOf(
  orgId: string,
  rows: readonly WrittenRow[],
  units: readonly PlanUnit[],
  lease: StepLease,
): readonly PgValue[] {
  const plans = units.flatMap(({ plan, state, holder }) =>
    state === undefined ? [] : [{ planId: plan.ref.planId, state, holder }],
  );
  const claimed = units.flatMap(({ plan, claimed: steps }) =>
    steps.map((step) => ({ planId: plan.ref.planId, step })),
  );
  const ended = units.flatMap(({ plan, ended: steps }) =>
    steps.map((step) => ({ planId: plan.ref.planId, step })),
  );
  return [
    orgId,
    rows.map((row) => row.planId),
    rows.map((row) => row.sequence),
    rows.map((row) => row.isFirst),
    rows.map((row) => row.resultStep),
    rows.map((row) => row.events),
    rows.map((row) => row.steps),
    rows.map((row) => row.call),
    rows.map((row) => row.output),
    rows.map((row) => row.additions),
    rows.map((row) => row.hints),
    plans.map(({ planId }) => planId),
    plans.map(({ state }) => state.status),
    plans.map(({ state }) => state.startedAtMs ?? null),
    plans.map(({ state }) => state.finishedAtMs ?? null),
    plans.map(({ state }) => state.deadlineMs),
    plans.map(({ state }) => endingJson(state)),
    plans.map(({ holder }) => holder ?? null),
    claimed.map(({ planId }) => planId),
    claimed.map(({ step }) => step.index),
    claimed.map(({ step }) => step.attempt),
    claimed.map(({ step }) => step.owner ?? ""),
    lease.nodeId,
    lease.forMs,
    ended.map(({ planId }) => planId),
    ended.map(({ step }) => step),
  ];
}
