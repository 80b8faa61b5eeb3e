import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import { approvedRowsMax, type Approval } from "../../approvals/index.js";
import type { OutputSource } from "../../kernel/tool-call.js";
import type { Ids } from "@steward/kernel/ids.js";
import {
  ApprovalRequired,
  type Dialect,
  isReadIntent,
  namedData,
  type StatementGrant,
  type StatementPolicy,
  type StatementReader,
  type TouchedData,
} from "../../governance/index.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import type { StepOutput } from "../statements/step-output.js";
import { withHints } from "../context-update.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import {
  StatementError,
  type AdvisedStatement,
  type AttemptRef,
  type SqlTarget,
  type SqlValue,
  type StatementResult,
  type StepAdvisor,
  type StepTarget,
  type ToolRegistry,
} from "../ports.js";
import { endOfAttempt, handedBack, refused, released, type AttemptEnd } from "./attempt-end.js";
import { kindsOf, namedBy, permitStep, plannedStatement } from "./permit-steps.js";
import { awaitingApproval, isApproved, type BoundStatement } from "./step-approval.js";
import type { SchemaSteps } from "./schema-steps.js";

/** One claimed attempt, with everything needed to run it. */
export interface Attempt {
  readonly ref: AttemptRef;
  readonly step: PreparedStep;
  readonly sessionId: string;
  /** The id of its tool call. */
  readonly eventId: string;
  readonly outputs: ReadonlyMap<string, StepOutput>;
  /** The statements that those outputs come from, for the record of the tool call. */
  readonly boundSources: readonly OutputSource[];
  /** The approval that it uses. */
  readonly approval: Approval | undefined;
  /** Whether policies demand an approval because of what the statement's text names. */
  readonly needsApproval: boolean;
  /** Maximum number of rows that it may change; absent: the limit of its data source. */
  readonly rowsChangedMax?: number | undefined;
  /** Whether it may change rows that the database does not count; absent: no. */
  readonly mayChangeUncounted?: boolean | undefined;
  /** How long it may wait for its turn at the data source, in ms. */
  readonly waitMs: number;
  readonly timeoutMs: number;
}

/**
 * The data that a step touches, as far as its text tells. The database's description replaces it,
 * and the policies decide on that.
 */
interface KnownData {
  touched?: TouchedData | undefined;
  policyVersion?: string | undefined;
}

/** A statement with its parameter values and its caller. */
interface StatementToRun {
  readonly bound: BoundStatement;
  /** Absent when no policy depends on the touched data. */
  readonly data: KnownData | undefined;
}

/** Dependencies of an attempt runner. */
export interface AttemptRunnerParts {
  readonly tools: ToolRegistry;
  readonly access: DataSourceAccess;
  readonly schemas: SchemaSteps;
  readonly policy: StatementPolicy;
  readonly reader: StatementReader;
  /** Absent: only the data sources give hints. */
  readonly advisor?: StepAdvisor | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a new approval is valid, in ms. */
  readonly approvalValidMs: number;
}

/** The decision on a step before it is bound. */
export interface StepPermission extends StatementGrant {
  /** Whether persons have to approve it; the attempt decides whether they have. */
  readonly needsApproval: boolean;
}

/** Refusals that depend on the caller: another caller may be allowed to run the same step. */
export const POLICY_REFUSALS: ReadonlySet<string> = new Set(["POLICY_DENIED", "APPROVAL_REQUIRED"]);

/**
 * Runs attempts: binds the parameters, runs the statement, and translates the result into an
 * outcome of the state machine.
 */
export class AttemptRunner {
  readonly #parts: AttemptRunnerParts;

  constructor(parts: AttemptRunnerParts) {
    this.#parts = parts;
  }

  /**
   * Decides whether a caller may run a step now, independently of the decision at submission.
   * @throws AppError `POLICY_DENIED`.
   */
  async permit(step: PreparedStep, caller: Caller): Promise<StepPermission> {
    try {
      return { ...(await permitStep(caller, step, this.#parts)), needsApproval: false };
    } catch (refusal) {
      if (!(refusal instanceof ApprovalRequired)) throw refusal;
      return { needsApproval: true, policyVersion: refusal.needed.policyVersion };
    }
  }

  /**
   * Runs an attempt to its end.
   * @throws AppError `STORE_UNAVAILABLE` when it cannot be determined now whether a write took
   * effect. The attempt then stays claimed until its lease ends, and recovery settles it.
   */
  async run(attempt: Attempt, ctx: QueryRuntimeContext, signal: AbortSignal): Promise<AttemptEnd> {
    const target = this.#parts.tools.target(attempt.step.dataSource);
    if (target === undefined) {
      const message = `Data source ${attempt.step.dataSource} is no longer configured`;
      return refused({ code: "STEP_FAILED", message });
    }
    const denied = this.#parts.access.refusal(ctx, attempt.step.dataSource);
    if (denied !== undefined) return refused({ code: "POLICY_DENIED", message: denied }, [denied]);
    let binds: readonly SqlValue[];
    try {
      const dialect = dialectOf(target) ?? "json";
      binds = bindOutputs(attempt.step.statement, attempt.outputs, dialect);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return refused(
        { code: error.code, message: error.message },
        error.details.map((violation) => violation.reason),
      );
    }
    const { schemas } = this.#parts;
    const attributed = { ...attempt, caller: ctx };
    const data = await this.#dataOf(target, attempt, ctx);
    const bound = await boundStatement(target, attempt, binds, ctx);
    if ("outcome" in bound) return bound;
    // A database tells what the statement touches, and is asked about that while it runs.
    const isDecidedByData = data !== undefined && "dialect" in target;
    const grant: StatementGrant | ApprovalRequired = isDecidedByData
      ? {}
      : await this.#approved(bound, attempt.needsApproval);
    if (grant instanceof ApprovalRequired) return this.#awaiting(bound, grant, undefined);
    await schemas.before(target, attributed);
    const startedMs = performance.now();
    const end = await this.#runOn(target, { ...attempt, ...grant }, { bound, data }, signal);
    if (end instanceof ApprovalRequired) return this.#awaiting(bound, end, data?.touched);
    if (end instanceof AppError) return released(end);
    if (end instanceof StatementError && end.reason === "waited") return handedBack(end);
    const durationMs = performance.now() - startedMs;
    if (!(end instanceof StatementError)) await schemas.after(target, attributed);
    const asked = { caller: ctx, looksAtData: data !== undefined };
    const advised = await this.#advised(target, attempt.step, asked, end);
    const ended = endOfAttempt({
      ...attempt,
      caller: ctx,
      touched: data?.touched,
      result: advised.end,
      durationMs,
      finishedAtMs: this.#parts.clock.nowMs(),
    });
    const policyVersion = data?.policyVersion ?? grant.policyVersion;
    return { ...ended, outcome: withHints(ended.outcome, advised.hints), policyVersion };
  }

  /** The end of a statement with its hints: a failure carries its own. */
  async #advised<End extends StatementResult | StatementError>(
    target: StepTarget,
    { dataSource, statement: { sql } }: PreparedStep,
    about: Pick<AdvisedStatement, "caller" | "looksAtData">,
    end: End,
  ): Promise<{ readonly end: End | StatementError; readonly hints: readonly string[] }> {
    const { advisor } = this.#parts;
    const dialect = dialectOf(target);
    if (advisor === undefined || dialect === undefined) return { end, hints: [] };
    const asked = { ...about, dataSource, dialect, sql };
    if (!(end instanceof StatementError)) {
      const hints = advisor.afterResult(asked, end);
      return { end, hints: hints instanceof Promise ? await hints : hints };
    }
    const { message, hints } = await advisor.afterFailure(asked, end);
    return {
      end: new StatementError(end.reason, message, { hints, cause: end.cause }),
      hints: [],
    };
  }

  /** The end of an attempt whose owner died after the write had taken effect on this target. */
  async recovered(
    target: StepTarget,
    attempt: Pick<Attempt, "ref" | "step" | "sessionId">,
    result: StatementResult,
  ): Promise<AttemptEnd> {
    await this.#parts.schemas.after(target, attempt);
    return endOfAttempt({
      ...attempt,
      eventId: this.#parts.ids.uuid(),
      result,
      durationMs: 0,
      finishedAtMs: this.#parts.clock.nowMs(),
    });
  }

  /**
   * The data that a step touches, as far as it is known before the step runs; `undefined` when no
   * policy and no approval depends on it.
   */
  async #dataOf(
    target: StepTarget,
    { step, needsApproval }: Attempt,
    caller: Caller,
  ): Promise<KnownData | undefined> {
    const isAsked = await this.#parts.policy.looksAtData(caller, kindsOf(step));
    const isSql = "dialect" in target;
    if (!isAsked && !(needsApproval && isSql)) return undefined;
    return { touched: isSql ? await namedBy(step, caller.orgId, this.#parts) : namedData([]) };
  }

  /**
   * Decides on a statement whose policies do not depend on the data that it touches.
   * @returns the refusal when persons have not approved it.
   */
  async #approved(
    bound: BoundStatement,
    needsApproval: boolean,
  ): Promise<StatementGrant | ApprovalRequired> {
    if (!needsApproval) return {};
    try {
      return await permitStep(bound.caller, bound.step, this.#parts, (needed) =>
        isApproved(bound, needed, undefined),
      );
    } catch (refusal) {
      if (refusal instanceof ApprovalRequired) return refusal;
      throw refusal;
    }
  }

  /** The end of an attempt that persons have to approve first. */
  #awaiting(
    bound: BoundStatement,
    { needed }: ApprovalRequired,
    touched: TouchedData | undefined,
  ): AttemptEnd {
    const { ids, clock, approvalValidMs: validMs } = this.#parts;
    const made = { approvalId: ids.orderedUuid(), nowMs: clock.nowMs(), validMs };
    const outcome = awaitingApproval(bound, needed, touched, made);
    return { outcome, toolCall: undefined, policyVersion: needed.policyVersion };
  }

  async #runOn(
    target: StepTarget,
    attempt: Attempt,
    { bound, data }: StatementToRun,
    signal: AbortSignal,
  ): Promise<StatementResult | StatementError | AppError> {
    const { binds, caller } = bound;
    const { step, ref, rowsChangedMax, mayChangeUncounted, timeoutMs, waitMs } = attempt;
    const { policy } = this.#parts;
    try {
      return await target.run(
        {
          sql: step.statement.sql,
          binds,
          // The engine holds a statement to what it does: a wide intent opens nothing.
          intent: step.statementClass,
          schemaTableHints: step.schemaTableHints,
          rowsChangedMax: lowest(rowsChangedMax, bound.approval && approvedRowsMax(bound.approval)),
          mayChangeUncounted,
          waitMs,
          timeoutMs,
          attempt: ref,
          caller,
          permit:
            data &&
            (async (touched) => {
              data.touched = touched;
              const asked = plannedStatement(step, touched);
              const grant = await policy.permit(caller, asked, (needed) =>
                isApproved(bound, needed, touched),
              );
              data.policyVersion = grant.policyVersion;
              return grant;
            }),
        },
        signal,
      );
    } catch (error) {
      if (error instanceof AppError && POLICY_REFUSALS.has(error.code)) return error;
      if (!(error instanceof StatementError)) throw error;
      if (error.reason !== "connection" || isReadIntent(step.intent)) return error;
      return (await settle(target, attempt, error)) ?? provenUndone(error);
    }
  }
}

/**
 * The statement with everything that a person approves. @returns the end of the attempt when it
 * cannot be told.
 */
async function boundStatement(
  target: StepTarget,
  { ref, step, approval, needsApproval }: Attempt,
  binds: readonly SqlValue[],
  caller: Caller,
): Promise<BoundStatement | AttemptEnd> {
  const statement = { ref, step, binds, caller, approval, dialect: dialectOf(target) };
  if (!needsApproval || target.migrationOf === undefined) {
    return { ...statement, migration: undefined };
  }
  try {
    return { ...statement, migration: await target.migrationOf(caller, step.statement.sql) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    return code === "STORE_UNAVAILABLE" ? released(error) : refused({ code, message });
  }
}

/** Undefined for a service tool, which is not SQL. */
function dialectOf(target: SqlTarget | StepTarget): Dialect | undefined {
  return "dialect" in target ? target.dialect : undefined;
}

/** The lower one of two limits. */
function lowest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

async function settle(
  target: StepTarget,
  { ref, step }: Attempt,
  lost: StatementError,
): Promise<StatementResult | undefined> {
  try {
    return await target.settle(ref, step.statement.sql);
  } catch (error) {
    throw new AppError(
      "STORE_UNAVAILABLE",
      `The connection to ${target.name} was lost, so it is unknown whether step ${ref.stepId} ` +
        "took effect; the server finds out as soon as the data source can be reached",
      { cause: new AggregateError([lost, error]), retryAfterMs: 1000 },
    );
  }
}

function provenUndone(lost: StatementError): StatementError {
  return new StatementError("rolled_back", lost.message, { hints: lost.hints, cause: lost });
}
