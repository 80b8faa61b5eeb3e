import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import { KeyedMutex } from "@steward/kernel/concurrency/keyed-mutex.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import type { BlockStore, Repositories } from "@steward/state/ports";
import { noteOf } from "./author.js";
import { refusingDrift } from "./drift.js";
import type { Migration, MigrationStatus, StepRun } from "./migration.js";
import { MigrationRecords } from "./migration-records.js";
import { identifying } from "../model/identify.js";
import type { Schema } from "../model/schema.js";
import type { SchemaDatabase } from "../ports.js";
import { BoundDatabases } from "../tracking/bound-databases.js";
import { SchemaHistory } from "../tracking/schema-history.js";

export type PlanStep = Omit<StepRun, "commit">;

export interface RecordedMigrationsParts {
  readonly databases: ReadonlyMap<string, SchemaDatabase>;
  /**
   * Which organizations may migrate which databases. Absent: every organization may migrate every
   * database.
   */
  readonly access?: DataSourceAccess;
  /** Stores the migrations and the schema history of each organization. */
  readonly repositories: Repositories;
  readonly clock: Clock;
  /** Serializes work per database; shared with all other components that work on the databases. */
  readonly mutex?: KeyedMutex;
}

/** The result of a run, to be recorded. */
export interface Reached {
  readonly migration: Migration;
  readonly status: MigrationStatus;
  readonly schema: Schema;
  readonly step: PlanStep | undefined;
}

/** An organization's record: its migrations, and the schema of each database. */
export class RecordedMigrations {
  readonly #parts: RecordedMigrationsParts;
  readonly #mutex: KeyedMutex;
  /** The databases that each organization may migrate. */
  readonly databases: BoundDatabases;

  constructor(parts: RecordedMigrationsParts) {
    this.#parts = parts;
    this.databases = new BoundDatabases(parts.databases, parts.access);
    this.#mutex = parts.mutex ?? new KeyedMutex();
  }

  /** Runs work on a database by itself. */
  exclusively<T>({ name }: Pick<SchemaDatabase, "name">, work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(name, work);
  }

  /** The organization's migrations, the newest first. */
  list(caller: Caller): Promise<readonly Migration[]> {
    return this.read(caller, (store) => this.#records(store).list());
  }

  /** @throws AppError `NOT_FOUND`. */
  get(caller: Caller, id: string): Promise<Migration> {
    return this.read(caller, (store) => this.#records(store).get(id));
  }

  /** Stores a migration that was just proposed. */
  async put(caller: Caller, migration: Migration): Promise<void> {
    const note = noteOf(caller, `Propose ${migration.id}`);
    await this.#write(caller, (store) => withPauses(this.#records(store).putting(migration, note)));
  }

  /** Records the schema and the migration's new status. */
  recordRun(
    caller: Caller,
    { migration: { id, message }, status, schema, step }: Reached,
  ): Promise<Migration> {
    const word = status === "applied" ? "Apply" : "Revert";
    const by = step === undefined ? "" : ` (step ${step.stepId} of plan ${step.planId})`;
    const note = noteOf(caller, `${word} ${id}: ${message}${by}`);
    return this.#write(caller, async (store) => {
      const records = this.#records(store);
      const migration = records.get(id);
      // Another server may have recorded the same result already.
      if (migration.status === status) return migration;
      const database = this.database(caller, migration.database);
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
  async unchanged(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const expected = await this.schemaOrNow(database, caller);
    const draft = await database.introspect();
    // The introspected schema replaces the recorded one, because its layout is up to date.
    return withPauses(refusingDrift(database.name, expected, draft));
  }

  /** The recorded schema; the actual one, which is recorded now, for a database without. */
  async schemaOrNow(database: SchemaDatabase, caller: Caller): Promise<Schema> {
    const expected = await this.schemaOf(caller, database);
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

  /** The recorded schema of a database; undefined when none was recorded yet. */
  schemaOf(caller: Caller, database: SchemaDatabase): Promise<Schema | undefined> {
    return this.read(caller, async (store) => {
      const recorded = await withPauses(this.#history(store, database).reading());
      return recorded?.schema;
    });
  }

  /** Records a schema as the expected one. */
  record(
    caller: Caller,
    database: SchemaDatabase,
    schema: Schema,
    message: string,
  ): Promise<string> {
    const note = noteOf(caller, message);
    return this.#write(caller, (store) =>
      withPauses(this.#history(store, database).recording(schema, note)),
    );
  }

  read<T>({ orgId }: Caller, read: (store: BlockStore) => T | Promise<T>): Promise<T> {
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
  database({ orgId }: Caller, name: string): SchemaDatabase {
    const database = this.databases.find(orgId, name);
    if (database !== undefined) return database;
    throw new AppError("NOT_FOUND", `There is no data source ${JSON.stringify(name)} any more`);
  }
}
