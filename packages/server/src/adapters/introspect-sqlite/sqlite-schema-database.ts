import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { assert } from "../../kernel/assert.js";
import { AppError } from "../../kernel/errors.js";
import { MIGRATION_LOCK_WAIT_MS } from "../../kernel/limits.js";
import {
  type MigrationWaits,
  type RunOrder,
  type RunOutcome,
  Schema,
  type Script,
  type UnfinishedRun,
} from "../../schema/index.js";
import type { Checks, SchemaDatabase, ScratchDatabase } from "../../schema/ports.js";
import type { ApplyAnswer, ApplyOrder, ApplyReport } from "./apply-protocol.js";
import { isBusy, type ManagedFile, openManaged } from "./open-managed.js";
import { SqliteScratch } from "./scratch-sqlite.js";
import { introspectSqlite } from "../sqlite-catalog.js";

const WORKER = new URL("./apply-worker.js", import.meta.url);

/**
 * A SQLite file whose schema is managed. A connection is open only while it is used; a script, which
 * may copy whole tables, runs in a thread of its own.
 */
export class SqliteSchemaDatabase implements SchemaDatabase {
  readonly name: string;
  readonly dialect = "sqlite";
  readonly #file: ManagedFile;

  /** @param waits only the wait for a lock: a migration of SQLite has no other. */
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
        throw error;
      } finally {
        db.close();
      }
    });
  }

  /** Waits as whoever writes does: for the end of the transaction that migrates. */
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

  /** A script is one transaction. */
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
    const order: ApplyOrder = { file: this.#file, script, acceptDataLoss };
    const worker = new Worker(WORKER, { workerData: order });
    const answer = (verdict: ApplyAnswer): void => worker.postMessage(verdict);
    let refusal: Error | undefined;
    for await (const [report] of on(worker, "message", { close: ["exit"] })) {
      // The thread is ours and says nothing else.
      const said = report as ApplyReport;
      if (said.is === "failed") throw failureOf(said);
      if (said.is === "done") {
        if (refusal !== undefined) throw refusal;
        return;
      }
      refusal = await refusalOf(checks[said.is](new Schema(said.objects)));
      answer(refusal === undefined ? "go" : "stop");
    }
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The migration of ${this.name} was cut off; nothing was changed`,
    );
  }

  scratch(): Promise<ScratchDatabase> {
    return Promise.resolve(new SqliteScratch());
  }

  /** Without WAL nobody reads a file while somebody commits to it. */
  #locked(cause: unknown): AppError {
    return new AppError(
      "STORE_UNAVAILABLE",
      `The database ${this.name} cannot be read now: another connection keeps it locked`,
      { cause, retryAfterMs: 1000 },
    );
  }
}

function failureOf({
  code,
  message,
  retryAfterMs,
}: Extract<ApplyReport, { is: "failed" }>): AppError {
  return new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

async function refusalOf(check: Promise<void>): Promise<Error | undefined> {
  try {
    await check;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
