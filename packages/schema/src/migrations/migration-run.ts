import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import { checkpoint, type PlannedScript } from "./checkpoint.js";
import {
  type Concern,
  type ConcernedDifferences,
  concernedDifferences,
  concernedRelations,
  concernOf,
} from "../changes/concern.js";
import { refuseDifferences, refusingDrift } from "./drift.js";
import { withLayoutOf } from "../model/layout.js";
import { lint } from "../lint/lint.js";
import { withoutInvalidIndexes } from "../postgres/objects/invalid-indexes.js";
import { lossGuards } from "../postgres/loss-guards.js";
import { qualified } from "../postgres/objects/names.js";
import type { Checks, RunIdentity, RunOutcome, SchemaDatabase, UnfinishedRun } from "../ports.js";
import { refuseLoss } from "./refusals.js";
import { isPostgres, type Schema } from "../model/schema.js";
import { scriptBetween } from "../scripts/script.js";
import { digestOf, isConcurrentDrop, unitsOf } from "../scripts/script-units.js";
import { sayRun, unfinishedError, waysOut } from "./unfinished-run.js";

/** A migration in the direction in which it runs. */
export interface MigrationPath extends PlannedScript {
  readonly migrationId: string;
  readonly direction: "up" | "down";
  /** The schema recorded before the run, with native ids. */
  readonly recorded: Schema;
  /** Asks whether the caller may still run it; an automatic undo does not ask. */
  readonly confirm: () => Promise<void>;
}

/** Whether the caller accepts the loss of rows and values. */
export interface LossOptions {
  readonly acceptDataLoss: boolean;
}

/**
 * Runs a migration's script on a database: for the first time, resuming after an interruption, or
 * undoing an interrupted run. However a run ends, it changes only objects that the script names.
 */
export class MigrationRun {
  readonly #database: SchemaDatabase;
  readonly #path: MigrationPath;

  constructor(database: SchemaDatabase, path: MigrationPath) {
    this.#database = database;
    this.#path = path;
  }

  /**
   * Runs the whole script. A run that fails half way is undone, if undoing loses no data.
   * @returns the schema after the run.
   * @throws AppError why the run failed, and whether any of its changes are left.
   */
  async start(options: LossOptions): Promise<Schema> {
    const { from, to, script, confirm } = this.#path;
    let reached = to;
    const isOneUnit = script.length === 1 && script[0]?.isAtomic === true;
    const checks: Checks = {
      concerned: concernedRelations({ from, to }, this.#path.recorded),
      before: async (draft) => {
        await withPauses(refusingDrift(this.#database.name, from, draft));
        await confirm();
      },
      between: confirm,
      after: async (draft) => {
        await confirm();
        reached = isOneUnit
          ? await withPauses(refusingDrift(this.#database.name, to, draft))
          : await this.#promised(draft);
      },
    };
    const identity = this.#identity("migrate", 0);
    const outcome = await this.#database.apply(script, checks, { identity, ...options });
    if (outcome.status === "done") return reached;
    throw await this.#afterStop(outcome.run, outcome.error, options);
  }

  /**
   * Resumes an interrupted run.
   * @returns the resulting schema; undefined when the interrupted run was an undo.
   */
  async resume(run: UnfinishedRun, options: LossOptions): Promise<Schema | undefined> {
    if (run.purpose === "undo") {
      await this.#undo(await this.#reached(run.undoneUnits), run, options);
      return undefined;
    }
    const { from, to, script, confirm } = this.#path;
    refuseOtherScript(script, run);
    refuseLoss(lint(from, to, script), options.acceptDataLoss);
    const possible = await possibleSchemas(this.#database, this.#path, run);
    const concern = concernOf(from, to);
    let reached = to;
    const outcome = await this.#database.apply(
      script,
      {
        before: async (draft) => {
          await this.#refuseOthersChanges({ possible, concern, extras: false }, draft, run);
          await confirm();
        },
        between: confirm,
        after: async (draft) => {
          await confirm();
          reached = await this.#promised(draft);
        },
      },
      { identity: this.#identity("migrate", 0), continues: run, ...options },
    );
    this.#refuseStop(outcome);
    return reached;
  }

  /** Undoes the changes of an interrupted run, and nothing else. */
  async undo(run: UnfinishedRun, options: LossOptions): Promise<void> {
    if (run.purpose === "undo") {
      await this.resume(run, options);
      return;
    }
    refuseOtherScript(this.#path.script, run);
    await this.#undo(await this.#reached(run.unitsDone), run, options);
  }

  /**
   * Undoes a failed first run, unless the caller accepted the loss of data or the schema is already
   * the wanted one.
   * @returns the error to report.
   */
  async #afterStop(
    run: UnfinishedRun,
    error: AppError,
    { acceptDataLoss }: LossOptions,
  ): Promise<AppError> {
    const { from, to, script } = this.#path;
    const isLossy =
      script.some(({ checks }) => checks !== undefined) ||
      lint(from, to, script).some(({ code }) => code === "destructive");
    const isReached = unitsOf(script).slice(run.unitsDone).every(isConcurrentDrop);
    const withMessage = (message: string): AppError =>
      new AppError(error.code, message, { cause: error });
    if (isReached || (acceptDataLoss && isLossy)) {
      const why = isReached ? "only replaced indexes are left to drop" : "data loss was accepted";
      const left = `it is not undone automatically, because ${why}`;
      return withMessage(`${sayRun(this.#database.name, run)}; ${left}. ${waysOut(run)}`);
    }
    try {
      await this.#undo(await this.#reached(run.unitsDone), run, { acceptDataLoss: false });
    } catch (thrown) {
      const { message } = AppError.from(thrown);
      const left = (await this.#database.unfinishedRun()) ?? run;
      return withMessage(
        `${sayRun(this.#database.name, run)}. Its changes could not be undone: ${message}. ${waysOut(left)}`,
      );
    }
    return withMessage(`${error.message}. All changes that the migration had made were undone`);
  }

  async #undo(halfway: Schema, run: UnfinishedRun, { acceptDataLoss }: LossOptions): Promise<void> {
    const from = withoutInvalidIndexes(this.#path.from);
    const script = scriptBetween(halfway, from);
    const isBegun = run.purpose === "undo";
    if (isBegun) refuseOtherScript(script, run);
    const undoneUnits = isBegun ? run.undoneUnits : run.unitsDone;
    const { guards, guarded } = lossGuards(halfway, from);
    const others = lint(halfway, from, script).filter(({ object }) => !guarded.has(object));
    refuseLoss(others, acceptDataLoss);
    const concern = concernOf(halfway, from);
    const possible = isBegun
      ? await possibleSchemas(this.#database, { from: halfway, to: from, script }, run)
      : [halfway];
    const outcome = await this.#database.apply(
      script,
      {
        before: (draft) =>
          this.#refuseOthersChanges({ possible, concern, extras: true }, draft, run),
        after: async (draft) => {
          const { differences } = await withPauses(
            concernedDifferences(from, draft, concern, { extras: false }),
          );
          refuseDifferences(this.#database.name, differences);
        },
        rows: acceptDataLoss ? [] : guards,
      },
      {
        identity: this.#identity("undo", undoneUnits),
        acceptDataLoss,
        ...(isBegun ? { continues: run } : { replaces: run }),
      },
    );
    this.#refuseStop(outcome);
  }

  /** The actual schema, as far as the migration concerns it. */
  #reached(unitsDone: number): Promise<Schema> {
    return checkpoint(this.#database, this.#path, unitsDone);
  }

  /**
   * Verifies that the schema is the one the migration promises.
   * @throws AppError `STATE_CONFLICT` when it is not.
   */
  async #promised(draft: Schema): Promise<Schema> {
    const { from, to } = this.#path;
    const concern = concernOf(from, to);
    const found = await withPauses(concernedDifferences(to, draft, concern, { extras: false }));
    refuseDifferences(this.#database.name, found.differences);
    return withLayoutOf(to, found.live);
  }

  async #refuseOthersChanges(
    { possible, concern, extras }: Expectation,
    draft: Schema,
    run: UnfinishedRun,
  ): Promise<void> {
    const compared: ConcernedDifferences[] = [];
    for (const expected of possible) {
      compared.push(await withPauses(concernedDifferences(expected, draft, concern, { extras })));
    }
    const found = compared.find((each) => each.differences.length === 0) ?? compared[0];
    assert(found !== undefined, "there is a schema to compare with");
    const { live, differences } = found;
    refuseDifferences(this.#database.name, differences);
    const foreign = replacedRelations(live, concern, run, this.#path.recorded);
    if (foreign.length === 0) return;
    throw new AppError(
      "STATE_CONFLICT",
      `Another session has dropped and created ${foreign.join(", ")} in ${this.#database.name} since the run began. Nothing was changed: drop or rename the new ones, then try again`,
    );
  }

  #refuseStop(outcome: RunOutcome): void {
    if (outcome.status === "done") return;
    const { run, error } = outcome;
    const { message } = unfinishedError(this.#database.name, run);
    throw new AppError(error.code, message, { cause: error });
  }

  #identity(purpose: RunIdentity["purpose"], undoneUnits: number): RunIdentity {
    const { migrationId, direction } = this.#path;
    return { migrationId, direction, purpose, undoneUnits };
  }
}

/** The schemas that an interrupted run may have left, as far as the run concerns them. */
interface Expectation {
  /** The database must match one of these. */
  readonly possible: readonly Schema[];
  readonly concern: Concern;
  /**
   * Whether new parts and dependents of these objects count as differences: dropping the object
   * would drop them too.
   */
  readonly extras: boolean;
}

/**
 * The schemas that an interrupted run may have left. There may be two, because the engine may
 * finish building an index after the client process died.
 */
async function possibleSchemas(
  database: SchemaDatabase,
  path: Parameters<typeof checkpoint>[1],
  { unitsDone, begunIndex }: UnfinishedRun,
): Promise<readonly Schema[]> {
  const halfway = await checkpoint(database, path, unitsDone);
  if (begunIndex === undefined) return [halfway];
  return [halfway, await checkpoint(database, path, unitsDone + 1)];
}

/** Relations of the concern that were neither there before the run nor made by the run. */
function replacedRelations(
  live: Schema,
  { ids, above }: Concern,
  { madeRelations, begunIndex }: UnfinishedRun,
  before: Schema,
): readonly string[] {
  return live.objects
    .filter((object) => {
      const { id, values } = object;
      const { nativeId } = values;
      if (typeof nativeId !== "string" || !nativeId.startsWith("r:")) return false;
      if (!ids.has(id) && !above.has(id)) return false;
      // When the run began, no relation had this name, so the index is the run's own.
      if (
        object.kind === "Index" &&
        isPostgres(live) &&
        qualified(live, live.get(id)) === begunIndex
      )
        return false;
      return !madeRelations.includes(nativeId) && before.find(id)?.values.nativeId !== nativeId;
    })
    .map((object) => live.pathOf(object));
}

/** An interrupted run may only be resumed with exactly the script that it began with. */
function refuseOtherScript(script: MigrationPath["script"], run: UnfinishedRun): void {
  if (digestOf(script) === run.digest) return;
  throw new AppError(
    "STATE_CONFLICT",
    `Migration ${run.migrationId} was begun with other statements than this version of the program makes: ` +
      "resume or undo it with the version that began it, or correct the schema by hand and accept " +
      "it as it is (steward migrate-db drift --accept)",
  );
}
