import { assert } from "@steward/kernel/assert.js";
import type { PartyNames } from "@steward/kernel/caller.js";
import { isUuid } from "@steward/kernel/ids.js";
import type { PageRequest, PlanEvent, PlanPage, StoredPlanFilter } from "../../../plans/index.js";
import {
  planNotFound,
  type DueStep,
  type DueWork,
  type LoadedPlan,
  type PlanReads,
  type StoredResult,
} from "../../../plans/engine/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { Database } from "../database.js";
import type { NodeLease } from "../node-lease.js";
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
import { planListQuery } from "./plan-list.js";

interface LeasedRow extends AbandonedRow {
  readonly node_id: string;
  /** Whether the lease of the step has ended, whatever became of its node. */
  readonly is_over: boolean;
}

/** A plan with its definition and its log, read in one snapshot. */
interface WholePlanRow extends PlanRow {
  readonly owner_node: string | null;
  readonly definition: string;
  readonly changes: readonly string[] | null;
  readonly results: readonly (readonly [step: number, sequence: number])[] | null;
  readonly last_sequence: number;
  readonly last_events: string;
}

/** The other live nodes, whose plans are not due here. */
type QueryingNode = Pick<NodeLease, "nodeId" | "others" | "alive" | "buryTheGone">;

/** Reads of the plan tables, as committed. */
export class PlanQueries implements PlanReads {
  readonly #db: Database;
  readonly #node: QueryingNode;

  constructor(db: Database, node: QueryingNode) {
    this.#db = db;
    this.#node = node;
  }

  /** A plan for the state machine. */
  async load(ref: PlanRef): Promise<LoadedPlan | undefined> {
    const row = await this.#whole(ref);
    if (row === undefined) return undefined;
    const log = {
      steps: row.changes ?? [],
      results: row.results ?? [],
      last: { sequence: row.last_sequence, events: row.last_events },
    };
    return loadedPlanOf(row, row.definition, log, row.owner_node ?? undefined);
  }

  /** The result of a step. @param sequence of the row with its end. */
  async result(ref: PlanRef, sequence: number): Promise<StoredResult> {
    const [row] = await this.#db.query<ResultRow>(
      `SELECT output, schema_additions, augmentation_hints, output_metadata, call FROM plan_changes
       WHERE org_id = $1 AND plan_id = $2 AND sequence = $3`,
      [ref.orgId, ref.planId, sequence],
    );
    assert(row !== undefined, "a row of a plan's log is never taken away");
    return storedResultOf(row);
  }

  /** The plan created under an idempotency key. */
  async earlierRequest(
    orgId: string,
    key: string,
  ): Promise<{ readonly planId: string; readonly requestHash: string } | undefined> {
    const [row] = await this.#db.query<{ readonly plan_id: string; readonly request_hash: string }>(
      `SELECT plan_id, request_hash FROM idempotency_keys
       WHERE org_id = $1 AND idempotency_key = $2`,
      [orgId, key],
    );
    return row && { planId: row.plan_id, requestHash: row.request_hash };
  }

  /** Newest first: plan ids are ordered in time. */
  async list(orgId: string, filter: StoredPlanFilter, page: PageRequest): Promise<PlanPage> {
    const { text, values } = planListQuery(orgId, filter, page);
    return planPageOf(await this.#db.query<PlanRow>(text, values), page);
  }

  /** @throws AppError `PLAN_NOT_FOUND`, `CURSOR_OUT_OF_RANGE`. */
  async events(ref: PlanRef, afterSequence: number, limit: number): Promise<readonly PlanEvent[]> {
    if (!isKey(ref)) throw planNotFound(ref);
    const rows = await this.#db.query<Pick<ChangeRow, "sequence" | "events">>(
      `SELECT sequence, events FROM plan_changes
       WHERE org_id = $1 AND plan_id = $2 AND sequence >= coalesce(
         (SELECT max(sequence) FROM plan_changes
          WHERE org_id = $1 AND plan_id = $2 AND sequence <= $3::bigint + 1), 0)
       ORDER BY sequence LIMIT $4`,
      [ref.orgId, ref.planId, afterSequence, limit],
    );
    return eventPageOf(ref, rows, afterSequence, limit);
  }

  async submitterOf(ref: PlanRef): Promise<PartyNames | undefined> {
    if (!isKey(ref)) return undefined;
    const [row] = await this.#db.query<Pick<ChangeRow, "origins">>(
      "SELECT origins FROM plan_changes WHERE org_id = $1 AND plan_id = $2 AND sequence = 1",
      [ref.orgId, ref.planId],
    );
    return row && submitterOf(row.origins);
  }

  async findDue(limit: number, except: readonly string[]): Promise<DueWork> {
    await this.#node.buryTheGone();
    const { others } = this.#node;
    return {
      abandoned: await this.#abandoned(others, limit, except),
      overdue: await this.#overdue(others, limit, except),
      expired: await this.#withExpiredApprovals(others, limit, except),
    };
  }

  async #abandoned(
    others: readonly string[],
    limit: number,
    except: readonly string[],
  ): Promise<readonly DueStep[]> {
    const rows = await this.#db.query<LeasedRow>(
      `SELECT l.node_id, l.lease_until_ms < steward_now_ms() AS is_over,
         l.org_id, l.plan_id, l.step_index, l.attempt, p.session_id, d.steps, ARRAY(
         SELECT c.steps FROM plan_changes AS c
         WHERE c.org_id = l.org_id AND c.plan_id = l.plan_id AND c.steps LIKE '%"definition":%'
         ORDER BY c.sequence) AS changes
       FROM step_leases AS l
       JOIN plans AS p USING (org_id, plan_id) JOIN plan_definitions AS d USING (org_id, plan_id)
       WHERE (l.lease_until_ms < steward_now_ms() OR l.node_id <> ALL ($3::uuid[]))
         AND (p.owner_node IS NULL OR p.owner_node <> ALL ($1::uuid[]))
         AND l.plan_id || '/' || l.step_index <> ALL ($4::text[])
       ORDER BY l.lease_until_ms LIMIT $2`,
      [others, limit, [this.#node.nodeId, ...others], except],
    );
    // A node may have joined since the last heartbeat. It joined before it leased a step, so it is
    // found now; the two tables need not be on one server.
    const unknown = rows.flatMap((row) => (row.is_over ? [] : [row.node_id]));
    const alive = await this.#node.alive([...new Set(unknown)]);
    const abandoned = rows.filter((row) => row.is_over || !alive.has(row.node_id));
    return abandoned.map((row) => ({
      key: `${row.plan_id}/${String(row.step_index)}`,
      read: () => abandonedStepOf(row),
    }));
  }

  async #overdue(
    others: readonly string[],
    limit: number,
    except: readonly string[],
  ): Promise<readonly PlanRef[]> {
    const rows = await this.#db.query<{ readonly org_id: string; readonly plan_id: string }>(
      `SELECT org_id, plan_id FROM plans
       WHERE finished_at_ms IS NULL AND deadline_ms < steward_now_ms()
         AND (owner_node IS NULL OR owner_node <> ALL ($1::uuid[]))
         AND plan_id::text <> ALL ($3::text[])
       ORDER BY deadline_ms LIMIT $2`,
      [others, limit, except],
    );
    return rows.map((row) => ({ orgId: row.org_id, planId: row.plan_id }));
  }

  async #withExpiredApprovals(
    others: readonly string[],
    limit: number,
    except: readonly string[],
  ): Promise<readonly PlanRef[]> {
    const rows = await this.#db.query<{ readonly org_id: string; readonly plan_id: string }>(
      `SELECT a.org_id, a.plan_id FROM approvals AS a JOIN plans AS p USING (org_id, plan_id)
       WHERE a.status IN ('pending', 'approved') AND a.expires_at_ms < steward_now_ms()
         AND (p.owner_node IS NULL OR p.owner_node <> ALL ($1::uuid[]))
         AND a.plan_id::text <> ALL ($3::text[])
       GROUP BY a.org_id, a.plan_id ORDER BY min(a.expires_at_ms) LIMIT $2`,
      [others, limit, except],
    );
    return rows.map((row) => ({ orgId: row.org_id, planId: row.plan_id }));
  }

  async #whole(ref: PlanRef): Promise<WholePlanRow | undefined> {
    if (!isKey(ref)) return undefined;
    const [row] = await this.#db.query<WholePlanRow>(
      `SELECT ${PLAN_COLUMNS}, p.owner_node, d.steps AS definition, c.changes, c.results, l.sequence AS last_sequence,
         l.events AS last_events
       FROM plans AS p JOIN plan_definitions AS d USING (org_id, plan_id)
       CROSS JOIN (
         SELECT array_agg(steps ORDER BY sequence) FILTER (WHERE steps IS NOT NULL) AS changes,
           array_agg(ARRAY[result_step, sequence] ORDER BY sequence)
             FILTER (WHERE result_step IS NOT NULL) AS results
         FROM plan_changes WHERE org_id = $1 AND plan_id = $2) AS c
       CROSS JOIN (
         SELECT sequence, events FROM plan_changes
         WHERE org_id = $1 AND plan_id = $2 ORDER BY sequence DESC LIMIT 1) AS l
       WHERE p.org_id = $1 AND p.plan_id = $2 AND d.org_id = $1`,
      [ref.orgId, ref.planId],
    );
    return row;
  }
}

/** Ids have one canonical spelling; other spellings name no plan. */
export function isKey({ orgId, planId }: PlanRef): boolean {
  return [orgId, planId].every((id) => isUuid(id) && id === id.toLowerCase());
}
