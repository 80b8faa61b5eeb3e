import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { AttemptRef, StatementResult } from "../../../plans/ports.js";
import { markerOutput, outputOfMarker } from "../../sql-target/marker-output.js";
import { MARKER_AGE_MS_MAX } from "../../limits.js";
import { MARKER_TABLE } from "../../own-tables.js";

// Not a STRICT table, which older SQLite tools of the file's owner could not read.
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS ${MARKER_TABLE} (
  org_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('applied', 'fenced')),
  row_count INTEGER,
  rows_kept INTEGER,
  row_count_is_lower_bound INTEGER,
  schema_deltas_json TEXT,
  output_json TEXT,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (org_id, plan_id, step_id)
)`;

/** The marker of a step. */
export type Marker =
  /** The step's write took effect; its result. */
  | { readonly outcome: "applied"; readonly result: StatementResult }
  /** This attempt and all earlier ones were abandoned and must never take effect. */
  | { readonly outcome: "fenced"; readonly attempt: number };

/**
 * The marker table. Every method must run in a write transaction, which excludes concurrent changes
 * of markers.
 */
export class StepMarkers {
  readonly #db: DatabaseSyncInstance;
  readonly #clock: Clock;

  constructor(db: DatabaseSyncInstance, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Creates the table if it does not exist. */
  ensureTable(): void {
    this.#db.exec(CREATE_TABLE);
  }

  hasTable(): boolean {
    const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
    return this.#db.prepare(sql).get(MARKER_TABLE) !== undefined;
  }

  find(step: AttemptRef): Marker | undefined {
    const row = this.#db
      .prepare(
        `SELECT attempt, outcome, row_count, rows_kept, row_count_is_lower_bound,
           schema_deltas_json, output_json
         FROM ${MARKER_TABLE} WHERE org_id = ? AND plan_id = ? AND step_id = ?`,
      )
      .get(step.orgId, step.planId, step.stepId) as MarkerRow | undefined;
    if (row === undefined) return undefined;
    return row.outcome === "applied"
      ? { outcome: "applied", result: resultOf(row) }
      : { outcome: "fenced", attempt: row.attempt };
  }

  /** Records that this attempt took effect. */
  apply(attempt: AttemptRef, result: StatementResult): void {
    this.#put(attempt, "applied", [
      result.rowCount,
      result.rowsKept,
      Number(result.rowCountIsLowerBound),
      JSON.stringify(result.schemaDeltas),
      markerOutput(result),
    ]);
  }

  /** Prevents this attempt and all earlier ones from taking effect. */
  fence(attempt: AttemptRef): void {
    this.#put(attempt, "fenced", [null, null, null, null, null]);
  }

  /** Deletes the markers of attempts whose results are stored elsewhere. */
  forget(attempts: readonly AttemptRef[]): void {
    if (attempts.length === 0) return;
    const remove = this.#db.prepare(
      `DELETE FROM ${MARKER_TABLE}
       WHERE org_id = ? AND plan_id = ? AND step_id = ? AND attempt <= ?`,
    );
    for (const { orgId, planId, stepId, attempt } of attempts) {
      remove.run(orgId, planId, stepId, attempt);
    }
  }

  /** Deletes the results of plans that are over. */
  deleteOf(orgId: string, planIds: readonly string[]): void {
    const remove = this.#db.prepare(
      `DELETE FROM ${MARKER_TABLE} WHERE org_id = ? AND plan_id = ? AND outcome = 'applied'`,
    );
    for (const planId of planIds) remove.run(orgId, planId);
  }

  /** Deletes expired markers. */
  purge(): void {
    this.#db
      .prepare(`DELETE FROM ${MARKER_TABLE} WHERE created_at_ms < ?`)
      .run(this.#clock.nowMs() - MARKER_AGE_MS_MAX);
  }

  #put(
    attempt: AttemptRef,
    outcome: Marker["outcome"],
    result: readonly (string | number | null)[],
  ): void {
    this.#db
      .prepare(
        `INSERT OR REPLACE INTO ${MARKER_TABLE} (org_id, plan_id, step_id, attempt, outcome,
           row_count, rows_kept, row_count_is_lower_bound, schema_deltas_json, output_json,
           created_at_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        attempt.orgId,
        attempt.planId,
        attempt.stepId,
        attempt.attempt,
        outcome,
        ...result,
        this.#clock.nowMs(),
      );
  }
}

interface MarkerRow {
  readonly attempt: number;
  readonly outcome: Marker["outcome"];
  readonly row_count: number | null;
  readonly rows_kept: number | null;
  readonly row_count_is_lower_bound: number | null;
  readonly schema_deltas_json: string | null;
  readonly output_json: string | null;
}

function resultOf(row: MarkerRow): StatementResult {
  assert(
    row.row_count !== null &&
      row.rows_kept !== null &&
      row.schema_deltas_json !== null &&
      row.output_json !== null,
    "an applied marker has its result",
  );
  return {
    rowCount: row.row_count,
    rowsKept: row.rows_kept,
    rowCountIsLowerBound: row.row_count_is_lower_bound === 1,
    // Written by `apply`.
    schemaDeltas: JSON.parse(row.schema_deltas_json) as StatementResult["schemaDeltas"],
    ...outputOfMarker(row.output_json),
  };
}
