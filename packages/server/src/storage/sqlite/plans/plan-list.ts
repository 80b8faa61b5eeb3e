import type { PartyNames } from "@steward/kernel/caller.js";
import type { PageRequest, StoredPlanFilter } from "../../../plans/index.js";
import { PLAN_COLUMNS, SUBMITTER_PLACES } from "../../plan-changes/index.js";
import type { SqliteValue } from "../connection.js";
import { IS_IN_TIME, type Query } from "../reads/read-calls.js";

/**
 * The statement of a page of plans, newest first: plan ids are ordered in time.
 *
 * It names the index that it reads, and the order of its joins. SQLite would read all plans of the
 * organization by the primary key instead, because that has the order of the page, and the store has
 * no statistics that say how few plans meet a condition.
 */
export function planListQuery(orgId: string, filter: StoredPlanFilter, page: PageRequest): Query {
  const { source, conditions, params, planId = "p.plan_id" } = sourceOf(orgId, filter);
  const narrow = (condition: string, value: string | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    params.push(value);
  };
  narrow("p.status = ?", filter.status);
  narrow("p.session_id = ?", filter.sessionId);
  narrow(
    "instr(lower(d.name || char(10) || d.description || char(10) || p.session_id || char(10) || p.plan_id), lower(?)) > 0",
    filter.text,
  );
  narrow(`${planId} < ?`, page.cursor);
  params.push(BigInt(page.limit + 1));
  return {
    sql: `SELECT ${PLAN_COLUMNS} FROM ${source}
       CROSS JOIN plan_definitions AS d ON d.org_id = p.org_id AND d.plan_id = p.plan_id
       WHERE ${conditions.join(" AND ")} ORDER BY ${planId} DESC LIMIT ?`,
    params,
  };
}

/** The tables that the page is read from, and the conditions that choose their rows. */
interface Source {
  readonly source: string;
  readonly conditions: string[];
  readonly params: SqliteValue[];
  /** The column that the first table has in order; absent: that of `plans`. */
  readonly planId?: string;
}

/**
 * Few plans of an organization are not over or have ended early, and a session has few of them; all
 * of these are read before a caller's own plans, which may be all plans of the organization.
 */
function sourceOf(orgId: string, { status, sessionId, submitter }: StoredPlanFilter): Source {
  const ofOrg = [IS_IN_TIME, "p.org_id = ?"];
  const indexed = (index: string, ...conditions: readonly string[]): Source => {
    const chosen = {
      source: `plans AS p INDEXED BY ${index}`,
      conditions: [...ofOrg, ...conditions],
    };
    const { sql, names } = submitterCondition(submitter);
    if (sql === "") return { ...chosen, params: [orgId] };
    // With an agent's name the index of submitters holds all that is asked; without one, it would be
    // searched for all plans of the person.
    const byName = submitter !== undefined && "agentId" in submitter;
    const submitterIndex = byName ? "plan_changes_submitter" : "plan_changes_by_plan";
    const isOwn = `EXISTS (SELECT 1 FROM plan_changes AS s INDEXED BY ${submitterIndex}
      WHERE s.org_id = p.org_id AND s.plan_id = p.plan_id AND s.sequence = 1${sql})`;
    // A unary plus keeps SQLite from making a join of the condition, which then may come first.
    return {
      ...chosen,
      conditions: [...chosen.conditions, `+${isOwn}`],
      params: [orgId, ...names],
    };
  };
  if (status === "pending" || status === "running") {
    return indexed("plans_unfinished", "p.finished_at_ms IS NULL");
  }
  if (status === "failed" || status === "cancelled") {
    return indexed("plans_ended_early", "(p.cancel_reason IS NOT NULL OR p.failure IS NOT NULL)");
  }
  if (sessionId !== undefined) return indexed("plans_by_session");
  if (submitter === undefined) return { source: "plans AS p", conditions: ofOrg, params: [orgId] };
  const { sql, names } = submitterCondition(submitter);
  return {
    source: `plan_changes AS s INDEXED BY plan_changes_submitter
       CROSS JOIN plans AS p ON p.org_id = s.org_id AND p.plan_id = s.plan_id`,
    conditions: [IS_IN_TIME, `s.org_id = ? AND s.sequence = 1${sql}`],
    params: [orgId, ...names],
    planId: "s.plan_id",
  };
}

/** The condition on a plan's first change, `s`, that a party has submitted the plan. */
function submitterCondition(submitter: StoredPlanFilter["submitter"]): {
  readonly sql: string;
  readonly names: readonly string[];
} {
  const own = Object.entries(submitter ?? {}) as [keyof PartyNames, string | undefined][];
  return {
    sql: own.map(([name]) => ` AND ${submitterName(name)} = ?`).join(""),
    names: own.map(([, value]) => value ?? ""),
  };
}

/** The expression that the index of submitters is made of. */
function submitterName(name: keyof PartyNames): string {
  return `coalesce(s.origins ->> '$[0][1][${String(SUBMITTER_PLACES[name])}]', '')`;
}
