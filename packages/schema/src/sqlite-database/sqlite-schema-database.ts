import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import { MIGRATION_LOCK_WAIT_MS } from "../limits.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import {
  type MigrationWaits,
  type RunOrder,
  type RunOutcome,
  Schema,
  type SchemaObject,
  type Script,
  type UnfinishedRun,
} from "../index.js";
import type { Checks, SchemaDatabase, ScratchDatabase } from "../ports.js";
import type { ApplyCalls, ApplyChecks } from "./apply-protocol.js";
import { isBusy, type ManagedFile, notADatabase, openManaged } from "./open-managed.js";
import { SqliteScratch } from "./scratch-sqlite.js";
import { introspectSqlite } from "../catalogs/sqlite-catalog.js";

const WORKER = new URL("./apply-worker.js", import.meta.url);

/**
 * A SQLite file whose schema is managed. A connection is only open while it is used. Scripts run in
 * a worker thread, because they may copy whole tables.
 */
export class SqliteSchemaDatabase implements SchemaDatabase {
  readonly name: string;
  readonly dialect = "sqlite";
  readonly #file: ManagedFile;

  /** @param waits only the lock time-out applies to SQLite. */
  constructor(
    name: string,
    path: string,
    { lockMs }: Pick<MigrationWaits, "lockMs"> = { lockMs: MIGRATION_LOCK_WAIT_MS },
  ) {
    this.name = name;
    this.#file = { name, path, lockMs };
  }

  introspect(): Promise<Schema> {
    return Promise.resolve().then(() => {
      const db = openManaged(this.#file);
      try {
        return introspectSqlite(db);
      } catch (error) {
        if (isBusy(error)) throw this.#locked(error);
        throw notADatabase(this.#file, error) ?? error;
      } finally {
        db.close();
      }
    });
  }

  /** Waits like a writer, until the migration's transaction has ended. */
  async introspectSettled(): Promise<Schema> {
    let found: Schema | undefined;
    const before = (draft: Schema): Promise<void> => {
      found = draft;
      return Promise.resolve();
    };
    await this.#run([], { before, after: () => Promise.resolve() }, false);
    assert(found !== undefined, "a script is preceded by a look at the schema");
    return found;
  }

  /** Always undefined, because a script is one transaction. */
  unfinishedRun(): Promise<UnfinishedRun | undefined> {
    return Promise.resolve(undefined);
  }

  forgetRun(): Promise<void> {
    return Promise.resolve();
  }

  async apply(script: Script, checks: Checks, { acceptDataLoss }: RunOrder): Promise<RunOutcome> {
    await this.#run(script, checks, acceptDataLoss);
    return { status: "done" };
  }

  async #run(script: Script, checks: Checks, acceptDataLoss: boolean): Promise<void> {
    let refusal: unknown;
    const check = (moment: "before" | "after") => async (objects: readonly SchemaObject[]) => {
      try {
        await checks[moment](new Schema(objects));
      } catch (error) {
        refusal = error;
        throw error;
      }
      return undefined;
    };
    await using thread = new WorkerThread<ApplyCalls, ApplyChecks>({
      url: WORKER,
      handlers: { before: check("before"), after: check("after") },
      goneError: (cause) =>
        new AppError(
          "STORE_UNAVAILABLE",
          `The migration of ${this.name} was interrupted; nothing was changed`,
          { cause },
        ),
    });
    try {
      await thread.call("apply", { file: this.#file, script, acceptDataLoss });
    } catch (error) {
      // The check's own error is more detailed than the error that the thread reports.
      throw refusal ?? error;
    }
  }

  scratch(): Promise<ScratchDatabase> {
    return Promise.resolve(new SqliteScratch());
  }

  /** Without WAL, readers wait for a commit. */
  #locked(cause: unknown): AppError {
    return new AppError(
      "STORE_UNAVAILABLE",
      `The database ${this.name} cannot be read now: another connection holds a lock on it; try again`,
      { cause, retryAfterMs: 1000 },
    );
  }
}
