import type { PartyNames } from "@steward/kernel/caller.js";
import type { PageRequest, StoredPlanFilter } from "../../../plans/index.js";
import { PLAN_COLUMNS, SUBMITTER_PLACES } from "../../plan-changes/index.js";
import type { PgValue } from "../database.js";

/** A statement with the values of its parameters. */
interface Query {
  readonly text: string;
  readonly values: readonly PgValue[];
}

/** The statement of a page of plans, newest first: plan ids are ordered in time. */
export function planListQuery(orgId: string, filter: StoredPlanFilter, page: PageRequest): Query {
  const { status, sessionId, submitter } = filter;
  const values: PgValue[] = [orgId];
  const conditions = ["p.org_id = $1", "d.org_id = $1"];
  const narrow = (condition: string, value: string | undefined): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  narrow("p.status =", status);
  const isUnfinished = status === "pending" || status === "running";
  const hasEndedEarly = status === "failed" || status === "cancelled";
  // Few plans are not over or end early, and an index finds them.
  if (isUnfinished) conditions.push("p.finished_at_ms IS NULL");
  if (hasEndedEarly) conditions.push("(p.cancel_reason IS NOT NULL OR p.failure IS NOT NULL)");
  narrow("p.session_id =", sessionId);
  if (filter.text !== undefined) {
    values.push(filter.text);
    // Texts that are compared in the collation C ignore the case of ASCII letters only, as on SQLite.
    conditions.push(
      `strpos(lower(concat_ws(E'\\n', d.name, d.description, p.session_id, p.plan_id) COLLATE "C"),
           lower($${values.length}::text COLLATE "C")) > 0`,
    );
  }
  narrow("p.plan_id <", page.cursor);
  if (submitter !== undefined) {
    const own = Object.entries(submitter) as [keyof PartyNames, string | undefined][];
    const names = own.map(([name, value]) => {
      values.push(value ?? "");
      return ` AND ${submitterName(name)} = $${String(values.length)}`;
    });
    const isFew = isUnfinished || hasEndedEarly || sessionId !== undefined;
    conditions.push(isFew ? submittedBy(names.join("")) : foundBySubmitter(names.join("")));
  }
  values.push(page.limit + 1);
  const text = `SELECT ${PLAN_COLUMNS} FROM plans AS p JOIN plan_definitions AS d USING (org_id, plan_id)
       WHERE ${conditions.join(" AND ")} ORDER BY p.plan_id DESC LIMIT $${values.length}`;
  return { text, values };
}

/**
 * Reads the first change of each plan that the other conditions leave. PostgreSQL does not make a join
 * of an expression with a subquery: it would read the changes of all plans that the caller submitted.
 */
function submittedBy(names: string): string {
  return `(SELECT true${names} FROM plan_changes AS s
        WHERE s.org_id = $1 AND s.plan_id = p.plan_id AND s.sequence = 1)`;
}

/** Reads the caller's own plans by the index of submitters. */
function foundBySubmitter(names: string): string {
  return `p.plan_id IN (SELECT s.plan_id FROM plan_changes AS s
        WHERE s.org_id = $1 AND s.sequence = 1${names})`;
}

/** The expression that the index of submitters is made of. */
function submitterName(name: keyof PartyNames): string {
  return `coalesce(s.origins::json -> 0 -> 1 ->> ${String(SUBMITTER_PLACES[name])}, '')`;
}
