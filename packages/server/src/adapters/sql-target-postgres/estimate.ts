import { DatabaseError } from "pg";
import type { StatementClass } from "../../governance/index.js";
import type { StatementEstimate, StatementToDescribe } from "../../plans/ports.js";
import type { Session } from "./session.js";

/** Classes of statements that EXPLAIN accepts. */
const PLANNED: ReadonlySet<StatementClass> = new Set<StatementClass>([
  "read_select",
  "write_insert",
  "write_update",
  "write_delete",
]);

/**
 * SQLSTATEs of statements that cannot be prepared: `syntax_error` of those that are never planned, such as
 * SHOW, and `indeterminate_datatype` where only a value would tell the type of a parameter.
 */
const NOT_PREPARED: ReadonlySet<string | undefined> = new Set(["42601", "42P18"]);

/** The name of the prepared statement, which lives no longer than its estimate. */
const PREPARED = "steward_estimate";

/**
 * The planner's estimate for a statement, in the open transaction. The values of its parameters are
 * not known yet, so the plan for any values is estimated: EXPLAIN of a prepared statement makes it
 * with `force_generic_plan`. EXPLAIN alone would have the values of the message that runs it.
 * @returns `undefined` for statements that the server does not plan.
 * @throws errors of the server, for example when the role may not read a table.
 */
export async function estimateOf(
  session: Session,
  { sql, parameterCount }: Pick<StatementToDescribe, "sql" | "parameterCount">,
  statementClass: StatementClass,
): Promise<StatementEstimate | undefined> {
  if (!PLANNED.has(statementClass)) return undefined;
  const values = Array.from({ length: parameterCount }, () => "NULL").join(", ");
  const execute = `EXECUTE ${PREPARED}${values === "" ? "" : `(${values})`}`;
  try {
    await session.command("SET LOCAL plan_cache_mode = force_generic_plan");
    // The extended protocol refuses a text with more than one statement.
    await session.query(`PREPARE ${PREPARED} AS ${sql}`);
  } catch (error) {
    if (error instanceof DatabaseError && NOT_PREPARED.has(error.code)) return undefined;
    throw error;
  }
  try {
    const [row] = await session.query(`EXPLAIN (FORMAT JSON) ${execute}`);
    await session.command(`DEALLOCATE ${PREPARED}`);
    return planEstimate(row?.["QUERY PLAN"]);
  } catch (error) {
    // A failed transaction keeps the prepared statement, so the session is not used again.
    session.spoil();
    throw error;
  }
}

/** The top node of a plan in EXPLAIN's JSON format. */
interface PlanNode {
  readonly "Node Type"?: unknown;
  readonly "Plan Rows"?: unknown;
  readonly "Total Cost"?: unknown;
  readonly Plans?: readonly PlanNode[];
}

function planEstimate(text: unknown): StatementEstimate | undefined {
  if (typeof text !== "string") return undefined;
  // The format is PostgreSQL's: a list with one plan.
  const [explained] = JSON.parse(text) as readonly { readonly Plan?: PlanNode }[];
  const top = explained?.Plan;
  // A write without RETURNING returns no rows itself; the node below it has those to be changed.
  const counted = top?.["Node Type"] === "ModifyTable" ? (top.Plans?.at(-1) ?? top) : top;
  const rows = counted?.["Plan Rows"];
  const cost = top?.["Total Cost"];
  if (typeof rows !== "number" || typeof cost !== "number") return undefined;
  return { rows, cost };
}
