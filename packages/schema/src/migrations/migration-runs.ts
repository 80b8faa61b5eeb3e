import { anonymousCaller, type Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import { type MigrationEffect, migrationEffects } from "../changes/migration-effects.js";
import { type MayDefineCode, requireCode } from "../changes/code-objects.js";
import { type Migration, pathOf, runOfStep, schemasOf } from "./migration.js";
import { requireReviewed } from "./migration-digest.js";
import { type MigrationPath, MigrationRun } from "./migration-run.js";
import type { Schema } from "../model/schema.js";
import type { SchemaDatabase, UnfinishedRun } from "../ports.js";
import { proveTouched } from "./proof.js";
import { reachedSchema, type WayToReach } from "./reached-schema.js";
import type { PlanStep, RecordedMigrations } from "./recorded-migrations.js";
import { refuseLoss, refuseOthersWork, refuseUnproven } from "./refusals.js";
import { planRun } from "./schema-change.js";
import { scriptBetween } from "../scripts/script.js";
import { unfinishedError } from "./unfinished-run.js";

export interface RunOptions {
  /** Whether the caller accepts the loss of rows and values. */
  readonly acceptDataLoss?: boolean;
  /** The digest of the migration that was reviewed. Required from an authenticated caller. */
  readonly digest?: string;
  /** The plan step that runs the migration. The step runs it once, even when it is retried. */
  readonly step?: PlanStep;
}

/** A change of a database's schema by a migration, for the decision on it. */
export interface MigrationChange {
  readonly database: string;
  readonly way: "propose" | "apply" | "revert";
  /** What it changes and reads; computed on demand. */
  readonly effects: () => readonly MigrationEffect[];
}

/**
 * Resolves when the caller may change a database in this way. A proposal that will need an approval is permitted.
 * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`.
 */
export type MayMigrate = (caller: Caller, change: MigrationChange) => Promise<void>;

/** Whom a run asks. */
export interface RunRights {
  readonly mayDefineCode?: MayDefineCode;
  readonly mayMigrate?: MayMigrate;
}

/** Runs the scripts of recorded migrations, and deals with interrupted runs. */
export class MigrationRuns {
  readonly #recorded: RecordedMigrations;
  readonly #rights: RunRights;

  constructor(recorded: RecordedMigrations, rights: RunRights) {
    this.#recorded = recorded;
    this.#rights = rights;
  }

  /** Runs a migration up or down, unless it was already. */
  async run(
    caller: Caller,
    id: string,
    goal: "applied" | "reverted",
    options: RunOptions,
  ): Promise<Migration> {
    const stored = await this.#recorded.get(caller, id);
    const { database: name } = stored;
    const database = this.#recorded.databases.require(caller, name);
    const { step } = options;
    const [way, direction] =
      goal === "applied" ? (["apply", "up"] as const) : (["revert", "down"] as const);
    const change = {
      ...{ database: name, way },
      effects: () => effectsOn(pathOf(stored, direction)),
    };
    // What a step does is decided before and while it runs.
    const asked = step === undefined ? change : undefined;
    if (asked !== undefined) await this.#rights.mayMigrate?.(caller, asked);
    return this.#recorded.exclusively(database, async () => {
      const migration = await this.#recorded.get(caller, id);
      requireReviewed(caller, migration, options.digest);
      if (step !== undefined && runOfStep(migration, step) !== undefined) return migration;
      if (migration.status === goal) return migration;
      const isUp = goal === "applied";
      if (!isUp && migration.status !== "applied") {
        throw new AppError(
          "STATE_CONFLICT",
          "The migration is not applied: there is nothing to revert",
        );
      }
      await refuseUnfinished(database);
      const { from, to } = pathOf(migration, isUp ? "up" : "down");
      await requireCode(caller, { from, to }, this.#rights.mayDefineCode);
      // The last run may have crashed before it could record its result.
      const found = await this.#reached(caller, await database.introspect(), {
        ...{ database: name, from, to },
      });
      if (found !== undefined) {
        return this.#recorded.recordRun(caller, { migration, status: goal, schema: found, step });
      }
      const { script, findings } = await withPauses(planRun(from, to));
      refuseOthersWork(script, isUp ? migration.up : migration.down);
      const isAccepted = options.acceptDataLoss ?? false;
      refuseLoss(findings, isAccepted);
      refuseUnproven(await proveTouched(database, { ...migration, ...schemasOf(migration) }));
      const confirm = this.#askingAgain(caller, asked);
      const path = { direction, from, to, script, confirm };
      const run = await this.#runOf(caller, migration, path);
      const reached = await run.start({ acceptDataLoss: isAccepted });
      return this.#recorded.recordRun(caller, { migration, status: goal, schema: reached, step });
    });
  }

  /** Resumes an interrupted run, in the direction in which it began. */
  resume(caller: Caller, id: string, options: RunOptions): Promise<Migration> {
    return this.#settleRun(
      caller,
      { id, way: "apply" },
      async (run, unfinished, acceptDataLoss) => {
        const schema = await run.resume(unfinished, { acceptDataLoss });
        if (schema === undefined) return this.#recorded.get(caller, id);
        const migration = await this.#recorded.get(caller, id);
        const status = unfinished.direction === "up" ? "applied" : "reverted";
        return this.#recorded.recordRun(caller, { migration, status, schema, step: options.step });
      },
      options,
    );
  }

  /** Undoes the changes of an interrupted run, and nothing else. */
  undo(caller: Caller, id: string, options: RunOptions): Promise<Migration> {
    return this.#settleRun(
      caller,
      { id, way: "revert" },
      async (run, unfinished, acceptDataLoss) => {
        await run.undo(unfinished, { acceptDataLoss });
        return this.#recorded.get(caller, id);
      },
      options,
    );
  }

  /** The unfinished run of a migration; undefined when there is none. */
  async unfinishedRun(caller: Caller, id: string): Promise<UnfinishedRun | undefined> {
    const { database } = await this.#recorded.get(caller, id);
    const run = await this.#recorded.databases.require(caller, database).unfinishedRun();
    return run?.migrationId === id ? run : undefined;
  }

  /** Records a migration that a plan step applied before a crash. */
  async settle(orgId: string, id: string, step: PlanStep): Promise<Migration | undefined> {
    const caller = anonymousCaller(orgId);
    const kept = (): Promise<Migration> => this.#recorded.get(caller, id);
    const { database: name } = await kept();
    const database = this.#recorded.database(caller, name);
    return this.#recorded.exclusively(database, async () => {
      const migration = await kept();
      if (runOfStep(migration, step) !== undefined) return migration;
      if (migration.status === "applied") return undefined;
      const { base: from, target: to } = schemasOf(migration);
      const schema = await this.#reached(caller, await database.introspectSettled(), {
        ...{ database: name, from, to },
      });
      if (schema === undefined) return undefined;
      return this.#recorded.recordRun(caller, { migration, status: "applied", schema, step });
    });
  }

  /** The database's schema when the migration has run already; undefined when it has not. */
  async #reached(
    caller: Caller,
    draft: Schema,
    way: Omit<WayToReach, "recorded">,
  ): Promise<Schema | undefined> {
    const database = this.#recorded.database(caller, way.database);
    const recorded = await this.#recorded.schemaOf(caller, database);
    return withPauses(reachedSchema(draft, { ...way, recorded }));
  }

  /** Resumes or undoes the unfinished run of a migration. */
  async #settleRun(
    caller: Caller,
    { id, way }: { readonly id: string; readonly way: "apply" | "revert" },
    deal: (
      run: MigrationRun,
      unfinished: UnfinishedRun,
      acceptDataLoss: boolean,
    ) => Promise<Migration>,
    { acceptDataLoss = false, digest, step }: RunOptions,
  ): Promise<Migration> {
    const stored = await this.#recorded.get(caller, id);
    const { database: name } = stored;
    const database = this.#recorded.databases.require(caller, name);
    const change: MigrationChange = {
      ...{ database: name, way },
      // An interrupted run, and what is left to do about it, may go in either direction.
      effects: () =>
        (["up", "down"] as const).flatMap((direction) => effectsOn(pathOf(stored, direction))),
    };
    await this.#rights.mayMigrate?.(caller, change);
    return this.#recorded.exclusively(database, async () => {
      const migration = await this.#recorded.get(caller, id);
      requireReviewed(caller, migration, digest);
      const unfinished = await database.unfinishedRun();
      if (unfinished?.migrationId !== id) {
        throw new AppError(
          "STATE_CONFLICT",
          `Migration ${id} has no interrupted run: it is ${migration.status}`,
        );
      }
      const { from, to } = pathOf(migration, unfinished.direction);
      await requireCode(caller, { from, to }, this.#rights.mayDefineCode);
      const { direction } = unfinished;
      const confirm = this.#askingAgain(caller, step === undefined ? change : undefined);
      const path = { direction, from, to, script: scriptBetween(from, to), confirm };
      const run = await this.#runOf(caller, migration, path);
      return deal(run, unfinished, acceptDataLoss);
    });
  }

  /** @param change absent: a plan step makes it, which is asked about where it runs. */
  #askingAgain(caller: Caller, change: MigrationChange | undefined): () => Promise<void> {
    return async () => {
      if (change === undefined) return;
      await caller.askAgain?.(caller, "change");
      await this.#rights.mayMigrate?.(caller, change);
    };
  }

  async #runOf(
    caller: Caller,
    migration: Migration,
    path: Omit<MigrationPath, "migrationId" | "recorded">,
  ): Promise<MigrationRun> {
    const database = this.#recorded.database(caller, migration.database);
    const recorded = await this.#recorded.schemaOf(caller, database);
    return new MigrationRun(database, {
      ...{ migrationId: migration.id, ...path },
      recorded: recorded ?? path.from,
    });
  }
}

function effectsOn({ from, to }: ReturnType<typeof pathOf>): readonly MigrationEffect[] {
  return migrationEffects(from, to);
}

/** @throws AppError `STATE_CONFLICT` when there is an unfinished run. */
export async function refuseUnfinished(database: SchemaDatabase): Promise<void> {
  const unfinished = await database.unfinishedRun();
  if (unfinished !== undefined) throw unfinishedError(database.name, unfinished);
}
