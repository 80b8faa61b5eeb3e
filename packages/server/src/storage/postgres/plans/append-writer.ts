import { setTimeout as delay } from "node:timers/promises";
import type { AppError } from "@steward/kernel/errors.js";
import { LEASE_MS } from "../../../plans/limits.js";
import type { Telemetry } from "../../../kernel/telemetry.js";
import { AppendStatement } from "./append-statement.js";
import { sqlStateOf } from "@steward/postgres";
import { OutcomeUnknown, UNIQUE_VIOLATION, type Database } from "../database.js";
import { GroupCommit, type Waiting } from "../group-commit.js";
import type { NodeLease } from "../node-lease.js";
import { isRefusal } from "../settled.js";
import type { WebhookOutbox } from "../../../webhooks/index.js";
import { webhookNewsOf } from "../../plan-changes/index.js";
import { PlanConflict, type AppendSource, type PlanUnit } from "../../../plans/engine/index.js";

/** Concurrent statements for one organization: while one commits, the next is prepared. */
const IN_FLIGHT_MAX = 2;
/** Maximum number of plans in one statement. */
const BATCH_PLANS_MAX = 256;
/**
 * How long a unit waits for a database that does not answer before its caller gets an error, in ms.
 */
const PATIENCE_MS = 5000;
/** Pause before a database that does not answer is tried again, in ms. */
const RETRY_MS = 100;

/** A unit being written, with the callbacks of its waiter. */
interface Writing extends Waiting<AppendSource> {
  readonly unit: PlanUnit;
}

/**
 * Group commit: the changes of many plans of one organization are written by one statement and
 * share its round trip and its fsync. When the answer to a statement is lost, the rows are read to
 * find out whether it took effect.
 */
export class AppendWriter {
  readonly #db: Database;
  readonly #node: Pick<NodeLease, "nodeId">;
  readonly #telemetry: Telemetry;
  readonly #onWritten: (unit: PlanUnit) => void;
  readonly #outbox: WebhookOutbox;
  readonly #commits = new GroupCommit<AppendSource>({
    batchMax: BATCH_PLANS_MAX,
    inFlightMax: IN_FLIGHT_MAX,
    write: (orgId, waiting) =>
      this.#write(
        orgId,
        waiting.map((each) => ({ ...each, unit: each.item.takeUnit() })),
      ),
  });

  /** @param onWritten called with each unit that took effect, before its waiters are notified. */
  constructor(
    db: Database,
    node: Pick<NodeLease, "nodeId">,
    telemetry: Telemetry,
    onWritten: (unit: PlanUnit) => void,
    outbox: WebhookOutbox,
  ) {
    this.#outbox = outbox;
    this.#db = db;
    this.#node = node;
    this.#telemetry = telemetry;
    this.#onWritten = onWritten;
  }

  /**
   * Writes the unit that the source returns when the write starts. Resolves when it is durable.
   * @throws PlanConflict; AppError `STORE_UNAVAILABLE`.
   */
  append(source: AppendSource): Promise<void> {
    return this.#commits.add(source.ref.orgId, source);
  }

  /**
   * Settles every unit in every case.
   * @param isUnsure whether an earlier write with a lost answer may have stored them.
   */
  async #write(orgId: string, units: readonly Writing[], isUnsure = false): Promise<void> {
    this.#telemetry.count("steward_store_commits_total");
    const deliveries = this.#outbox.deliveriesOf(orgId, () =>
      webhookNewsOf(units.map(({ unit }) => unit)),
    );
    const statement = new AppendStatement(
      orgId,
      units.map(({ unit }) => unit),
      { nodeId: this.#node.nodeId, forMs: LEASE_MS },
      deliveries,
    );
    const giveUpAt = performance.now() + PATIENCE_MS;
    let mayBeThere = isUnsure;
    for (;;) {
      try {
        const isDone = await this.#append(statement, units, mayBeThere);
        for (const each of units) this.#settle(each, isDone);
        this.#outbox.announce(deliveries);
        return;
      } catch (error) {
        if (isRefusal(error)) return this.#writeApart(orgId, units, error as AppError, mayBeThere);
        mayBeThere ||= error instanceof OutcomeUnknown;
        if (performance.now() > giveUpAt) {
          for (const { reject } of units) reject(error as Error);
          return;
        }
        await delay(RETRY_MS);
      }
    }
  }

  /**
   * Writes the units. @returns false when the sequence of a single unit is taken; with several
   * units it throws instead.
   */
  async #append(
    statement: AppendStatement,
    units: readonly Writing[],
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

  /** A unit that the database refuses must not fail the other units. */
  async #writeApart(
    orgId: string,
    units: readonly Writing[],
    error: AppError,
    isUnsure: boolean,
  ): Promise<void> {
    const [only, ...others] = units;
    if (only !== undefined && others.length === 0) {
      only.reject(error);
      return;
    }
    for (const unit of units) await this.#write(orgId, [unit], isUnsure);
  }

  #settle({ unit, resolve, reject }: Writing, isDone: boolean): void {
    if (isDone) {
      this.#onWritten(unit);
      resolve();
    } else {
      reject(new PlanConflict());
    }
  }
}
