/** Prefix of Steward's own tables in a data source, reserved for Steward. */
const PREFIX = "_steward_";

/** The table of markers, which records whose writes took effect (Decision §3). */
export const MARKER_TABLE = "_steward_steps";

/**
 * Creates the table of markers on PostgreSQL if it does not exist; docs/data-sources.md shows the
 * same statement.
 */
export const CREATE_MARKER_TABLE: string = `CREATE TABLE IF NOT EXISTS ${MARKER_TABLE} (
  org_id text NOT NULL,
  plan_id text NOT NULL,
  step_id text NOT NULL,
  attempt integer NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('applied', 'fenced')),
  row_count bigint,
  rows_kept integer,
  row_count_is_lower_bound boolean,
  schema_deltas_json text,
  output_json text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (org_id, plan_id, step_id)
)`;

/** Whether a name is that of one of Steward's own tables, in any schema and any case. */
export function isOwnTable(name: string): boolean {
  return name.toLowerCase().split(".").at(-1)?.startsWith(PREFIX) === true;
}
