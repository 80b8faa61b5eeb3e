import { assert } from "@steward/kernel/assert.js";
import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import {
  digestOf,
  isConcurrentDrop,
  type MigrationWaits,
  type RunOrder,
  type RunOutcome,
  type Schema,
  type Script,
  stepsOf,
  type Unit,
  unfinishedError,
  type UnfinishedRun,
  unitsOf,
} from "../index.js";
import type { Checks } from "../ports.js";
import { findIndex } from "./index-under-way.js";
import { RELATIONS_OF_TRANSACTION, type RunJournal } from "./journal.js";
import { refuseChangedRows } from "./row-checks.js";
import { introspectLive, introspectTouched, NO_SEARCH_PATH } from "./session.js";
import type { StatementRunner } from "./statement-runner.js";

/** The parts of a run; the connection holds the migration lock. */
export interface JournaledRunParts {
  /** Name of the data source, for messages. */
  readonly name: string;
  readonly client: pg.Client;
  readonly journal: RunJournal;
  readonly runner: StatementRunner;
  readonly waits: MigrationWaits;
}

/**
 * One run of a script. A script of one transaction needs no journal. In a longer script, each
 * transaction updates the journal itself, and an index that is built or dropped outside transactions
 * is journaled before and after. So after a crash at any point, the journal and the catalogs together tell what
 * has taken effect.
 */
export class JournaledRun {
  readonly #parts: JournaledRunParts;
  readonly #units: readonly Unit[];
  readonly #digest: string;
  readonly #checks: Checks;
  readonly #order: RunOrder;
  #journal: RunJournal;
  /** Whether the journal contains this run, rather than the one that it replaces. */
  #isJournaled: boolean;
  #unitsDone: number;
  /** Whether the next transaction is the first one of this run. */
  #isFirst = true;

  constructor(parts: JournaledRunParts, script: Script, checks: Checks, order: RunOrder) {
    this.#parts = parts;
    this.#units = unitsOf(script);
    this.#digest = digestOf(script);
    this.#checks = checks;
    this.#order = order;
    this.#journal = parts.journal;
    this.#isJournaled = order.continues !== undefined;
    this.#unitsDone = order.continues?.unitsDone ?? 0;
  }

  async run(): Promise<RunOutcome> {
    const { client } = this.#parts;
    const unfinished = await this.#takenUp();
    await client.query(`${NO_SEARCH_PATH}; SET check_function_bodies = off`);
    if (unfinished?.begunIndex !== undefined) await this.#settleIndex(unfinished.begunIndex);
    const before = await introspectLive(client);
    await this.#checks.before(before);
    const isOneTransaction =
      this.#units.length === 1 && this.#units[0]?.concurrentIndex === undefined;
    if (!isOneTransaction) this.#journal = await this.#journal.made();
    try {
      const units = this.#units.slice(this.#unitsDone);
      for (const unit of units) {
        const { concurrentIndex } = unit;
        if (unit !== units[0]) await this.#checks.between?.();
        if (concurrentIndex === undefined)
          await this.#runTransaction(unit, isOneTransaction ? before : undefined);
        else if (isConcurrentDrop(unit)) await this.#dropReplaced(concurrentIndex);
        else await this.#makeIndex(unit, concurrentIndex);
        this.#unitsDone += 1;
      }
      if (this.#units.at(-1)?.concurrentIndex !== undefined) await this.#endOutside();
      return { status: "done" };
    } catch (thrown) {
      return await this.#stop(AppError.from(thrown));
    }
  }

  /**
   * The unfinished run that this run resumes or replaces.
   * @throws AppError for any other unfinished run.
   */
  async #takenUp(): Promise<UnfinishedRun | undefined> {
    const { name } = this.#parts;
    const unfinished = await this.#journal.read();
    const expected = this.#order.continues ?? this.#order.replaces;
    if (unfinished === undefined && expected === undefined) return undefined;
    if (unfinished === undefined) {
      throw new AppError(
        "STATE_CONFLICT",
        `Another session has ended the unfinished run of ${name}`,
      );
    }
    const isSame =
      expected?.digest === unfinished.digest && expected.unitsDone === unfinished.unitsDone;
    if (!isSame) throw unfinishedError(name, unfinished);
    return unfinished;
  }

  /**
   * Cleans up an index after a crash: a complete index is kept, an incomplete one is dropped, and
   * the drop of a replaced index is finished.
   */
  async #settleIndex(index: string): Promise<void> {
    const found = await findIndex(this.#parts.client, index);
    const isBuild = this.#units[this.#unitsDone]?.concurrentIndex === index;
    const isKept = this.#order.continues !== undefined && isBuild && found?.isValid === true;
    if (isKept) {
      this.#unitsDone += 1;
      await this.#journal.advance(this.#unitsDone, [found.nativeId]);
      return;
    }
    if (found !== undefined) await this.#dropIndex(index);
    await this.#journal.beginIndex(undefined);
  }

  /** @param before the schema before the transaction, if known. */
  async #runTransaction(unit: Unit, before: Schema | undefined): Promise<void> {
    const { client, runner, waits } = this.#parts;
    const isLast = this.#unitsDone === this.#units.length - 1;
    await client.query("BEGIN");
    try {
      await client.query(`SET LOCAL lock_timeout = ${String(waits.lockMs)}`);
      if (this.#isFirst) await this.#refuseRows();
      for (const step of stepsOf(unit)) {
        if (typeof step === "string") await runner.run(step);
        else if (!this.#order.acceptDataLoss) await refuseChangedRows(client, step);
      }
      if (isLast) await this.#checks.after(await this.#reached(before));
      await this.#journalTransaction(isLast);
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
    await runner.commit();
    this.#isFirst = false;
  }

  /** The schema as of the current transaction. */
  #reached(before: Schema | undefined): Promise<Schema> {
    const { client } = this.#parts;
    const { concerned } = this.#checks;
    return before === undefined || concerned === undefined
      ? introspectLive(client)
      : introspectTouched(client, before, concerned);
  }

  async #refuseRows(): Promise<void> {
    const { client, runner } = this.#parts;
    for (const { table, query, finding } of this.#checks.rows ?? []) {
      if (table !== undefined) await runner.run(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const { rowCount } = await client.query(query);
      if (rowCount !== 0) {
        throw new AppError(
          "APPROVAL_REQUIRED",
          `Data would be lost (${finding}): to accept the loss, set accept_data_loss`,
        );
      }
    }
  }

  /** Updates the journal inside the transaction. */
  async #journalTransaction(isLast: boolean): Promise<void> {
    const { client } = this.#parts;
    if (isLast) {
      if (this.#isJournaled || this.#order.replaces !== undefined) await this.#journal.end();
      return;
    }
    if (!this.#isJournaled) await this.#begin();
    const { rows } = await client.query<{ id: string }>(RELATIONS_OF_TRANSACTION);
    await this.#journal.advance(
      this.#unitsDone + 1,
      rows.map(({ id }) => id),
    );
  }

  async #begin(): Promise<void> {
    const { identity, replaces } = this.#order;
    const script = { digest: this.#digest, unitCount: this.#units.length };
    await this.#journal.begin(identity, script, replaces?.madeRelations ?? []);
    this.#isJournaled = true;
  }

  /** Builds an index with CONCURRENTLY. The journal names the index before the build begins. */
  async #makeIndex({ statements }: Unit, index: string): Promise<void> {
    const { client, runner, waits } = this.#parts;
    const [sql] = statements;
    assert(sql !== undefined, "the unit builds an index");
    if (!this.#isJournaled) await this.#begin();
    await client.query(`SET lock_timeout = ${String(waits.indexMs)}`);
    if ((await findIndex(client, index)) !== undefined) {
      throw new AppError(
        "STATE_CONFLICT",
        `Another session has created ${index} meanwhile; drop or rename it, then try again`,
      );
    }
    await this.#journal.beginIndex(index);
    try {
      await runner.run(sql);
    } catch (error) {
      await this.#clearFailedIndex(index);
      throw error;
    }
    const made = await findIndex(client, index);
    await this.#journal.advance(this.#unitsDone + 1, made === undefined ? [] : [made.nativeId]);
  }

  /**
   * Drops the invalid index that a failed build leaves, because every write would have to maintain
   * it.
   */
  async #clearFailedIndex(index: string): Promise<void> {
    try {
      const left = await findIndex(this.#parts.client, index);
      if (left?.isValid === false) await this.#dropIndex(index);
      await this.#journal.beginIndex(undefined);
    } catch {
      // The connection was lost, or the lock was not available. The journal names the remaining
      // work.
    }
  }

  /**
   * Drops a replaced index with CONCURRENTLY. The journal counts it as dropped before the drop
   * begins, because a drop that has begun can only be finished.
   */
  async #dropReplaced(index: string): Promise<void> {
    await this.#journal.advance(this.#unitsDone + 1, [], index);
    await this.#dropIndex(index);
    await this.#journal.beginIndex(undefined);
  }

  async #dropIndex(index: string): Promise<void> {
    const { client, runner, waits } = this.#parts;
    await client.query(`SET lock_timeout = ${String(waits.indexMs)}`);
    await runner.run(`DROP INDEX CONCURRENTLY ${index}`);
  }

  async #endOutside(): Promise<void> {
    await this.#checks.after(await introspectLive(this.#parts.client));
    await this.#journal.end();
  }

  /** Reports an error: either nothing has taken effect, or the journal says what has. */
  async #stop(error: AppError): Promise<RunOutcome> {
    if (this.#parts.runner.isLost) throw error;
    const run = this.#isJournaled ? await this.#journal.read() : undefined;
    if (run === undefined) throw nothingChanged(error);
    if (run.unitsDone === 0 && run.begunIndex === undefined && run.purpose === "migrate") {
      await this.#journal.end();
      throw nothingChanged(error);
    }
    await this.#journal.stop(error.message);
    return { status: "stopped", run: { ...run, error: error.message }, error };
  }
}

function nothingChanged(error: AppError): AppError {
  const { code, message, details, retryAfterMs } = error;
  return new AppError(code, `Nothing was changed: ${message}`, {
    ...{ cause: error, details },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
