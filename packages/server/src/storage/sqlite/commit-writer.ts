import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { AppError } from "@steward/kernel/errors.js";
import type { RecordedOperation } from "../../kernel/recorded-operation.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { outboxWrite } from "./audit/outbox-write.js";
import {
  JOINED_COMMIT,
  UnitPacker,
  unavailable,
  WriteConflict,
  type CommitReply,
  type UnitResult,
  type WriterOrder,
  type WriteUnit,
} from "./commit-protocol.js";
import { SCHEMA_VERSION } from "./migrate.js";

export { WriteConflict };

/** Maximum number of units that wait for a commit; further ones are refused. */
const PENDING_UNITS_MAX = 10_000;
/** Maximum number of units in one transaction. */
const BATCH_UNITS_MAX = 512;
/** Callers that are told of their results in one turn of the event loop. */
const SETTLED_AT_ONCE = 64;
/** How long a commit waits for announced units, in ms: a fraction of a round trip. */
const GATHER_MS = 2;

/**
 * How long a unit that is not urgent waits for another commit to join, in ms. While steps run,
 * there is a commit within a few milliseconds; otherwise an fsync of its own delays nobody.
 */
const PATIENCE_MS = 20;

/** Sets the version to its present value: the engine still writes the page that contains it. */
const PROBE: WriteUnit = [{ sql: `PRAGMA user_version = ${String(SCHEMA_VERSION)}`, params: [] }];

/** Stands in the queue for the truncation of the write-ahead log. */
const TRUNCATION: WriteUnit = [];

interface Pending {
  readonly unit: WriteUnit;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit: units that arrive during a commit share the next one, and so its fsync. A caller
 * that knows that its unit will follow soon announces it, and a commit waits a moment for announced
 * units. Without announcements it never waits.
 */
export class CommitWriter implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #telemetry: Telemetry;
  readonly #packer = new UnitPacker();
  readonly #queue: Pending[] = [];
  #inFlight: readonly Pending[] = [];
  #announced = 0;
  #gather: NodeJS.Timeout | undefined;
  readonly #patient: Pending[] = [];
  #patience: NodeJS.Timeout | undefined;
  #closed = false;
  /** The error that ended the thread; nothing can be committed any more. */
  #failure: Error | undefined;
  /** Whether the engine refused the last unit. */
  #isRefused = false;
  #idle: (() => void) | undefined;

  /** @param path the store's file, with an up-to-date schema. */
  constructor(path: string, telemetry: Telemetry) {
    this.#telemetry = telemetry;
    this.#worker = new Worker(new URL("./commit-worker.js", import.meta.url), {
      workerData: { path },
    });
    this.#worker.on("message", (reply: CommitReply | typeof JOINED_COMMIT) => {
      if (reply === JOINED_COMMIT) this.#telemetry.count("steward_store_commits_total");
      else this.#settle(reply.results);
    });
    this.#worker.on("error", (error) => {
      this.#fail(error);
    });
    this.#worker.on("exit", () => {
      this.#fail(new Error("the commit worker has ended"));
    });
  }

  /**
   * Like {@link commit}, for a unit that is the effect of an operation: the first one of an operation
   * that is recorded also adds the operation to the audit log's outbox.
   */
  commitEffect(unit: WriteUnit, operation: RecordedOperation | undefined): Promise<void> {
    if (operation === undefined) return this.commit(unit);
    return operation.write(async (due) => {
      await this.commit(due === undefined ? unit : [...unit, outboxWrite(due.fact)]);
      if (due !== undefined) due.isCommitted = true;
    });
  }

  /**
   * Resolves when the unit is durable. Units are committed in the order of the calls.
   * @throws WriteConflict; AppError `STORE_UNAVAILABLE` when it could not be written, `OVERLOADED`
   * when too many wait.
   */
  commit(unit: WriteUnit): Promise<void> {
    return this.#enqueue(unit, (pending) => {
      this.#queue.push(pending);
      this.#pump();
    });
  }

  /**
   * Like `commit`, but not urgent: the unit joins another commit, and gets its own only when none
   * comes for a while. For data derived from durable rows.
   */
  commitSoon(unit: WriteUnit): Promise<void> {
    return this.#enqueue(unit, (pending) => {
      this.#patient.push(pending);
      this.#patience ??= setTimeout(() => {
        this.#losePatience();
      }, PATIENCE_MS).unref();
    });
  }

  /**
   * Announces that a unit will follow soon. Call the result right after committing, or when no unit
   * will follow.
   */
  announce(): () => void {
    this.#announced += 1;
    let standing = true;
    return () => {
      if (!standing) return;
      standing = false;
      this.#announced -= 1;
      this.#pump();
    };
  }

  /**
   * A port for a `JoinedWriter` in another thread. It commits nothing of this thread's, and ends with
   * the writer.
   */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const order: WriterOrder = { connected: port1 };
    this.#worker.postMessage(order, [port1]);
    return port2;
  }

  /** Whether the last unit was refused, or all will be; a probe determines the present state. */
  get isFailing(): boolean {
    return this.#isRefused || this.#failure !== undefined;
  }

  /** Commits a unit that changes nothing. @throws AppError `STORE_UNAVAILABLE` with the reason. */
  probe(): Promise<void> {
    return this.commit(PROBE);
  }

  /**
   * Copies the write-ahead log into the file and empties it, after the units that wait now. Then no
   * file contains what these units have overwritten.
   * @throws AppError `STORE_UNAVAILABLE` while another connection still reads the log.
   */
  truncateLog(): Promise<void> {
    return this.commit(TRUNCATION);
  }

  /** Commits the waiting units, then ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#announced = 0;
    this.#losePatience();
    if (this.#inFlight.length > 0 || this.#queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#closed = true;
    if (this.#failure === undefined) {
      const exited = new Promise<void>((resolve) =>
        this.#worker.once("exit", () => {
          resolve();
        }),
      );
      this.#worker.postMessage("close");
      await exited;
    }
  }

  #enqueue(unit: WriteUnit, add: (pending: Pending) => void): Promise<void> {
    if (this.#failure !== undefined || this.#closed) {
      return Promise.reject(unavailable(this.#failure ?? new Error("the store is closed")));
    }
    if (this.#queue.length + this.#patient.length >= PENDING_UNITS_MAX) {
      return Promise.reject(
        new AppError("OVERLOADED", "Too many writes are waiting for the store", {
          retryAfterMs: 1000,
        }),
      );
    }
    return new Promise((resolve, reject) => {
      add({ unit, resolve, reject });
    });
  }

  #losePatience(): void {
    this.#takePatient();
    this.#pump();
  }

  #takePatient(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#queue.push(...this.#patient.splice(0));
  }

  #pump(): void {
    if (this.#inFlight.length > 0 || this.#queue.length === 0) return;
    if (this.#announced === 0 || this.#queue.length >= BATCH_UNITS_MAX) {
      this.#send();
    } else {
      this.#gather ??= setTimeout(() => {
        this.#gather = undefined;
        if (this.#inFlight.length === 0) this.#send();
      }, GATHER_MS);
    }
  }

  #send(): void {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    this.#takePatient();
    const truncation = this.#queue.findIndex(({ unit }) => unit === TRUNCATION);
    if (truncation === 0) {
      this.#inFlight = this.#queue.splice(0, 1);
      this.#worker.postMessage("truncate");
      return;
    }
    const count = truncation === -1 ? BATCH_UNITS_MAX : Math.min(truncation, BATCH_UNITS_MAX);
    this.#inFlight = this.#queue.splice(0, count);
    if (this.#inFlight.length === 0) return;
    this.#telemetry.count("steward_store_commits_total");
    this.#worker.postMessage(this.#packer.pack(this.#inFlight.map((pending) => pending.unit)));
  }

  #settle(results: readonly UnitResult[]): void {
    const settled = this.#inFlight;
    this.#inFlight = [];
    const last = results.at(-1);
    if (last !== undefined) this.#isRefused = last.kind === "failed";
    tellInTurns(settled, results);
    this.#pump();
    if (this.#inFlight.length === 0 && this.#queue.length === 0) this.#idle?.();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const pending of [
      ...this.#inFlight,
      ...this.#queue.splice(0),
      ...this.#patient.splice(0),
    ]) {
      pending.reject(unavailable(error));
    }
    this.#inFlight = [];
    this.#idle?.();
  }
}

/**
 * Tells the callers of their results. What each of them does then belongs to the same turn of the
 * event loop, so the callers of a large batch get several turns.
 */
function tellInTurns(settled: readonly Pending[], results: readonly UnitResult[]): void {
  for (const [index, pending] of settled.slice(0, SETTLED_AT_ONCE).entries()) {
    const result = results[index];
    if (result === undefined) continue;
    if (result.kind === "committed") pending.resolve();
    else if (result.kind === "conflict") pending.reject(new WriteConflict());
    else pending.reject(unavailable(new Error(result.message), result.reason));
  }
  if (settled.length <= SETTLED_AT_ONCE) return;
  setImmediate(tellInTurns, settled.slice(SETTLED_AT_ONCE), results.slice(SETTLED_AT_ONCE));
}
