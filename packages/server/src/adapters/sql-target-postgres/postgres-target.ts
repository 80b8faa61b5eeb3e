import { isReadIntent, type SqlAnalyzer, type StatementReader } from "../../governance/index.js";
import { POSTGRES_SESSIONS_MAX, PREVIEW_MS_MAX } from "../limits.js";
import { ROWS_CHANGED_MAX } from "../../plans/limits.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import {
  StatementError,
  type AttemptRef,
  type DescribedStatement,
  type SqlTarget,
  type StatementPreview,
  type StatementRequest,
  type StatementResult,
  type StatementToDescribe,
  type StatementToPreview,
} from "../../plans/ports.js";
import { Admission, type KnownStatement } from "../sql-target/admission.js";
import { requirePreview } from "../sql-target/previewed-statements.js";
import { RunningStatements } from "../sql-target/running-statements.js";
import { Descriptions } from "./touched/descriptions.js";
import { estimateOf } from "./estimate.js";
import { toStatementError, type FailureContext } from "./failure.js";
import { Previews } from "./previews/previews.js";
import type { Session } from "./session.js";
import { SessionPool } from "./session-pool.js";
import { hintsFor, messageWithoutHiddenNames, type FailedText } from "./statement-hints.js";
import { type RoleOf, StatementRunner } from "./statement-runner.js";
import { deleteMarkersOf } from "./step-markers.js";
import { Stopper } from "./stopper.js";
import { beginCommands, enterCommands } from "./transaction.js";
import { TypeCatalog } from "./type-catalog.js";
import { requireMarkers, Writes } from "./writes.js";

export interface PostgresTargetOptions {
  readonly name: string;
  /** `postgres://user:password@host:port/database`; never shown. */
  readonly url: string;
  readonly analyzer: SqlAnalyzer;
  /** Parses long statements in a thread; absent: the analyzer parses all of them. */
  readonly reader?: StatementReader | undefined;
  readonly log: Log;
  /** Limit of concurrent connections. */
  readonly sessionsMax?: number | undefined;
  /** Limit of rows that one write may change. */
  readonly rowsChangedMax?: number;
  /** The role for an organization's statements; absent: all use the login role. */
  readonly roleOf?: RoleOf;
  /** Whether writes may be previewed; absent: true. */
  readonly previews?: boolean | undefined;
  /** The version of the server whose SQL previews use; absent: the server's own. */
  readonly previewVersion?: number;
}

/**
 * A PostgreSQL data source. The server itself enforces the limits of statements: the extended
 * protocol allows one statement, reads run in a READ ONLY transaction, and statement_timeout limits
 * the time.
 */
export class PostgresTarget implements SqlTarget {
  readonly name: string;
  readonly dialect = "postgres";
  readonly #admission: Admission;
  readonly #pool: SessionPool;
  readonly #types = new TypeCatalog();
  readonly #runner: StatementRunner;
  readonly #descriptions = new Descriptions(this.#types);
  readonly #writes: Writes;
  readonly #previews: Previews;
  readonly #hasPreviews: boolean;
  readonly #roleOf: RoleOf;
  readonly #log: Log;
  readonly #running = new RunningStatements();

  constructor(options: PostgresTargetOptions) {
    this.name = options.name;
    this.#admission = new Admission(options.analyzer, "postgres", options.reader);
    this.#pool = new SessionPool(options.url, options.sessionsMax ?? POSTGRES_SESSIONS_MAX);
    this.#roleOf = options.roleOf ?? (() => undefined);
    this.#runner = new StatementRunner(this.#types, this.#roleOf);
    const rowsMax = options.rowsChangedMax ?? ROWS_CHANGED_MAX;
    const parts = { runner: this.#runner, descriptions: this.#descriptions };
    this.#writes = new Writes(parts, rowsMax, this.#roleOf);
    this.#previews = new Previews(
      { ...parts, types: this.#types },
      rowsMax,
      options.previewVersion,
    );
    this.#hasPreviews = options.previews ?? true;
    this.#log = options.log.child({ dataSource: options.name });
  }

  async run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult> {
    this.#running.requireOpen(signal);
    const admitted = this.#admission.admit(request.sql, request.intent, request.attempt.orgId);
    const statement = admitted instanceof Promise ? await admitted : admitted;
    // The target may have been closed while a long statement was parsed.
    this.#running.requireOpen(signal);
    return this.#running.track(
      isReadIntent(request.intent)
        ? this.#read(request, statement, signal)
        : this.#write(request, statement, signal),
    );
  }

  async describe(asked: StatementToDescribe, signal: AbortSignal): Promise<DescribedStatement> {
    this.#running.requireOpen(signal);
    const statement = await this.#admission.admit(asked.sql, asked.intent, asked.caller.orgId);
    this.#running.requireOpen(signal);
    if (asked.forDecision?.mayBeKnown === true) {
      const touched = this.#descriptions.lastOf(asked, this.#roleOf(asked.caller.orgId));
      if (touched !== undefined) return { touched };
    }
    return this.#running.track(this.#describe(asked, statement, signal));
  }

  async preview(asked: StatementToPreview, signal: AbortSignal): Promise<StatementPreview> {
    this.#running.requireOpen(signal);
    const statement = await this.#admission.admit(asked.sql, asked.intent, asked.caller.orgId);
    requirePreview(this.#hasPreviews, statement);
    this.#running.requireOpen(signal);
    return this.#running.track(this.#preview(asked, statement, signal));
  }

  async settle(attempt: AttemptRef): Promise<StatementResult | undefined> {
    return this.#running.track(this.#settle(attempt));
  }

  forget(attempt: AttemptRef): void {
    this.#writes.forget(attempt);
  }

  async deleteMarkers(orgId: string, planIds: readonly string[]): Promise<void> {
    using stopper = new Stopper(
      { waitMs: SETTLE_MS_MAX, timeoutMs: SETTLE_MS_MAX },
      new AbortController().signal,
    );
    const deletion = this.#inSession(orgId, stopper, (session) =>
      deleteMarkersOf(session, orgId, planIds),
    );
    await this.#running.track(deletion);
  }

  /** Drains running statements, then closes the connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.drain();
    this.#pool.close();
  }

  async #read(
    request: StatementRequest,
    statement: KnownStatement,
    signal: AbortSignal,
  ): Promise<StatementResult> {
    using stopper = new Stopper(request, signal);
    return await this.#inSession(request.attempt.orgId, stopper, async (session) => {
      try {
        const asked = { request, statement, role: this.#roleOf(request.attempt.orgId) };
        session.begin(this.#readCommands(ownedOf(request), stopper.remainingMs));
        const version = this.#descriptions.versionText(asked);
        const seen = version === "" ? [] : await session.commandRows(version);
        await this.#descriptions.permit(session, asked, seen);
        const rows = await this.#runner.run(session, request, statement);
        // A read cannot change the schema.
        return { ...rows, schemaDeltas: [] };
      } catch (error) {
        throw await this.#failure(error, session, ownedOf(request), statement, stopper);
      }
    });
  }

  async #describe(
    asked: StatementToDescribe,
    statement: KnownStatement,
    signal: AbortSignal,
  ): Promise<DescribedStatement> {
    using stopper = new Stopper(asked, signal);
    const { orgId } = asked.caller;
    const { forDecision } = asked;
    const request = { ...asked, orgId, binds: forDecision?.binds ?? [] };
    return await this.#inSession(orgId, stopper, async (session) => {
      try {
        // Nobody is asked to approve a write that could not run then. The login role writes markers.
        const mayWait = forDecision?.mayBeKnown === false && !isReadIntent(asked.intent);
        if (mayWait) await requireMarkers(session);
        session.begin(this.#readCommands(request, stopper.remainingMs));
        await this.#runner.requireFunctions(session, asked, statement);
        const role = this.#roleOf(orgId);
        const described = { request, statement, role };
        if (forDecision !== undefined) {
          return { touched: await this.#descriptions.describeForRun(session, described) };
        }
        const { touched, mayEstimate } = await this.#descriptions.describe(session, described);
        const estimate =
          mayEstimate && (await estimateOf(session, asked, statement.statementClass));
        return { touched, ...(estimate && { estimate }) };
      } catch (error) {
        throw await this.#failure(error, session, request, statement, stopper);
      }
    });
  }

  async #preview(
    asked: StatementToPreview,
    statement: KnownStatement,
    signal: AbortSignal,
  ): Promise<StatementPreview> {
    const timeoutMs = Math.min(asked.timeoutMs, PREVIEW_MS_MAX);
    using stopper = new Stopper({ waitMs: asked.waitMs, timeoutMs }, signal);
    const { orgId } = asked.caller;
    return await this.#inSession(orgId, stopper, async (session) => {
      try {
        const owner = { orgId, timeoutMs: stopper.remainingMs, role: this.#roleOf(orgId) };
        return await this.#previews.run(session, asked, statement, owner);
      } catch (error) {
        throw await this.#failure(error, session, { ...asked, orgId }, statement, stopper);
      }
    });
  }

  async #write(
    request: StatementRequest,
    statement: KnownStatement,
    signal: AbortSignal,
  ): Promise<StatementResult> {
    using stopper = new Stopper(request, signal);
    const { orgId } = request.attempt;
    const written = await this.#inSession(orgId, stopper, async (session) => {
      try {
        return await this.#writes.run(session, request, statement, stopper);
      } catch (error) {
        throw await this.#failure(error, session, ownedOf(request), statement, stopper);
      }
    });
    if (written.outcome === "applied") return written.result;
    // The connection was lost after COMMIT was sent, so only the marker in the data source tells
    // the outcome.
    const settled = await this.#settle(request.attempt);
    if (settled !== undefined) return settled;
    throw (
      stopper.error ??
      toStatementError(written.cause, { binds: [], hints: [], hasTimeLeft: stopper.hasTimeLeft })
    );
  }

  async #settle(attempt: AttemptRef): Promise<StatementResult | undefined> {
    try {
      const session = await this.#pool.acquire(attempt.orgId, {
        signal: AbortSignal.timeout(SETTLE_MS_MAX),
        isUrgent: true,
      });
      const timer = setTimeout(() => session.destroy(), SETTLE_MS_MAX);
      try {
        return await this.#writes.settle(session, attempt, SETTLE_MS_MAX);
      } catch (error) {
        session.spoil();
        throw error;
      } finally {
        clearTimeout(timer);
        this.#pool.release(session);
      }
    } catch (cause) {
      const message = "It cannot be determined now whether the write took effect";
      throw new StatementError("connection", message, { cause });
    }
  }

  /** Runs work with a session from the pool, under the stopper's deadline. */
  async #inSession<Result>(
    orgId: string,
    stopper: Stopper,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    let session: Session;
    try {
      session = await this.#pool.acquire(orgId, { signal: stopper.signal });
    } catch (error) {
      throw stopper.error ?? error;
    }
    stopper.begin();
    let stopping: Promise<void> | undefined;
    const stop = (): void => {
      stopping = session.stop().catch((error: unknown) => {
        this.#log.warn(
          { err: error },
          "a statement was stopped, but the server did not confirm that it ended",
        );
      });
    };
    stopper.signal.addEventListener("abort", stop, { once: true });
    if (stopper.signal.aborted) stop();
    try {
      return await work(session);
    } catch (error) {
      await stopping;
      throw stopper.error ?? error;
    } finally {
      stopper.signal.removeEventListener("abort", stop);
      this.#giveBack(session);
    }
  }

  /** Rolls back and releases the session in the background, after the caller got its result. */
  #giveBack(session: Session): void {
    if (session.isSpoilt || !session.isInTransaction) {
      session.cancelBegin();
      this.#pool.release(session);
      return;
    }
    void this.#running.track(session.rollback().then(() => this.#pool.release(session)));
  }

  /** Commands that begin a read's transaction, under the organization's role. */
  #readCommands({ orgId, binds }: OwnedStatement, timeoutMs: number): readonly string[] {
    const begin = beginCommands("READ ONLY", { orgId, timeoutMs });
    return [...begin, ...enterCommands(this.#roleOf(orgId), binds)];
  }

  async #failure(
    error: unknown,
    session: Session,
    request: OwnedStatement,
    { tables }: KnownStatement,
    stopper: Stopper,
  ): Promise<StatementError | AppError> {
    if (error instanceof AppError) return error;
    const role = this.#roleOf(request.orgId);
    const begin =
      role === undefined
        ? undefined
        : this.#readCommands({ ...request, binds: [] }, DESCRIBE_MS_MAX);
    const described = await describe(error, { sql: request.sql, tables }, session, begin);
    const { binds } = request;
    const failure = toStatementError(error, {
      binds,
      hasTimeLeft: stopper.hasTimeLeft,
      ...described,
    });
    return this.#admission.withAdvice(failure, request.sql, request.orgId);
  }
}

/** A statement with its values, and the organization for which it runs. */
interface OwnedStatement extends Pick<StatementRequest, "sql" | "binds"> {
  readonly orgId: string;
}

function ownedOf({ sql, binds, attempt: { orgId } }: StatementRequest): OwnedStatement {
  return { sql, binds, orgId };
}

/** Time limit for determining an attempt's outcome, in ms. */
const SETTLE_MS_MAX = 10_000;

/** Time limit for computing hints, in ms. */
const DESCRIBE_MS_MAX = 5_000;

/**
 * Computes hints; an error in doing so must not replace the statement's error.
 * @param begin begins a transaction under the organization's role, so that hints only name what
 * that role may read; absent: the statement ran under the login role.
 */
async function describe(
  error: unknown,
  failed: FailedText,
  session: Session,
  begin: readonly string[] | undefined,
): Promise<Pick<FailureContext, "message" | "hints">> {
  if (session.isSpoilt || !(error instanceof Error)) return { hints: [] };
  try {
    await session.rollback();
    if (begin !== undefined) session.begin(begin);
    const message = await messageWithoutHiddenNames(error, failed.tables, session);
    return { message, hints: await hintsFor(error, message ?? error.message, failed, session) };
  } catch {
    return { hints: [] };
  }
}
