import type { Caller } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import { migrationEffects } from "../changes/migration-effects.js";
import { requireCode } from "../changes/code-objects.js";
import { type Drift, driftBetween } from "./drift.js";
import { type Migration, schemasOf } from "./migration.js";
import {
  MigrationRuns,
  refuseUnfinished,
  type RunOptions,
  type RunRights,
} from "./migration-runs.js";
import type { Dialect, Schema } from "../model/schema.js";
import type { UnfinishedRun } from "../ports.js";
import { type MigrationProof, proveMigration, proveTouched } from "./proof.js";
import { drawMigration, type Proposal, type Unchanged, wantedSchema } from "./proposal.js";
import {
  type PlanStep,
  RecordedMigrations,
  type RecordedMigrationsParts,
} from "./recorded-migrations.js";
import { refuseUnproven } from "./refusals.js";
import { changeBetween, type SchemaChange } from "./schema-change.js";
import { schemaNamed } from "../tracking/schema-history.js";
import { dumpSchema } from "../wanted/dump-schema.js";

export interface SchemaDump {
  /** Name of the data source. */
  readonly database: string;
  readonly dialect: Dialect;
  readonly sql: string;
}

/** A drift to accept. */
export interface AcceptedDrift {
  /** Name of the data source. */
  readonly database: string;
  /** Of the commit. */
  readonly message: string;
  /** Root of the actual schema that the caller has reviewed; absent: any schema is accepted. */
  readonly expectedRoot?: string;
}

/** A right that is absent is everybody's. */
export interface MigrationServiceParts extends RecordedMigrationsParts, RunRights {
  readonly ids: Ids;
}

/** Proposes, verifies, applies and reverts migrations. A migration belongs to one organization. */
export class MigrationService {
  readonly #parts: MigrationServiceParts;
  readonly #recorded: RecordedMigrations;
  readonly #runs: MigrationRuns;

  constructor(parts: MigrationServiceParts) {
    this.#parts = parts;
    this.#recorded = new RecordedMigrations(parts);
    this.#runs = new MigrationRuns(this.#recorded, parts);
  }

  /**
   * Plans a migration to the wanted schema, proves it in a scratch database, and stores it. Nothing
   * is stored when the database has the wanted schema already.
   * @throws AppError `INVALID_ARGUMENT` for refused SQL, and for a migration that could not be
   * proven; `STATE_CONFLICT` for drift.
   */
  async propose(caller: Caller, proposal: Proposal): Promise<Migration | Unchanged> {
    const database = this.#recorded.databases.require(caller, proposal.database);
    return this.#recorded.exclusively(database, async () => {
      await refuseUnfinished(database);
      const read = (): Promise<Schema> => this.#recorded.unchanged(database, caller);
      const mayDefineCode = async (): Promise<void> => this.#parts.mayDefineCode?.(caller);
      const { base, target } = await wantedSchema({ database, read, mayDefineCode }, proposal);
      const migration = await drawMigration(caller, proposal, { base, target }, this.#parts);
      if (migration.status === "unchanged") return migration;
      await requireCode(caller, { from: base, to: target }, this.#parts.mayDefineCode);
      await this.#parts.mayMigrate?.(caller, {
        ...{ database: database.name, way: "propose" },
        effects: () => migrationEffects(base, target),
      });
      refuseUnproven(await proveTouched(database, { ...migration, base, target }));
      await this.#recorded.put(caller, migration);
      return migration;
    });
  }

  /** The organization's migrations, the newest first. */
  async list(caller: Caller): Promise<readonly Migration[]> {
    return this.#recorded.list(caller);
  }

  /** @throws AppError `NOT_FOUND`. */
  async show(caller: Caller, id: string): Promise<Migration> {
    return this.#recorded.get(caller, id);
  }

  /** Proves a migration again, up and down, in a scratch database. */
  async verify(caller: Caller, id: string): Promise<MigrationProof> {
    const migration = await this.show(caller, id);
    const database = this.#recorded.databases.require(caller, migration.database);
    return proveMigration(database, { ...migration, ...schemasOf(migration) });
  }

  /**
   * The scripts between the schemas of two commits, in both directions. They are not proven.
   * @throws AppError `NOT_FOUND`; `INVALID_ARGUMENT` for commits without a schema or of two
   * engines.
   */
  async compare(caller: Caller, from: string, to: string): Promise<SchemaChange> {
    const { base, target } = await this.#recorded.read(caller, async (store) => {
      const { clock } = this.#parts;
      return {
        base: await withPauses(schemaNamed(store, clock, { field: "from", name: from })),
        target: await withPauses(schemaNamed(store, clock, { field: "to", name: to })),
      };
    });
    if (base.dialect === target.dialect) return withPauses(changeBetween(base, target));
    throw invalidField(
      "to",
      `must be a schema of ${base.dialect}, as from is; it is one of ${target.dialect}`,
    );
  }

  /**
   * The actual schema of a database, as SQL that can be proposed again.
   * @param name undefined: the only data source.
   * @throws AppError `INVALID_ARGUMENT`, naming them, when there are several.
   */
  async dump(caller: Caller, name?: string): Promise<SchemaDump> {
    const database = this.#recorded.databases.require(
      caller,
      name ?? this.#recorded.databases.onlyName(caller),
    );
    const draft = await this.#recorded.exclusively(database, () => database.introspect());
    return { database: database.name, dialect: database.dialect, sql: dumpSchema(draft) };
  }

  /** Compares the database with its recorded schema. */
  async drift(caller: Caller, name: string): Promise<Drift> {
    const database = this.#recorded.databases.require(caller, name);
    return this.#recorded.exclusively(database, async () => {
      const expected = await this.#recorded.schemaOrNow(database, caller);
      return withPauses(driftBetween(expected, await database.introspect()));
    });
  }

  /**
   * Records the actual schema of the database as the expected one.
   * @returns the commit's content id, if the schema differed.
   * @throws AppError `STATE_CONFLICT` when the schema is not the one that the caller has reviewed.
   */
  async acceptDrift(
    caller: Caller,
    { database: name, message, expectedRoot: reviewedRoot }: AcceptedDrift,
  ): Promise<string | undefined> {
    const database = this.#recorded.databases.require(caller, name);
    return this.#recorded.exclusively(database, async () => {
      const expected = await this.#recorded.schemaOrNow(database, caller);
      const unfinished = await database.unfinishedRun();
      const draft = await database.introspect();
      const { live, liveRoot, expectedRoot } = await withPauses(driftBetween(expected, draft));
      if (reviewedRoot !== undefined && reviewedRoot !== liveRoot) {
        throw new AppError(
          "STATE_CONFLICT",
          `The schema of ${database.name} has the root ${liveRoot} now and not ${reviewedRoot}: read the drift again, then accept it`,
        );
      }
      // A caller who accepts the actual schema has thereby also dealt with an interrupted run.
      if (unfinished !== undefined) await database.forgetRun(unfinished);
      if (liveRoot === expectedRoot) return undefined;
      return this.#recorded.record(caller, database, live, message);
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
    return this.#runs.run(caller, id, "applied", options);
  }

  /**
   * Reverts an applied migration, under the same rules and with the same errors as {@link apply}.
   */
  revert(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#runs.run(caller, id, "reverted", options);
  }

  /**
   * Resumes an interrupted run, in the direction in which it began.
   * @throws AppError `STATE_CONFLICT` when there is no interrupted run, and when its objects have
   * been changed since; otherwise as {@link apply}.
   */
  resume(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#runs.resume(caller, id, options);
  }

  /**
   * Undoes the changes of an interrupted run, and nothing else.
   * @throws AppError `APPROVAL_REQUIRED` when rows or values written since would be lost; otherwise
   * as {@link resume}.
   */
  undo(caller: Caller, id: string, options: RunOptions = {}): Promise<Migration> {
    return this.#runs.undo(caller, id, options);
  }

  /** The unfinished run of a migration; undefined when there is none. */
  unfinishedRun(caller: Caller, id: string): Promise<UnfinishedRun | undefined> {
    return this.#runs.unfinishedRun(caller, id);
  }

  /**
   * After a crash, determines whether a plan step has applied its migration, and records the
   * result. A run that is still in progress is awaited.
   * @returns undefined when the step has not applied it.
   */
  settle(orgId: string, id: string, step: PlanStep): Promise<Migration | undefined> {
    return this.#runs.settle(orgId, id, step);
  }
}
