import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { TurnBudget } from "@steward/kernel/concurrency/turn-budget.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type {
  Dialect,
  EngineRefusal,
  SqlAnalyzer,
  StatementAnalysis,
  StatementReader,
} from "../../../governance/index.js";
import { STATEMENT_READ_AT_ONCE_LENGTH_MAX } from "../../../plans/limits.js";
import {
  ORG_WAITING_MAX,
  READING_THREADS_MAX,
  STATEMENT_READING_MEBIBYTES,
  STATEMENT_READING_MS,
  STATEMENT_READING_WAIT_MS,
  STATEMENTS_READ_TURN_MS,
} from "../../limits.js";
import { rejected } from "../one-statement.js";
import type { ReadingCalls } from "./reading-protocol.js";

/** Cached analyses of each dialect. The same templates are submitted, and then run, again and again. */
const KEPT_MAX = 1000;
/** Cached analyses of longer statements, which are analyzed again when they run. */
const LONG_KEPT_MAX = 32;
/** Length from which on a statement is among the few longer ones, in characters. */
const LONG = 4096;

type Reading = StatementAnalysis | Promise<StatementAnalysis>;

/** Cached analyses by statement. */
class KnownReadings {
  readonly #short = new RecentMap<Reading>(KEPT_MAX);
  readonly #long = new RecentMap<Reading>(LONG_KEPT_MAX);

  of(sql: string): RecentMap<Reading> {
    return sql.length > LONG ? this.#long : this.#short;
  }
}

/**
 * Analyzes short statements at once, as long as they take little of a turn of the event loop, and
 * all others in a few threads. The threads serve organizations in turn, and one organization
 * occupies all but one of them at most. A statement that takes too long or too much memory ends its
 * thread, and nobody else's statement.
 */
export class ReadingThreads implements StatementReader, AsyncDisposable {
  readonly #analyzer: SqlAnalyzer;
  readonly #turn = new TurnBudget(STATEMENTS_READ_TURN_MS);
  readonly #readings: Readonly<Record<Dialect, KnownReadings>> = {
    sqlite: new KnownReadings(),
    postgres: new KnownReadings(),
  };
  readonly #queue = new FairSemaphore({
    slotsMax: READING_THREADS_MAX,
    waitingMax: ORG_WAITING_MAX,
    waitMs: STATEMENT_READING_WAIT_MS,
    name: "statements to be read",
  });
  readonly #live = new Set<WorkerThread<ReadingCalls>>();
  readonly #idle: WorkerThread<ReadingCalls>[] = [];

  constructor(analyzer: SqlAnalyzer) {
    this.#analyzer = analyzer;
  }

  read(sql: string, dialect: Dialect, orgId: string): Reading {
    const readings = this.#readings[dialect].of(sql);
    const known = readings.get(sql);
    if (known instanceof Promise) return sharedResult(known, orgId);
    if (known !== undefined) return known;
    const reading = this.#mayReadNow(sql)
      ? this.#turn.spend(() => this.#analyzer.analyze(sql, dialect))
      : this.#readInThread(sql, dialect, orgId);
    readings.set(sql, reading);
    if (reading instanceof Promise) {
      reading.then(
        (analysis) => readings.set(sql, analysis),
        () => readings.delete(sql),
      );
    }
    return reading;
  }

  advise(
    sql: string,
    dialect: Dialect,
    refusal: EngineRefusal,
    orgId: string,
  ): readonly string[] | Promise<readonly string[]> {
    if (this.#mayReadNow(sql)) {
      return this.#turn.spend(() => this.#analyzer.advise(sql, dialect, refusal));
    }
    const asked = { sql, dialect, refusal };
    // A failure is told without advice rather than late.
    return this.#ask(orgId, (thread) =>
      thread.call("advise", asked, { timeoutMs: STATEMENT_READING_MS }),
    ).catch(() => []);
  }

  shape(
    sql: string,
    dialect: Dialect,
    orgId: string,
  ): string | undefined | Promise<string | undefined> {
    if (this.#mayReadNow(sql)) {
      return this.#turn.spend(() => this.#analyzer.shape(sql, dialect));
    }
    const timeoutMs = STATEMENT_READING_MS;
    return this.#ask(orgId, (thread) =>
      thread.call("shape", { sql, dialect }, { timeoutMs }),
    ).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#live].map((thread) => thread.terminate()));
  }

  #mayReadNow(sql: string): boolean {
    return sql.length <= STATEMENT_READ_AT_ONCE_LENGTH_MAX && this.#turn.hasRoom;
  }

  #readInThread(sql: string, dialect: Dialect, orgId: string): Promise<StatementAnalysis> {
    return this.#ask(orgId, async (thread) => {
      try {
        const timeoutMs = STATEMENT_READING_MS;
        return await thread.call("read", { sql, dialect }, { timeoutMs });
      } catch {
        // The parser crashed the thread or took too long, so the analysis is unknown.
        return rejected("unparsable", "The statement is too large to be analyzed: shorten it");
      }
    });
  }

  /** Asks a thread that has nothing else to do. @throws AppError `OVERLOADED`. */
  #ask<Answer>(
    orgId: string,
    ask: (thread: WorkerThread<ReadingCalls>) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#queue.run(orgId, async () => {
      const thread = this.#idle.pop() ?? this.#start();
      try {
        return await ask(thread);
      } finally {
        if (this.#live.has(thread)) this.#idle.push(thread);
      }
    });
  }

  #start(): WorkerThread<ReadingCalls> {
    const thread = new WorkerThread<ReadingCalls>({
      url: new URL("./reading-worker.js", import.meta.url),
      resourceLimits: { maxOldGenerationSizeMb: STATEMENT_READING_MEBIBYTES },
      // The thread must not keep an otherwise idle process alive.
      isBackground: true,
      handlers: {},
      goneError: (cause) => {
        this.#live.delete(thread);
        const at = this.#idle.indexOf(thread);
        if (at >= 0) this.#idle.splice(at, 1);
        return cause ?? new Error("the thread has ended");
      },
    });
    this.#live.add(thread);
    return thread;
  }
}
