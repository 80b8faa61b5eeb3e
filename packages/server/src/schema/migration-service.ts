import { anonymousCaller, type Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import type { DataSourceAccess } from "../kernel/data-source-access.js";
import { AppError, invalidField } from "../kernel/errors.js";
import type { Ids } from "../kernel/ids.js";
import { Turns } from "../kernel/turns.js";
import { withPauses } from "../kernel/pausing.js";
import type { BlockStore, Repositories } from "../state/index.js";
import { type MayDefineCode, requireCode } from "./code-objects.js";
import { BoundDatabases } from "./bound-databases.js";
import { type Drift, driftBetween, refusingDrift } from "./drift.js";
import type { PlannedScript } from "./checkpoint.js";
import { identifying } from "./identify.js";
import {
  type Migration,
  type MigrationStatus,
  runOfStep,
  pathOf,
  schemasOf,
  type StepRun,
} from "./migration.js";
import { MigrationRecords } from "./migration-records.js";
import { requireReviewed } from "./migration-digest.js";
import type { SchemaDatabase, UnfinishedRun } from "./ports.js";
import { type MigrationProof, proveMigration, proveTouched } from "./proof.js";
import { drawMigration, type Proposal, type Unchanged, wantedSchema } from "./proposal.js";
import { refuseLoss, refuseOthersWork, refuseUnproven } from "./refusals.js";
import { reachedSchema, type WayToReach } from "./reached-schema.js";
import { MigrationRun } from "./migration-run.js";
import type { Dialect, Schema } from "./schema.js";
import { noteOf } from "./author.js";
import { changeBetween, planRun, type SchemaChange } from "./schema-change.js";
import { SchemaHistory, schemaNamed } from "./schema-history.js";
import { scriptBetween } from "./script.js";
import { unfinishedError } from "./unfinished-run.js";
import { dumpSchema } from "./wanted/dump-schema.js";

/** How a migration is to run. */
export interface RunOptions {
  /** Whether rows and values may be lost. */
  readonly acceptDataLoss?: boolean;
  /** What the migration was known by when it was reviewed; needed where somebody vouches for the caller. */
  readonly digest?: string;
  /** The step of a plan that runs it, which does so once, however often it asks. */
  readonly step?: PlanStep;
}

/** A step of a plan. */
export type PlanStep = Omit<StepRun, "commit">;

/** The schema of a database as SQL. */
export interface SchemaDump {
  /** Name of the data source. */
  readonly database: string;
  readonly dialect: Dialect;
  readonly sql: string;
}

/** What the service works with. */
export interface MigrationServiceParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  /** Which organizations may have which databases migrated; absent: every one may. */
  readonly access?: DataSourceAccess;
  /** Asked before code is defined by a migration; absent: every caller may define it. */
  readonly mayDefineCode?: MayDefineCode;
  /** Where each organization keeps its migrations and the history of its schemas. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Shared with whoever else works on the databases: one piece of work on each at a time. */
  readonly turns?: Turns;
}

/**
 * Migrations from proposal to commit. A migration belongs to its organization.
 */
export class MigrationService {
  readonly #parts: MigrationServiceParts;
  readonly #databases: BoundDatabases;
  readonly #turns: Turns;

  constructor(parts: MigrationServiceParts) {
    this.#parts = parts;
    this.#databases = new BoundDatabases(parts.databases, parts.access);
    this.#turns = parts.turns ?? new Turns();
  }

  /**
   * Works out how the database comes to have a schema, tries it on a scratch database, and keeps it. When
   * the database has the schema already, there is nothing to keep.
   * @throws AppError `INVALID_ARGUMENT` for SQL that is refused, or a migration that does not verify;
   * `STATE_CONFLICT` when the database is not as it was left.
   */
  async propose(caller: Caller, proposal: Proposal): Promise<Migration | Unchanged> {
    const database = this.#databases.require(caller, proposal.database);
    return this.#turns.next(database.name, async () => {
      await refuseUnfinished(database);
      const read = (): Promise<Schema> => this.#recorded(database, caller);
      const { base, target } = await wantedSchema(database, read, proposal);
      const migration = await drawMigration(caller, proposal, { base, target }, this.#parts);
      if (migration.status === "unchanged") return migration;
      await requireCode(caller, { from: base, to: target }, this.#parts.mayDefineCode);
      refuseUnproven(await proveTouched(database, { ...migration, base, target }));
      const note = noteOf(caller, `Propose ${migration.id}`);
      await this.#write(caller, (store) =>
        withPauses(this.#records(store).putting(migration, note)),
      );
      return migration;
    });
  }

  /** The organization's migrations, the newest first. */
  async list(caller: Caller): Promise<readonly Migration[]> {
    return this.#read(caller, (store) => this.#records(store).list());
  }

  /** @throws AppError `NOT_FOUND`. */
  async show(caller: Caller, id: string): Promise<Migration> {
    return this.#read(caller, (store) => this.#records(store).get(id));
  }

  /** Tries a migration again, up and down, on a scratch database. */
  async verify(caller: Caller, id: string): Promise<MigrationProof> {
    const migration = await this.show(caller, id);
    const database = this.#databases.require(caller, migration.database);
    return proveMigration(database, { ...migration, ...schemasOf(migration) });
  }

  /**
   * What leads from the schema of one commit to that of another, and back. Nothing is proven.
   * @throws AppError `NOT_FOUND`, `INVALID_ARGUMENT` for commits without a schema or of two engines.
   */
  async compare(caller: Caller, from: string, to: string): Promise<SchemaChange> {
    const { base, target } = await this.#read(caller, async (store) => {
      const { clock } = this.#parts;
      return {
        base: await withPauses(schemaNamed(store, clock, { field: "from", name: from })),
        target: await withPauses(schemaNamed(store, clock, { field: "to", name: to })),
      };
    });
    if (base.dialect === target.dialect) return withPauses(changeBetween(base, target));
    throw invalidField("to", `is a schema of ${target.dialect}, and from one of ${base.dialect}`);
  }

  /**
   * The schema of a database as it is, as SQL that may be proposed.
   * @param name Undefined for the only one that there is.
   * @throws AppError `INVALID_ARGUMENT` when there are several, naming them.
   */
  async dump(caller: Caller, name?: string): Promise<SchemaDump> {
    const database = this.#databases.require(caller, name ?? this.#databases.onlyName(caller));
    const draft = await this.#turns.next(database.name, () => database.introspect());
    return { database: database.name, dialect: database.dialect, sql: dumpSchema(draft) };
  }

  /** How the database is, beside how it was left. */
  async drift(caller: Caller, name: string): Promise<Drift> {
    const database = this.#databases.require(caller, name);
    return this.#turns.next(database.name, async () => {
      const expected = await this.#recordedOrNow(database, caller);
      return withPauses(driftBetween(expected, await database.introspect()));
    });
  }

  /** Takes the database as it is for what it should be. @returns the commit's content id, if it differs. */
  async acceptDrift(caller: Caller, name: string, message: string): Promise<string | undefined> {
    const database = this.#databases.require(caller, name);
    return this.#turns.next(database.name, async () => {
      const expected = await this.#recordedOrNow(database, caller);
      const unfinished = await database.unfinishedRun();
      const draft = await database.introspect();
      const { live, liveRoot, expectedRoot } = await withPauses(driftBetween(expected, draft));
      // Whoever takes the schema for what it should be has dealt with what was left half way.
      if (unfinished !== undefined) await database.forgetRun(unfinished);
      if (liveRoot === expectedRoot) return undefined;
      const note = noteOf(caller, message);
      return this.#write(caller, (store) =>
        withPauses(this.#history(store, database).recording(live, note)),
      );
    });
  }

  /**
   * Runs a migration: proves it once more, checks under the database's lock that the schema is the one
   * it is for, and that it ends at the one it promised. Applying what is applied changes nothing.
   * @throws AppError `STATE_CONFLICT` for a migration that is not the one that was reviewed, and for drift, naming
   * the difference; `APPROVAL_REQUIRED` when data
   * would be lost and nobody accepted that; `STEP_FAILED` when the rows do not allow it.
   */
  apply(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#run(caller, id, "applied", options);
  }

  /** Runs an applied migration backwards; as {@link apply}. */
  revert(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#run(caller, id, "reverted", options);
  }

  /**
   * Goes on with a run that stopped half way, be it there or back.
   * @throws AppError `STATE_CONFLICT` when there is none, or when others have changed what it is about;
   * otherwise as {@link apply}.
   */
  resume(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#settleRun(
      caller,
      id,
      async (run, unfinished, acceptDataLoss) => {
        const schema = await run.resume(unfinished, { acceptDataLoss });
        if (schema === undefined) return this.show(caller, id);
        const migration = await this.show(caller, id);
        const status = unfinished.direction === "up" ? "applied" : "reverted";
        return this.#recordRun(caller, { migration, status, schema, step: options.step });
      },
      options,
    );
  }

  /**
   * Takes back what a run that stopped half way has done, and nothing else.
   * @throws AppError `APPROVAL_REQUIRED` when rows or values that came meanwhile would be lost; otherwise as
   * {@link resume}.
   */
  undo(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#settleRun(
      caller,
      id,
      async (run, unfinished, acceptDataLoss) => {
        await run.undo(unfinished, { acceptDataLoss });
        return this.show(caller, id);
      },
      options,
    );
  }

  /** The run of a migration that has begun and not ended; undefined when there is none. */
  async unfinishedRun(caller: Caller, id: string): Promise<UnfinishedRun | undefined> {
    const { database } = await this.show(caller, id);
    const run = await this.#databases.require(caller, database).unfinishedRun();
    return run?.migrationId === id ? run : undefined;
  }

  /**
   * Finds out whether a step whose process died has applied a migration, and keeps that. Whoever is
   * still at it is waited for.
   * @returns undefined when it has not.
   */
  async settle(orgId: string, id: string, step: PlanStep): Promise<Migration | undefined> {
    const caller = anonymousCaller(orgId);
    const kept = (): Promise<Migration> =>
      this.#read(caller, (store) => this.#records(store).get(id));
    const { database: name } = await kept();
    const database = this.#database(caller, name);
    return this.#turns.next(name, async () => {
      const migration = await kept();
      if (runOfStep(migration, step) !== undefined) return migration;
      if (migration.status === "applied") return undefined;
      const { base: from, target: to } = schemasOf(migration);
      const schema = await this.#reached(caller, await database.introspectSettled(), {
        ...{ database: name, from, to },
      });
      if (schema === undefined) return undefined;
      return this.#recordRun(caller, { migration, status: "applied", schema, step });
    });
  }

  async #run(
    caller: Caller,
    id: string,
    goal: "applied" | "reverted",
    options: RunOptions,
  ): Promise<Migration> {
    const { database: name } = await this.show(caller, id);
    const database = this.#databases.require(caller, name);
    return this.#turns.next(database.name, async () => {
      const migration = await this.show(caller, id);
      requireReviewed(caller, migration, options.digest);
      const { step } = options;
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
      await requireCode(caller, { from, to }, this.#parts.mayDefineCode);
      // Whoever ran it last may have died before saying so.
      const found = await this.#reached(caller, await database.introspect(), {
        ...{ database: name, from, to },
      });
      if (found !== undefined) {
        return this.#recordRun(caller, { migration, status: goal, schema: found, step });
      }
      const { script, findings } = await withPauses(planRun(from, to));
      refuseOthersWork(script, isUp ? migration.up : migration.down);
      const isAccepted = options.acceptDataLoss ?? false;
      refuseLoss(findings, isAccepted);
      refuseUnproven(await proveTouched(database, { ...migration, ...schemasOf(migration) }));
      const run = await this.#runOf(caller, migration, isUp ? "up" : "down", { from, to, script });
      const reached = await run.start({ acceptDataLoss: isAccepted });
      return this.#recordRun(caller, { migration, status: goal, schema: reached, step });
    });
  }

  /** The schema of a database where a migration has run already; undefined when it has not. */
  async #reached(
    caller: Caller,
    draft: Schema,
    way: Omit<WayToReach, "recorded">,
  ): Promise<Schema | undefined> {
    const database = this.#database(caller, way.database);
    const recorded = await this.#recordedSchema(caller, database);
    return withPauses(reachedSchema(draft, { ...way, recorded }));
  }

  /** Has somebody deal with the unfinished run of a migration. */
  async #settleRun(
    caller: Caller,
    id: string,
    deal: (
      run: MigrationRun,
      unfinished: UnfinishedRun,
      acceptDataLoss: boolean,
    ) => Promise<Migration>,
    { acceptDataLoss = false, digest }: RunOptions,
  ): Promise<Migration> {
    const { database: name } = await this.show(caller, id);
    const database = this.#databases.require(caller, name);
    return this.#turns.next(name, async () => {
      const migration = await this.show(caller, id);
      requireReviewed(caller, migration, digest);
      const unfinished = await database.unfinishedRun();
      if (unfinished?.migrationId !== id) {
        throw new AppError(
          "STATE_CONFLICT",
          `No run of migration ${id} is half way: it is ${migration.status}`,
        );
      }
      const { from, to } = pathOf(migration, unfinished.direction);
      await requireCode(caller, { from, to }, this.#parts.mayDefineCode);
      const planned = { from, to, script: scriptBetween(from, to) };
      const run = await this.#runOf(caller, migration, unfinished.direction, planned);
      return deal(run, unfinished, acceptDataLoss);
    });
  }

  async #runOf(
    caller: Caller,
    migration: Migration,
    direction: UnfinishedRun["direction"],
    planned: PlannedScript,
  ): Promise<MigrationRun> {
    const database = this.#database(caller, migration.database);
    const recorded = await this.#recordedSchema(caller, database);
    return new MigrationRun(database, {
      ...{ migrationId: migration.id, direction, ...planned },
      recorded: recorded ?? planned.from,
    });
  }

  /** Keeps what was reached, and what has reached it, together. */
  #recordRun(
    caller: Caller,
    { migration: { id, message }, status, schema, step }: Run,
  ): Promise<Migration> {
    const word = status === "applied" ? "Apply" : "Revert";
    const by = step === undefined ? "" : ` (step ${step.stepId} of plan ${step.planId})`;
    const note = noteOf(caller, `${word} ${id}: ${message}${by}`);
    return this.#write(caller, async (store) => {
      const records = this.#records(store);
      const migration = records.get(id);
      // Another server may have seen the same and said so.
      if (migration.status === status) return migration;
      const database = this.#database(caller, migration.database);
      const commit = await withPauses(this.#history(store, database).recording(schema, note));
      const { commits, stepRuns = [] } = migration;
      const done = {
        ...migration,
        status,
        commits: [...commits, commit],
        ...(step === undefined ? {} : { stepRuns: [...stepRuns, { ...step, commit }] }),
      };
      await withPauses(records.putting(done, note));
      return done;
    });
  }

  /** The schema as it was left, which it must still be; the first look at a database records it. */
  async #recorded(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const expected = await this.#recordedOrNow(database, caller);
    const draft = await database.introspect();
    // As it is read now, with what the layout says of it now.
    return withPauses(refusingDrift(database.name, expected, draft));
  }

  async #recordedOrNow(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const expected = await this.#recordedSchema(caller, database);
    if (expected !== undefined) return expected;
    const schema = await withPauses(identifying(await database.introspect(), undefined));
    const note = noteOf(caller, `Record the schema of ${database.name}`);
    return this.#write(caller, async (store) => {
      const history = this.#history(store, database);
      const first = await withPauses(history.reading());
      if (first === undefined) await withPauses(history.recording(schema, note));
      return first?.schema ?? schema;
    });
  }

  #recordedSchema(caller: Caller, database: SchemaDatabase): Promise<Schema | undefined> {
    return this.#read(caller, async (store) => {
      const recorded = await withPauses(this.#history(store, database).reading());
      return recorded?.schema;
    });
  }

  #read<T>({ orgId }: Caller, read: (store: BlockStore) => T | Promise<T>): Promise<T> {
    return this.#parts.repositories.read(orgId, ({ store }) => read(store));
  }

  #write<T>({ orgId }: Caller, write: (store: BlockStore) => T | Promise<T>): Promise<T> {
    return this.#parts.repositories.write(orgId, ({ store }) => write(store));
  }

  #history(store: BlockStore, { name }: SchemaDatabase): SchemaHistory {
    return new SchemaHistory(store, this.#parts.clock, name);
  }

  #records(store: BlockStore): MigrationRecords {
    return new MigrationRecords(store, this.#parts.clock);
  }

  /** The database of a migration that there is, for work that was allowed before. */
  #database({ orgId }: Caller, name: string): SchemaDatabase {
    const database = this.#databases.find(orgId, name);
    if (database !== undefined) return database;
    throw new AppError("NOT_FOUND", `There is no data source ${JSON.stringify(name)} any more`);
  }
}

/** @throws AppError `STATE_CONFLICT` while a run is half way. */
async function refuseUnfinished(database: SchemaDatabase): Promise<void> {
  const unfinished = await database.unfinishedRun();
  if (unfinished !== undefined) throw unfinishedError(database.name, unfinished);
}

/** What a run came to. */
interface Run {
  readonly migration: Migration;
  readonly status: MigrationStatus;
  readonly schema: Schema;
  readonly step: PlanStep | undefined;
}
