import type { PlanUnit } from "../../../plans/engine/index.js";
import {
  approvalWritesOf,
  changeRowsOf,
  failureJson,
  type ChangeRow,
} from "../../plan-changes/index.js";
import type { NewDelivery } from "../../../webhooks/ports.js";
import type { Database, PgValue } from "../database.js";
import { deliveryInsert } from "../../cold/webhook-store.js";
import { runOn } from "../sql-store.js";

/** The lease of a claimed step. */
export interface StepLease {
  readonly nodeId: string;
  readonly forMs: number;
}

/** The call of `steward_append`, with the webhooks that it causes, for units of one organization, one unit for each plan. */
export class AppendStatement {
  readonly #orgId: string;
  readonly #rows: readonly ChangeRow[];
  readonly #text: string;
  readonly #values: readonly PgValue[];
  readonly #deliveries: readonly NewDelivery[];

  /** @param deliveries webhooks about the units. */
  constructor(
    orgId: string,
    units: readonly PlanUnit[],
    lease: StepLease,
    deliveries: readonly NewDelivery[],
  ) {
    this.#deliveries = deliveries;
    this.#orgId = orgId;
    this.#rows = units.flatMap(changeRowsOf);
    const values = valuesOf(orgId, this.#rows, units, lease);
    const approvals = approvalValuesOf(units);
    this.#text = approvals === undefined ? APPEND : APPEND_WITH_APPROVALS;
    this.#values = [...values, ...(approvals ?? [])];
  }

  /**
   * Either all units take effect or none.
   * @throws AppError with the SQLSTATE of a unique violation when the sequence of a unit is taken.
   */
  async run(db: Database): Promise<void> {
    if (this.#deliveries.length === 0) {
      await db.queryPrepared(this.#text, this.#values);
      return;
    }
    await db.transaction(async (connection) => {
      await connection.query(this.#text, this.#values);
      await runOn(connection, this.#deliveries.map(deliveryInsert));
    });
  }

  /**
   * Whether the stored row with the first unit's key is that unit's row. Used after a lost answer,
   * for a statement with one unit.
   */
  async isThere(db: Database): Promise<boolean> {
    const [first] = this.#rows;
    if (first === undefined) return true;
    const { plan_id: planId, sequence, events, steps, call } = first;
    const found = await db.query(
      `SELECT FROM plan_changes WHERE org_id = $1 AND plan_id = $2 AND sequence = $3
         AND (events, steps, call) IS NOT DISTINCT FROM ($4::text, $5::text, $6::text)`,
      [this.#orgId, planId, sequence, events, steps, call],
    );
    return found.length > 0;
  }
}

const APPEND = `SELECT steward_append(
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
  $22, $23, $24, $25, $26, $27, $28)`;

const APPEND_WITH_APPROVALS = `SELECT steward_append_with_approvals(
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
  $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37)`;

/** `undefined` when no approval changes. */
function approvalValuesOf(units: readonly PlanUnit[]): readonly PgValue[] | undefined {
  const writes = units.flatMap(approvalWritesOf);
  if (writes.length === 0) return undefined;
  return [
    writes.map(({ approvalId }) => approvalId),
    writes.map(({ planId }) => planId),
    writes.map(({ stepId }) => stepId),
    writes.map(({ sessionId }) => sessionId),
    writes.map(({ status }) => status),
    writes.map(({ requestedAtMs }) => requestedAtMs),
    writes.map(({ expiresAtMs }) => expiresAtMs),
    writes.map(({ approval }) => approval),
    writes.map(({ subject }) => subject ?? null),
  ];
}

function valuesOf(
  orgId: string,
  rows: readonly ChangeRow[],
  units: readonly PlanUnit[],
  lease: StepLease,
): readonly PgValue[] {
  // In the order in which a consumer's positions lock these rows, so that the two cannot deadlock.
  const plans = units
    .flatMap(({ ref, plan, owner }) =>
      plan === undefined ? [] : [{ planId: ref.planId, state: plan, owner }],
    )
    .sort((one, other) => (one.planId < other.planId ? -1 : 1));
  const claimed = units.flatMap(({ ref, claimed: steps }) =>
    steps.map((step) => ({ planId: ref.planId, step })),
  );
  const ended = units.flatMap(({ ref, ended: steps }) =>
    steps.map((step) => ({ planId: ref.planId, step })),
  );
  return [
    orgId,
    rows.map((row) => row.plan_id),
    rows.map((row) => row.sequence),
    rows.map((row) => row.result_step),
    rows.map((row) => row.events),
    rows.map((row) => row.steps),
    rows.map((row) => row.call),
    rows.map((row) => row.output),
    rows.map((row) => row.schema_additions),
    rows.map((row) => row.augmentation_hints),
    rows.map((row) => row.output_metadata),
    rows.map((row) => row.origins),
    plans.map(({ planId }) => planId),
    plans.map(({ state }) => state.status),
    plans.map(({ state }) => state.startedAtMs ?? null),
    plans.map(({ state }) => state.finishedAtMs ?? null),
    plans.map(({ state }) => state.deadlineMs),
    plans.map(({ state }) => state.cancelReason ?? null),
    plans.map(({ state }) => failureJson(state)),
    plans.map(({ owner }) => owner ?? null),
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
