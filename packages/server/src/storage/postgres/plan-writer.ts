import { setTimeout as delay } from "node:timers/promises";
import type { AppError } from "../../kernel/errors.js";
import { LEASE_MS } from "../../kernel/limits.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { AppendStatement } from "./append-statement.js";
import { ConnectionLost, sqlStateOf, UNIQUE_VIOLATION, type Database } from "./database.js";
import type { NodeLease } from "./node-lease.js";
import type { OpenPlan, PlanUnit } from "./open-plan.js";

/** Another node has written to the plan: nothing of the unit was kept. */
export class PlanConflict extends Error {
  override readonly name = "PlanConflict";
}

/** Statements under way at once for one organization: while one commits, the next is made. */
const IN_FLIGHT_MAX = 2;
/** Plans in one statement, at most. */
const BATCH_PLANS_MAX = 256;
/** How long a unit waits for a database that does not answer, in ms, before its caller is told. */
const PATIENCE_MS = 5000;
/** Pause before a database that does not answer is asked again, in ms. */
const RETRY_MS = 100;

/** The plans of one organization that are to be written. */
interface Lane {
  readonly orgId: string;
  readonly plans: Set<OpenPlan>;
  inFlight: number;
  isScheduled: boolean;
}

/**
 * Group commit: the changes of many plans of one organization go in one statement, so that they share
 * its round trip and its fsync. A statement whose answer was lost is read back.
 */
export class PlanWriter {
  readonly #db: Database;
  readonly #node: Pick<NodeLease, "nodeId">;
  readonly #telemetry: Telemetry;
  readonly #onWritten: (unit: PlanUnit) => void;
  readonly #lanes = new Map<string, Lane>();

  /** @param onWritten told of each unit that took effect, before its waiters are. */
  constructor(
    db: Database,
    node: Pick<NodeLease, "nodeId">,
    telemetry: Telemetry,
    onWritten: (unit: PlanUnit) => void,
  ) {
    this.#db = db;
    this.#node = node;
    this.#telemetry = telemetry;
    this.#onWritten = onWritten;
  }

  /** Has what was sealed of the plan written soon, after what is under way. */
  submit(plan: OpenPlan): void {
    const { orgId } = plan.ref;
    let lane = this.#lanes.get(orgId);
    if (lane === undefined) {
      lane = { orgId, plans: new Set(), inFlight: 0, isScheduled: false };
      this.#lanes.set(orgId, lane);
    }
    lane.plans.add(plan);
    this.#pump(lane);
  }

  /** One statement to a turn of the event loop: what comes in that turn goes together. */
  #pump(lane: Lane): void {
    if (lane.isScheduled || lane.inFlight >= IN_FLIGHT_MAX) return;
    if (lane.plans.size === 0) {
      if (lane.inFlight === 0) this.#lanes.delete(lane.orgId);
      return;
    }
    lane.isScheduled = true;
    setImmediate(() => {
      lane.isScheduled = false;
      const units = takeUnits(lane.plans);
      if (units.length === 0) return;
      lane.inFlight += 1;
      void this.#write(lane.orgId, units).finally(() => {
        lane.inFlight -= 1;
        // One that was changed while it was written is still in the lane.
        this.#pump(lane);
      });
      this.#pump(lane);
    });
  }

  /**
   * Settles every unit, whatever happens.
   * @param isUnsure whether they may have been written before, with the answer lost.
   */
  async #write(orgId: string, units: readonly PlanUnit[], isUnsure = false): Promise<void> {
    this.#telemetry.count("steward_store_commits_total");
    const statement = new AppendStatement(orgId, units, {
      nodeId: this.#node.nodeId,
      forMs: LEASE_MS,
    });
    const giveUpAt = performance.now() + PATIENCE_MS;
    let mayBeThere = isUnsure;
    for (;;) {
      try {
        const isDone = await this.#isWritten(statement, units, mayBeThere);
        for (const unit of units) this.#settle(unit, isDone);
        return;
      } catch (error) {
        if (isRefusal(error)) return this.#writeApart(orgId, units, error as AppError, mayBeThere);
        mayBeThere ||= error instanceof ConnectionLost;
        if (performance.now() > giveUpAt) {
          for (const unit of units) unit.settle(error as Error);
          return;
        }
        await delay(RETRY_MS);
      }
    }
  }

  /** @returns false when the sequence of the only unit is taken; of several, that is thrown. */
  async #isWritten(
    statement: AppendStatement,
    units: readonly PlanUnit[],
    mayBeThere: boolean,
  ): Promise<boolean> {
    try {
      await statement.run(this.#db);
      return true;
    } catch (error) {
      const [only, ...others] = units;
      const isTaken = sqlStateOf(error) === UNIQUE_VIOLATION;
      if (!isTaken || only === undefined || others.length > 0) throw error;
      return mayBeThere && (await statement.isThere(this.#db));
    }
  }

  /** One unit that the database refuses must not take its neighbours with it. */
  async #writeApart(
    orgId: string,
    units: readonly PlanUnit[],
    error: AppError,
    isUnsure: boolean,
  ): Promise<void> {
    const [only, ...others] = units;
    if (only !== undefined && others.length === 0) {
      only.settle(error);
      return;
    }
    for (const unit of units) await this.#write(orgId, [unit], isUnsure);
  }

  #settle(unit: PlanUnit, isDone: boolean): void {
    if (isDone) {
      this.#onWritten(unit);
      unit.settle();
    } else {
      unit.settle(new PlanConflict());
    }
  }
}

function takeUnits(plans: Set<OpenPlan>): readonly PlanUnit[] {
  const units: PlanUnit[] = [];
  for (const plan of plans) {
    if (units.length >= BATCH_PLANS_MAX) break;
    if (plan.hasUnit) units.push(plan.takeUnit());
    // What is under way keeps its place in the lane only while more waits behind it.
    if (!plan.hasWaiting) plans.delete(plan);
  }
  return units;
}

/** The database has understood and will say the same again. */
function isRefusal(error: unknown): boolean {
  return !(error instanceof ConnectionLost) && sqlStateOf(error) !== undefined;
}
