import { assert } from "../../kernel/assert.js";
import { RecentMap } from "../../kernel/recent-map.js";
import type { LoggedToolCall } from "../../kernel/tool-call.js";
import type { PreparedStep } from "../../plans/index.js";
import { callOf, preparedStepsOf } from "../plan-changes/index.js";
import type { StatementCache } from "./connection.js";

/** Plans whose steps are kept at hand: a call is told by its step, and a plan's calls come one by one. */
const PLANS_MAX = 64;

interface CallRow {
  readonly change: number;
  readonly org_id: string;
  readonly plan_id: string;
  readonly session_id: string;
  readonly call: string;
  readonly output: string | null;
}

/** The tool calls of every plan, in the order in which they were committed. */
export class LoggedCalls {
  readonly #db: StatementCache;
  readonly #steps = new RecentMap<readonly PreparedStep[]>(PLANS_MAX);

  constructor(db: StatementCache) {
    this.#db = db;
  }

  /**
   * Calls that were committed after a place in the log; a call's sequence is its place.
   * @param withOutputs outputs may be large, and not every reader looks at them.
   */
  after(place: number, limit: number, withOutputs: boolean): readonly LoggedToolCall[] {
    const rows = this.#db.all<CallRow>(
      `SELECT c.change, c.org_id, c.plan_id, p.session_id, c.call,
         ${withOutputs ? "c.output" : "NULL AS output"}
       FROM plan_changes AS c JOIN plans AS p USING (org_id, plan_id)
       WHERE c.change > ? AND c.call IS NOT NULL ORDER BY c.change LIMIT ?`,
      place,
      BigInt(limit),
    );
    return rows.map((row) => this.#loggedCallOf(row));
  }

  #loggedCallOf(row: CallRow): LoggedToolCall {
    const { org_id: orgId, plan_id: planId, session_id: sessionId } = row;
    const steps = this.#steps.getOrMake(`${orgId} ${planId}`, () => this.#readSteps(orgId, planId));
    const output = row.output ?? undefined;
    const record = callOf(row.call, { orgId, planId, sessionId, steps, output });
    return { sequence: row.change, record };
  }

  #readSteps(orgId: string, planId: string): readonly PreparedStep[] {
    const row = this.#db.get<{ readonly steps: string }>(
      "SELECT steps FROM plan_definitions WHERE org_id = ? AND plan_id = ?",
      orgId,
      planId,
    );
    assert(row !== undefined, "a plan has its definition");
    return preparedStepsOf(row.steps);
  }
}
