import type { Unsubscribe } from "../../../kernel/event-bus.js";
import type { HandoverListeners, PlanHandover } from "../../../plans/engine/index.js";
import type { PlanRef } from "../../../plans/ports.js";
import type { Database } from "../database.js";
import type { Signals } from "../signals.js";

/**
 * Transfers plans between nodes: by signals, and by columns of the plans' rows in case a signal is
 * lost.
 */
export class PostgresPlanHandover implements PlanHandover {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #node: { readonly nodeId: string };

  constructor(db: Database, signals: Signals, node: { readonly nodeId: string }) {
    this.#db = db;
    this.#signals = signals;
    this.#node = node;
  }

  async request(nodeId: string, ref: PlanRef): Promise<void> {
    this.#signals.requested(nodeId, ref);
    await this.#db.query(
      `UPDATE plans SET is_requested = true
       WHERE org_id = $1 AND plan_id = $2 AND owner_node = $3 AND NOT is_requested`,
      [ref.orgId, ref.planId, nodeId],
    );
  }

  async requested(): Promise<readonly PlanRef[]> {
    const rows = await this.#db.query<{ readonly org_id: string; readonly plan_id: string }>(
      `SELECT org_id, plan_id FROM plans WHERE is_requested AND owner_node = $1`,
      [this.#node.nodeId],
    );
    return rows.map((row) => ({ orgId: row.org_id, planId: row.plan_id }));
  }

  async release(nodeId: string, ref: PlanRef): Promise<void> {
    await this.#db.query(
      `UPDATE plans SET owner_node = NULL, is_requested = false
       WHERE org_id = $1 AND plan_id = $2 AND owner_node = $3`,
      [ref.orgId, ref.planId, nodeId],
    );
  }

  announceChange(ref: PlanRef): void {
    this.#signals.changed(ref);
  }

  listen({ changed, requested, missed }: HandoverListeners): Unsubscribe {
    this.#signals.on("changed", changed);
    this.#signals.on("requested", requested);
    this.#signals.on("missed", missed);
    return () => {
      this.#signals.off("changed", changed);
      this.#signals.off("requested", requested);
      this.#signals.off("missed", missed);
    };
  }
}
