import { assert } from "@steward/kernel/assert.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { PreparedStep } from "../../../plans/index.js";
import { preparedStepsOf } from "../../plan-changes/index.js";
import type { CommittedReads } from "../reads/store-reads.js";

/** Number of plans whose definitions are cached: decoding a stored call needs its step. */
const PLANS_MAX = 128;

/** The steps of a plan as they were submitted. */
export interface PlanDefinition {
  /** The column `steps`. */
  readonly text: string;
  readonly steps: readonly PreparedStep[];
}

/** The definitions of plans whose logs are being read, which the consumers of a log share. */
export class PlanDefinitions {
  readonly #db: CommittedReads;
  readonly #recent = new RecentMap<PlanDefinition>(PLANS_MAX);

  constructor(db: CommittedReads) {
    this.#db = db;
  }

  of(orgId: string, planId: string): PlanDefinition {
    return this.#recent.getOrMake(`${orgId} ${planId}`, () => {
      const row = this.#db.get<{ readonly steps: string }>(
        "SELECT steps FROM plan_definitions WHERE org_id = ? AND plan_id = ?",
        orgId,
        planId,
      );
      assert(row !== undefined, "a plan has its definition");
      return { text: row.steps, steps: preparedStepsOf(row.steps) };
    });
  }
}
