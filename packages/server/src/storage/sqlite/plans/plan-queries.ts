import { assert } from "@steward/kernel/assert.js";
import type { PartyNames } from "@steward/kernel/caller.js";
import { OPERATION_PLAN_ID } from "../../../approvals/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type {
  DueStep,
  DueWork,
  EarlierRequest,
  LoadedPlan,
  PlanReads,
  StoredResult,
} from "../../../plans/engine/index.js";
import type { PageRequest, PlanEvent, PlanPage, StoredPlanFilter } from "../../../plans/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import {
  abandonedStepOf,
  eventPageOf,
  loadedPlanOf,
  PLAN_COLUMNS,
  planPageOf,
  storedResultOf,
  submitterOf,
  type AbandonedRow,
  type ChangeRow,
  type PlanRow,
  type ResultRow,
} from "../../plan-changes/index.js";
import { text } from "../column-values.js";
import { read, type SqliteRow } from "../connection.js";
import { readAll, SYSTEM, type StoreReads } from "../reads/store-reads.js";
import { SOLE_NODE_ID } from "../sole-node.js";
import { planListQuery } from "./plan-list.js";

/** Which due work is asked for. */
interface Due {
  readonly nowMs: number;
  readonly limit: number;
  /** A JSON list, as in {@link PlanReads.findDue}. */
  readonly except: string;
}

const PLAN = `SELECT ${PLAN_COLUMNS}, d.steps AS definition
  FROM plans AS p JOIN plan_definitions AS d USING (org_id, plan_id)
  WHERE p.org_id = ? AND p.plan_id = ?`;

/** Outputs are not read: they are the last columns and may be large. */
const CHANGES = `SELECT sequence, result_step, steps FROM plan_changes
  WHERE org_id = ? AND plan_id = ? ORDER BY sequence`;

const LAST_CHANGE = `SELECT sequence, events FROM plan_changes
  WHERE org_id = ? AND plan_id = ? ORDER BY sequence DESC LIMIT 1`;

/** Reads committed rows of the plan tables, with a few short queries on a read-only connection. */
export class PlanQueries implements PlanReads {
  readonly #db: StoreReads;
  readonly #clock: Clock;

  constructor(db: StoreReads, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Loads a plan into the form that the state machine works on. */
  async load({ orgId, planId }: PlanRef): Promise<LoadedPlan | undefined> {
    const params = [orgId, planId];
    const [rows, changeRows, lastRows] = await this.#db.together(orgId, [
      { sql: PLAN, params },
      { sql: CHANGES, params },
      { sql: LAST_CHANGE, params },
    ]);
    // The statements name these columns.
    const row = rows?.[0] as (PlanRow & { readonly definition: string }) | undefined;
    if (row === undefined) return undefined;
    const changes = (changeRows ?? []) as unknown as readonly Pick<
      ChangeRow,
      "sequence" | "result_step" | "steps"
    >[];
    const last = lastRows?.[0] as Pick<ChangeRow, "sequence" | "events"> | undefined;
    assert(last !== undefined, "a plan begins with its first change");
    const log = {
      steps: changes.flatMap(({ steps }) => steps ?? []),
      results: changes.flatMap(({ result_step: step, sequence }) =>
        step === null ? [] : [[step, sequence] as const],
      ),
      last,
    };
    return loadedPlanOf(row, row.definition, log, SOLE_NODE_ID);
  }

  /** The result of a step. @param sequence of the row with its end. */
  result({ orgId, planId }: PlanRef, sequence: number): StoredResult {
    const row = this.#db.get<ResultRow>(
      `SELECT output, schema_additions, augmentation_hints, output_metadata, call FROM plan_changes
       WHERE org_id = ? AND plan_id = ? AND sequence = ?`,
      orgId,
      planId,
      sequence,
    );
    assert(row !== undefined, "a row of a plan's log is never taken away");
    return storedResultOf(row);
  }

  /** The plan created under an idempotency key. */
  byIdempotencyKey(orgId: string, key: string): EarlierRequest | undefined {
    const row = this.#db.get<{ readonly plan_id: string; readonly request_hash: string }>(
      `SELECT plan_id, request_hash FROM idempotency_keys WHERE org_id = ? AND idempotency_key = ?`,
      orgId,
      key,
    );
    return row && { planId: row.plan_id, requestHash: row.request_hash };
  }

  /** Newest first: plan ids are ordered in time. */
  async list(orgId: string, filter: StoredPlanFilter, page: PageRequest): Promise<PlanPage> {
    const { sql, params } = planListQuery(orgId, filter, page);
    return planPageOf(await this.#db.all<PlanRow>(orgId, sql, ...params), page);
  }

  async events(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]> {
    const rows = await this.#db.all<Pick<ChangeRow, "sequence" | "events">>(
      ref.orgId,
      `SELECT sequence, events FROM plan_changes
         WHERE org_id = ?1 AND plan_id = ?2 AND sequence >= coalesce(
           (SELECT max(sequence) FROM plan_changes
            WHERE org_id = ?1 AND plan_id = ?2 AND sequence <= ?3), 0)
         ORDER BY sequence LIMIT ?4`,
      ref.orgId,
      ref.planId,
      afterSequence + 1,
      BigInt(limit),
    );
    return eventPageOf(ref, rows, afterSequence, limit);
  }

  submitterOf({ orgId, planId }: PlanRef): Promise<PartyNames | undefined> {
    return read(() => {
      const row = this.#db.get<Pick<ChangeRow, "origins">>(
        "SELECT origins FROM plan_changes WHERE org_id = ? AND plan_id = ? AND sequence = 1",
        orgId,
        planId,
      );
      return row && submitterOf(row.origins);
    });
  }

  earlierRequest(orgId: string, key: string): Promise<EarlierRequest | undefined> {
    return read(() => this.byIdempotencyKey(orgId, key));
  }

  async findDue(limit: number, except: readonly string[]): Promise<DueWork> {
    const those = { nowMs: this.#clock.nowMs(), limit, except: JSON.stringify(except) };
    return {
      abandoned: await this.#abandoned(those),
      overdue: await this.#overdue(those),
      expired: await this.#withExpiredApprovals(those),
    };
  }

  /** Running steps whose lease expired before this time. */
  async #abandoned({ nowMs, limit, except }: Due): Promise<readonly DueStep[]> {
    const rows = await this.#db.all<Omit<AbandonedRow, "changes"> & { readonly changes: string }>(
      SYSTEM,
      `SELECT l.org_id, l.plan_id, l.step_index, l.attempt, p.session_id, d.steps, (
           SELECT json_group_array(c.steps ORDER BY c.sequence) FROM plan_changes AS c
           WHERE c.org_id = l.org_id AND c.plan_id = l.plan_id AND c.steps LIKE '%"definition":%') AS changes
         FROM step_leases AS l JOIN plans AS p USING (org_id, plan_id)
           JOIN plan_definitions AS d USING (org_id, plan_id)
         WHERE l.lease_until_ms < ?
           AND l.plan_id || '/' || l.step_index NOT IN (SELECT value FROM json_each(?))
         ORDER BY l.lease_until_ms LIMIT ?`,
      nowMs,
      except,
      BigInt(limit),
    );
    return rows.map((row) => ({
      key: `${row.plan_id}/${String(row.step_index)}`,
      read: () => abandonedStepOf({ ...row, changes: JSON.parse(row.changes) as string[] }),
    }));
  }

  /** Active plans whose deadline has passed. */
  #overdue({ nowMs, limit, except }: Due): Promise<readonly PlanRef[]> {
    return readAll(
      this.#db,
      SYSTEM,
      planRefOf,
      `SELECT org_id, plan_id FROM plans
         WHERE finished_at_ms IS NULL AND deadline_ms < ?
           AND plan_id NOT IN (SELECT value FROM json_each(?))
         ORDER BY deadline_ms LIMIT ?`,
      nowMs,
      except,
      BigInt(limit),
    );
  }

  #withExpiredApprovals({ nowMs, limit, except }: Due): Promise<readonly PlanRef[]> {
    return readAll(
      this.#db,
      SYSTEM,
      planRefOf,
      `SELECT org_id, plan_id FROM approvals
         WHERE status IN ('pending', 'approved') AND expires_at_ms < ? AND plan_id <> '${OPERATION_PLAN_ID}'
           AND plan_id NOT IN (SELECT value FROM json_each(?))
         GROUP BY org_id, plan_id ORDER BY min(expires_at_ms) LIMIT ?`,
      nowMs,
      except,
      BigInt(limit),
    );
  }
}

function planRefOf(row: SqliteRow): PlanRef {
  return { orgId: text(row["org_id"]), planId: text(row["plan_id"]) };
}
