/** The index by which a caller's own plans are found: who submitted a plan stands in its first change. */
export const indexSubmitters: readonly string[] = [
  `CREATE INDEX plan_changes_submitter ON plan_changes (
     org_id, coalesce(origins::json -> 0 -> 1 ->> 4, ''), coalesce(origins::json -> 0 -> 1 ->> 5, ''), plan_id)
     WHERE sequence = 1`,
];
