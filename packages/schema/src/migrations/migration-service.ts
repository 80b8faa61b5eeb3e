import { anonymousCaller, type Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore, Repositories } from "@steward/state";
import { type MayDefineCode, requireCode } from "../changes/code-objects.js";
import { BoundDatabases } from "../tracking/bound-databases.js";
import { type Drift, driftBetween, refusingDrift } from "./drift.js";
import type { PlannedScript } from "./checkpoint.js";
import { identifying } from "../model/identify.js";
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
import type { SchemaDatabase, UnfinishedRun } from "../ports.js";
import { type MigrationProof, proveMigration, proveTouched } from "./proof.js";
import { drawMigration, type Proposal, type Unchanged, wantedSchema } from "./proposal.js";
import { refuseLoss, refuseOthersWork, refuseUnproven } from "./refusals.js";
import { reachedSchema, type WayToReach } from "./reached-schema.js";
import { MigrationRun } from "./migration-run.js";
import type { Dialect, Schema } from "../model/schema.js";
import { noteOf } from "./author.js";
import { changeBetween, planRun, type SchemaChange } from "./schema-change.js";
import { SchemaHistory, schemaNamed } from "../tracking/schema-history.js";
import { scriptBetween } from "../scripts/script.js";
import { unfinishedError } from "./unfinished-run.js";
import { dumpSchema } from "../wanted/dump-schema.js";

export interface RunOptions {
  /** Whether the caller accepts the loss of rows and values. */
  readonly acceptDataLoss?: boolean;
  /** The digest of the migration that was reviewed. Required from an authenticated caller. */
  readonly digest?: string;
  /** The plan step that runs the migration. The step runs it once, even when it is retried. */
  readonly step?: PlanStep;
}

export type PlanStep = Omit<StepRun, "commit">;

export interface SchemaDump {
  /** Name of the data source. */
  readonly database: string;
  readonly dialect: Dialect;
  readonly sql: string;
}

export interface MigrationServiceParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  /**
   * Which organizations may migrate which databases. Absent: every organization may migrate every
   * database.
   */
  readonly access?: DataSourceAccess;
  /** Checked before a migration defines code. Absent: every caller may define code. */
  readonly mayDefineCode?: MayDefineCode;
  /** Stores the migrations and the schema history of each organization. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Serializes work per database; shared with all other components that work on the databases. */
  readonly mutex?: KeyedMutex;
}

/** Proposes, verifies, applies and reverts migrations. A migration belongs to one organization. */
export class MigrationService {
  readonly #parts: MigrationServiceParts;
  readonly #databases: BoundDatabases;
  readonly #mutex: KeyedMutex;

  constructor(parts: MigrationServiceParts) {
    this.#parts = parts;
    this.#databases = new BoundDatabases(parts.databases, parts.access);
    this.#mutex = parts.mutex ?? new KeyedMutex();
  }

  /**
   * Plans a migration to the wanted schema, proves it in a scratch database, and stores it. Nothing
   * is stored when the database has the wanted schema already.
   * @throws AppError `INVALID_ARGUMENT` for refused SQL, and for a migration that could not be
   * proven; `STATE_CONFLICT` for drift.
   */
  async propose(caller: Caller, proposal: Proposal): Promise<Migration | Unchanged> {
    const database = this.#databases.require(caller, proposal.database);
    return this.#mutex.runExclusive(database.name, async () => {
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

  /** Proves a migration again, up and down, in a scratch database. */
  async verify(caller: Caller, id: string): Promise<MigrationProof> {
    const migration = await this.show(caller, id);
    const database = this.#databases.require(caller, migration.database);
    return proveMigration(database, { ...migration, ...schemasOf(migration) });
  }

  /**
   * The scripts between the schemas of two commits, in both directions. They are not proven.
   * @throws AppError `NOT_FOUND`; `INVALID_ARGUMENT` for commits without a schema or of two
   * engines.
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
    throw invalidField(
      "to",
      `is a schema of ${target.dialect}, and from is one of ${base.dialect}`,
    );
  }

  /**
   * The actual schema of a database, as SQL that can be proposed again.
   * @param name undefined: the only data source.
   * @throws AppError `INVALID_ARGUMENT`, naming them, when there are several.
   */
  async dump(caller: Caller, name?: string): Promise<SchemaDump> {
    const database = this.#databases.require(caller, name ?? this.#databases.onlyName(caller));
    const draft = await this.#mutex.runExclusive(database.name, () => database.introspect());
    return { database: database.name, dialect: database.dialect, sql: dumpSchema(draft) };
  }

  /** Compares the database with its recorded schema. */
  async drift(caller: Caller, name: string): Promise<Drift> {
    const database = this.#databases.require(caller, name);
    return this.#mutex.runExclusive(database.name, async () => {
      const expected = await this.#recordedOrNow(database, caller);
      return withPauses(driftBetween(expected, await database.introspect()));
    });
  }

  /**
   * Records the actual schema of the database as the expected one.
   * @returns the commit's content id, if the schema differed.
   */
  async acceptDrift(caller: Caller, name: string, message: string): Promise<string | undefined> {
    const database = this.#databases.require(caller, name);
    return this.#mutex.runExclusive(database.name, async () => {
      const expected = await this.#recordedOrNow(database, caller);
      const unfinished = await database.unfinishedRun();
      const draft = await database.introspect();
      const { live, liveRoot, expectedRoot } = await withPauses(driftBetween(expected, draft));
      // A caller who accepts the actual schema has thereby also dealt with an interrupted run.
      if (unfinished !== undefined) await database.forgetRun(unfinished);
      if (liveRoot === expectedRoot) return undefined;
      const note = noteOf(caller, message);
      return this.#write(caller, (store) =>
        withPauses(this.#history(store, database).recording(live, note)),
      );
    });
  }

  /**
   * Applies a migration. The service proves it again, and verifies under the database's lock that
   * the schema is the migration's base before the run and its target after the run. Applying an
   * applied migration has no effect.
   * @throws AppError `STATE_CONFLICT` when the digest is another migration's, and for drift, naming
   * the differences; `APPROVAL_REQUIRED` when the migration would lose data and the caller has not
   * accepted that; `STEP_FAILED` when the rows violate the new schema.
   */
  apply(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#run(caller, id, "applied", options);
  }

  /**
   * Reverts an applied migration, under the same rules and with the same errors as {@link apply}.
   */
  revert(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#run(caller, id, "reverted", options);
  }

  /**
   * Resumes an interrupted run, in the direction in which it began.
   * @throws AppError `STATE_CONFLICT` when there is no interrupted run, and when its objects have
   * been changed since; otherwise as {@link apply}.
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
   * Undoes the changes of an interrupted run, and nothing else.
   * @throws AppError `APPROVAL_REQUIRED` when rows or values written since would be lost; otherwise
   * as {@link resume}.
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

  /** The unfinished run of a migration; undefined when there is none. */
  async unfinishedRun(caller: Caller, id: string): Promise<UnfinishedRun | undefined> {
    const { database } = await this.show(caller, id);
    const run = await this.#databases.require(caller, database).unfinishedRun();
    return run?.migrationId === id ? run : undefined;
  }

  /**
   * After a crash, determines whether a plan step has applied its migration, and records the
   * result. A run that is still in progress is awaited.
   * @returns undefined when the step has not applied it.
   */
  async settle(orgId: string, id: string, step: PlanStep): Promise<Migration | undefined> {
    const caller = anonymousCaller(orgId);
    const kept = (): Promise<Migration> =>
      this.#read(caller, (store) => this.#records(store).get(id));
    const { database: name } = await kept();
    const database = this.#database(caller, name);
    return this.#mutex.runExclusive(name, async () => {
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
    return this.#mutex.runExclusive(database.name, async () => {
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
      // The last run may have crashed before it could record its result.
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

  /** The database's schema when the migration has run already; undefined when it has not. */
  async #reached(
    caller: Caller,
    draft: Schema,
    way: Omit<WayToReach, "recorded">,
  ): Promise<Schema | undefined> {
    const database = this.#database(caller, way.database);
    const recorded = await this.#recordedSchema(caller, database);
    return withPauses(reachedSchema(draft, { ...way, recorded }));
  }

  /** Resumes or undoes the unfinished run of a migration. */
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
    return this.#mutex.runExclusive(name, async () => {
      const migration = await this.show(caller, id);
      requireReviewed(caller, migration, digest);
      const unfinished = await database.unfinishedRun();
      if (unfinished?.migrationId !== id) {
        throw new AppError(
          "STATE_CONFLICT",
          `Migration ${id} has no interrupted run: it is ${migration.status}`,
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

  /** Records the schema and the migration's new status. */
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
      // Another server may have recorded the same result already.
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

  /**
   * The recorded schema, which the database must still have. The first access to a database records
   * its schema.
   */
  async #recorded(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const expected = await this.#recordedOrNow(database, caller);
    const draft = await database.introspect();
    // The introspected schema replaces the recorded one, because its layout is up to date.
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

  /** The database of an existing migration, for work that was authorized before. */
  #database({ orgId }: Caller, name: string): SchemaDatabase {
    const database = this.#databases.find(orgId, name);
    if (database !== undefined) return database;
    throw new AppError("NOT_FOUND", `There is no data source ${JSON.stringify(name)} any more`);
  }
}

/** @throws AppError `STATE_CONFLICT` when there is an unfinished run. */
async function refuseUnfinished(database: SchemaDatabase): Promise<void> {
  const unfinished = await database.unfinishedRun();
  if (unfinished !== undefined) throw unfinishedError(database.name, unfinished);
}

/** Result of a run. */
interface Run {
  readonly migration: Migration;
  readonly status: MigrationStatus;
  readonly schema: Schema;
  readonly step: PlanStep | undefined;
}
