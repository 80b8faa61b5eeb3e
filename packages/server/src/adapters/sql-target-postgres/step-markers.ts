import type { AttemptRef, StatementResult } from "../../plans/ports.js";
import { assert } from "@steward/kernel/assert.js";
import { markerOutput, outputOfMarker } from "../sql-target/marker-output.js";
import { MARKER_AGE_MS_MAX } from "../limits.js";
import { CREATE_MARKER_TABLE, MARKER_TABLE } from "../own-tables.js";
import type { Session } from "./session.js";

/** Maximum number of old markers that one statement deletes. */
const PURGED_MAX = 1_000;

/** The state of a step's write, as its marker records it. */
export type Marker =
  /** The step's write took effect; its result. */
  | { readonly outcome: "applied"; readonly result: StatementResult }
  /** This attempt and all earlier ones were abandoned and must never take effect. */
  | { readonly outcome: "fenced"; readonly attempt: number };

/** @param session outside of a transaction. */
export async function createMarkerTable(session: Session): Promise<void> {
  // A role may have default_transaction_read_only.
  await session.command(`SET LOCAL transaction_read_only = off; ${CREATE_MARKER_TABLE}`);
}

/** The marker of an attempt's step. */
export async function findMarker(session: Session, step: AttemptRef): Promise<Marker | undefined> {
  const [row] = await session.query(
    `SELECT attempt, outcome, row_count, rows_kept, row_count_is_lower_bound, schema_deltas_json,
       output_json
     FROM ${MARKER_TABLE} WHERE org_id = $1 AND plan_id = $2 AND step_id = $3`,
    [step.orgId, step.planId, step.stepId],
  );
  // Rows have text values in the columns of the CREATE TABLE statement.
  const marker = row as MarkerRow | undefined;
  if (marker === undefined) return undefined;
  return marker.outcome === "applied"
    ? { outcome: "applied", result: resultOf(marker) }
    : { outcome: "fenced", attempt: Number(marker.attempt) };
}

/**
 * Records, in the transaction of the write, that this attempt took effect. The row's key makes
 * other attempts of the step wait for the end of this transaction and find the marker then.
 * @param forget attempts whose markers are deleted at the same time.
 * @returns false when another attempt took effect, or this one was abandoned, meanwhile.
 */
export async function applyMarker(
  session: Session,
  attempt: AttemptRef,
  result: StatementResult,
  forget: readonly AttemptRef[],
): Promise<boolean> {
  const rows = await session.query(
    `WITH forgotten AS (
       DELETE FROM ${MARKER_TABLE} m USING jsonb_to_recordset($10::jsonb)
         AS f ("orgId" text, "planId" text, "stepId" text, attempt integer)
       WHERE m.org_id = f."orgId" AND m.plan_id = f."planId" AND m.step_id = f."stepId"
         AND m.attempt <= f.attempt
     )
     INSERT INTO ${MARKER_TABLE} AS m (org_id, plan_id, step_id, attempt, outcome, row_count,
       rows_kept, row_count_is_lower_bound, schema_deltas_json, output_json)
     VALUES ($1, $2, $3, $4, 'applied', $5, $6, $7, $8, $9)
     ON CONFLICT (org_id, plan_id, step_id) DO UPDATE SET (attempt, outcome, row_count, rows_kept,
       row_count_is_lower_bound, schema_deltas_json, output_json, created_at) =
       (excluded.attempt, excluded.outcome, excluded.row_count, excluded.rows_kept,
       excluded.row_count_is_lower_bound, excluded.schema_deltas_json, excluded.output_json,
       excluded.created_at)
     WHERE m.outcome = 'fenced' AND m.attempt < excluded.attempt
     RETURNING 1`,
    [
      attempt.orgId,
      attempt.planId,
      attempt.stepId,
      attempt.attempt,
      result.rowCount,
      result.rowsKept,
      String(result.rowCountIsLowerBound),
      JSON.stringify(result.schemaDeltas),
      markerOutput(result),
      JSON.stringify(forget),
    ],
  );
  return rows.length === 1;
}

/** Prevents this attempt and all earlier ones from taking effect, unless one of them has. */
export async function fenceMarker(session: Session, attempt: AttemptRef): Promise<void> {
  await session.query(
    `INSERT INTO ${MARKER_TABLE} AS m (org_id, plan_id, step_id, attempt, outcome)
     VALUES ($1, $2, $3, $4, 'fenced')
     ON CONFLICT (org_id, plan_id, step_id) DO UPDATE SET attempt = excluded.attempt
     WHERE m.outcome = 'fenced' AND m.attempt < excluded.attempt`,
    [attempt.orgId, attempt.planId, attempt.stepId, attempt.attempt],
  );
}

/** Deletes the results of plans that are over. A database without the table was never written to. */
export async function deleteMarkersOf(
  session: Session,
  orgId: string,
  planIds: readonly string[],
): Promise<void> {
  const [found] = await session.query(
    `SELECT to_regclass('${MARKER_TABLE}') IS NOT NULL AS is_there`,
  );
  if (found?.["is_there"] !== "t") return;
  await session.query(
    `DELETE FROM ${MARKER_TABLE} WHERE org_id = $1 AND outcome = 'applied'
       AND plan_id IN (SELECT jsonb_array_elements_text($2::jsonb))`,
    [orgId, JSON.stringify(planIds)],
  );
}

/** Deletes some of the expired markers. */
export async function purgeMarkers(session: Session): Promise<void> {
  await session.query(
    `DELETE FROM ${MARKER_TABLE} WHERE (org_id, plan_id, step_id) IN (
       SELECT org_id, plan_id, step_id FROM ${MARKER_TABLE}
       WHERE created_at < now() - interval '${MARKER_AGE_MS_MAX} milliseconds' LIMIT ${PURGED_MAX})`,
  );
}

interface MarkerRow {
  readonly attempt: string;
  readonly outcome: Marker["outcome"];
  readonly row_count: string | null;
  readonly rows_kept: string | null;
  readonly row_count_is_lower_bound: "t" | "f" | null;
  readonly schema_deltas_json: string | null;
  readonly output_json: string | null;
}

function resultOf(row: MarkerRow): StatementResult {
  assert(
    row.schema_deltas_json !== null && row.output_json !== null,
    "an applied marker has its result",
  );
  return {
    rowCount: Number(row.row_count),
    ...outputOfMarker(row.output_json),
    rowsKept: Number(row.rows_kept),
    rowCountIsLowerBound: row.row_count_is_lower_bound === "t",
    // Written by `applyMarker`.
    schemaDeltas: JSON.parse(row.schema_deltas_json) as StatementResult["schemaDeltas"],
  };
}
