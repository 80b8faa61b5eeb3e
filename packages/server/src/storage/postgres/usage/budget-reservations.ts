import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { AnnouncedToolCall } from "../../../governance/index.js";
import { BudgetLedger, chargeOf, PriceList, windowOf } from "../../../usage/index.js";
import type { Admission, Budget, BudgetReservations, Charge } from "../../../usage/ports.js";
import type { Connection, Database } from "../database.js";
import type { NodeLease } from "../node-lease.js";
import { totalsOf, type TotalsRow } from "./usage-rows.js";
import { BUDGET, budgetsOf } from "../../cold/budget-book.js";
import { PRICE, pricesOf } from "../../cold/price-book.js";
import { raw } from "../../cold/sql.js";
import { rowsOn } from "../sql-store.js";

/** How long the absence of budgets is cached for an organization, in ms. */
const UNLIMITED_MS = 1000;
/** Maximum number of cached organizations. */
const ORGANIZATIONS_MAX = 10_000;

/** An admitted call without a usage row: id, session, AAUs, nanodollars. */
type Reserved = readonly [callId: string, sessionId: string, aau: number, cost: string];

interface WindowRow extends TotalsRow {
  readonly reserved: readonly Reserved[];
}

/**
 * Budgets in PostgreSQL. A decision for an organization holds the lock on its budgets. One
 * statement reads both recorded usage and reservations, so that a call that moves from one to the
 * other counts once. Reservations of dead nodes do not count. The time of a call is this process's
 * time, as it is for prices that are set and calls that are recorded: by the database's time, which
 * a process only estimates, a price could still be in the future right after it was set.
 */
export class PostgresBudgetReservations implements BudgetReservations {
  readonly #db: Database;
  readonly #node: Pick<NodeLease, "nodeId">;
  readonly #clock: Clock;
  /** Until when the absence of budgets is cached, by organization, in ms of the process's clock. */
  readonly #unlimited = new Map<string, number>();

  constructor(db: Database, node: Pick<NodeLease, "nodeId">, clock: Clock) {
    this.#db = db;
    this.#node = node;
    this.#clock = clock;
  }

  async reserve(call: AnnouncedToolCall): Promise<Admission> {
    if (await this.#isUnlimited(call.orgId)) return { kind: "unlimited" };
    return this.#db.transaction((connection) => this.#reserveOn(connection, call));
  }

  /** Waits for its turn too, because a reservation with an unknown outcome may be in progress. */
  release(orgId: string, callId: string): Promise<void> {
    return this.#db.transaction(async (connection) => {
      await rowsOn(connection, budgetsOf(orgId, raw("FOR UPDATE")), BUDGET);
      await connection.query(`DELETE FROM usage_reservations WHERE org_id = $1 AND call_id = $2`, [
        orgId,
        callId,
      ]);
    });
  }

  refresh(orgId: string): void {
    this.#unlimited.delete(orgId);
  }

  /** An organization without budgets costs one query each second, and no lock. */
  async #isUnlimited(orgId: string): Promise<boolean> {
    const now = performance.now();
    if ((this.#unlimited.get(orgId) ?? 0) > now) return true;
    if ((await rowsOn(this.#db, budgetsOf(orgId), BUDGET)).length > 0) return false;
    if (this.#unlimited.size >= ORGANIZATIONS_MAX) this.#unlimited.clear();
    this.#unlimited.set(orgId, now + UNLIMITED_MS);
    return true;
  }

  async #reserveOn(connection: Connection, call: AnnouncedToolCall): Promise<Admission> {
    const { orgId, eventId, sessionId } = call;
    const budgets = await rowsOn(connection, budgetsOf(orgId, raw("FOR UPDATE")), BUDGET);
    const nowMs = this.#clock.nowMs();
    const prices = new PriceList(await rowsOn(connection, pricesOf(orgId), PRICE));
    const charge = chargeOf(call, prices, nowMs);
    const ledger = await ledgerOf(connection, orgId, budgets, { charge, nowMs });
    const admission = ledger.reserve(eventId, charge, nowMs);
    if (admission.kind === "admitted") {
      await connection.query(
        `INSERT INTO usage_reservations
           (org_id, call_id, session_id, aau, nanodollars, node_id)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [orgId, eventId, sessionId, charge.aau, charge.cost, this.#node.nodeId],
      );
    }
    return admission;
  }
}

/** Usage and reservations that count against the budgets of a call. */
async function ledgerOf(
  connection: Connection,
  orgId: string,
  budgets: readonly Budget[],
  { charge, nowMs }: { readonly charge: Charge; readonly nowMs: number },
): Promise<BudgetLedger> {
  const windows = budgets.map((budget) => windowOf(budget, charge.sessionId, nowMs));
  const rows = await connection.query<WindowRow>(
    `SELECT coalesce(sum(t.action_count), 0)::bigint AS action_count,
       coalesce(sum(t.total_aau), 0)::bigint AS total_aau,
       coalesce(sum(t.total_nanodollars), 0)::text AS cost,
       (SELECT coalesce(json_agg(json_build_array(r.call_id, r.session_id, r.aau,
           r.nanodollars::text)), '[]')
        FROM usage_reservations AS r WHERE r.org_id = $1
          AND r.node_id IN (SELECT node_id FROM nodes WHERE org_id = $5)) AS reserved
     FROM unnest($2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY
       AS w (session, from_ms, until_ms, place)
     LEFT JOIN usage_totals AS t ON t.org_id = $1 AND t.grain = 'day'
       AND t.dimension = CASE WHEN w.session IS NULL THEN 'total' ELSE 'session' END
       AND t.key = coalesce(w.session, '')
       AND t.bucket_ms >= w.from_ms AND t.bucket_ms < w.until_ms
     GROUP BY w.place ORDER BY w.place`,
    [
      orgId,
      windows.map(({ sessionId }) => sessionId ?? null),
      windows.map(({ fromMs }) => fromMs),
      windows.map(({ untilMs }) => untilMs ?? Number.MAX_SAFE_INTEGER),
      NIL_ORG_ID,
    ],
  );
  // A ledger without budgets admits everything; here it only transports the reservations.
  const underWay = new BudgetLedger([]);
  for (const [callId, sessionId, aau, cost] of rows[0]?.reserved ?? []) {
    underWay.reserve(callId, { sessionId, aau, cost: BigInt(cost) }, nowMs);
  }
  const ledger = new BudgetLedger(budgets, underWay);
  for (const [index, window] of windows.entries()) {
    const row = rows[index];
    if (row !== undefined) ledger.know(window, totalsOf(row));
  }
  return ledger;
}
