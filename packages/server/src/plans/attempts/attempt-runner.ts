import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import { approvedRowsMax, type Approval } from "../../approvals/index.js";
import type { OutputSource } from "../../kernel/tool-call.js";
import type { Ids } from "@steward/kernel/ids.js";
import {
  ApprovalRequired,
  isReadIntent,
  type StatementPolicy,
  type StatementReader,
  type TouchedData,
} from "../../governance/index.js";
import { withHints } from "../context-update.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import {
  StatementError,
  type AdvisedStatement,
  type AttemptRef,
  type SqlValue,
  type StatementResult,
  type StepAdvisor,
  type StepTarget,
  type ToolRegistry,
} from "../ports.js";
import { endOfAttempt, handedBack, refused, released, type AttemptEnd } from "./attempt-end.js";
import {
  boundStatement,
  dialectOf,
  type KnownData,
  POLICY_REFUSALS,
  StepDecisions,
  type StepPermission,
} from "./step-decisions.js";
import type { BoundStatement } from "./step-approval.js";
import { mayChangeSchema, type SchemaSteps } from "./schema-steps.js";
import { type TimeLimit, withTimeLimit } from "./time-limit.js";

/** A step that its caller and its writers may run, as far as its text tells, with everything needed to run it. */
export interface GrantedStep {
  readonly ref: AttemptRef;
  /** The caller, with the writers of the step. */
  readonly ctx: QueryRuntimeContext;
  /** The attempts that count for retries, with this one. */
  readonly tries: number;
  readonly step: PreparedStep;
  /** The values of its parameters, or why one of them cannot be bound. */
  readonly binds: readonly SqlValue[] | AppError;
  /** The statements that those outputs come from, for the record of the tool call. */
  readonly boundSources: readonly OutputSource[];
  /** The approval that it uses. */
  readonly approval: Approval | undefined;
  readonly permission: StepPermission;
  /** How long it may wait for its turn at the data source, in ms. */
  readonly waitMs: number;
  readonly timeLimit: TimeLimit;
}

/** The record that an attempt's tool call will have. */
export interface CallOfAttempt {
  readonly eventId: string;
  readonly sessionId: string;
}

/** An attempt that runs, whose permission may end before it does. */
interface RunningAttempt {
  /** Aborted when the statement must stop. */
  readonly signal: AbortSignal;
  /** What the statement touches, once its data source has reported it. */
  touched: TouchedData | undefined;
  /** See {@link StatementRequest.confirm}. */
  confirm(): undefined | Promise<undefined>;
}

/** A statement with its parameter values and its caller. */
interface StatementToRun {
  readonly bound: BoundStatement;
  /** The limits of its changes. */
  readonly rowsChangedMax: number | undefined;
  readonly mayChangeUncounted: boolean | undefined;
  /** Absent when no policy depends on the touched data. */
  readonly data: KnownData | undefined;
}

/** The end of a statement, and hints beside those that a failure carries. */
interface AdvisedEnd<End> {
  readonly end: End | StatementError;
  readonly hints: readonly string[];
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

/**
 * Runs attempts: binds the parameters, runs the statement, and translates the result into an
 * outcome of the state machine.
 */
export class AttemptRunner {
  readonly #parts: AttemptRunnerParts;
  readonly #decisions: StepDecisions;

  constructor(parts: AttemptRunnerParts) {
    this.#parts = parts;
    this.#decisions = new StepDecisions(parts);
  }

  /**
   * Runs an attempt to its end.
   * @throws AppError `STORE_UNAVAILABLE` when it cannot be determined now whether a write took
   * effect. The attempt then stays claimed until its lease ends, and recovery settles it.
   */
  async run(
    attempt: GrantedStep,
    { eventId, sessionId }: CallOfAttempt,
    running: RunningAttempt,
  ): Promise<AttemptEnd> {
    const { ref, ctx, tries, step, binds, boundSources, permission, timeLimit } = attempt;
    const target = this.#parts.tools.target(step.dataSource);
    if (target === undefined) {
      const message = `Data source ${step.dataSource} is no longer configured`;
      return refused({ code: "STEP_FAILED", message });
    }
    const denied = this.#parts.access.stepRefusal(ctx, step);
    if (denied !== undefined) return refused({ code: "POLICY_DENIED", message: denied }, [denied]);
    if (binds instanceof AppError) {
      const { code, message, details } = binds;
      return refused(
        { code, message },
        details.map((violation) => violation.reason),
      );
    }
    const { schemas } = this.#parts;
    const attributed = { ref, step, sessionId, caller: ctx };
    // Most statements need no question here, and each `await` costs a promise.
    const known = this.#decisions.dataOf(target, attempt, ctx);
    const data = known instanceof Promise ? await known : known;
    const made = boundStatement(target, attempt, binds, ctx);
    const bound = made instanceof Promise ? await made : made;
    if ("outcome" in bound) return bound;
    // A database tells what the statement touches, and is asked about that while it runs.
    const isDecidedByData = data !== undefined && "dialect" in target;
    const decided = this.#decisions.approved(bound, permission.needsApproval && !isDecidedByData);
    const grant = decided instanceof Promise ? await decided : decided;
    if (grant instanceof ApprovalRequired) return this.#awaiting(bound, grant, undefined);
    const isChange = mayChangeSchema(target, step);
    if (isChange) await schemas.before(attributed);
    const startedMs = performance.now();
    const statement = {
      bound,
      data,
      rowsChangedMax: grant.rowsChangedMax ?? permission.grant.rowsChangedMax,
      mayChangeUncounted: grant.mayChangeUncounted ?? permission.grant.mayChangeUncounted,
    };
    const end = await this.#runOn(target, attempt, statement, running);
    if (end instanceof ApprovalRequired) return this.#awaiting(bound, end, data?.touched);
    if (end instanceof AppError) return released(end);
    if (end instanceof StatementError && end.reason === "waited") return handedBack(end);
    const durationMs = performance.now() - startedMs;
    if (isChange && !(end instanceof StatementError)) await schemas.after(attributed);
    const asked = { caller: ctx, looksAtData: data !== undefined };
    const advice = this.#advised(target, step, asked, end);
    const advised = advice instanceof Promise ? await advice : advice;
    const { outcome, toolCall, retriedAfter } = endOfAttempt({
      ref,
      tries,
      step,
      sessionId,
      eventId,
      caller: ctx,
      touched: data?.touched,
      boundSources,
      result: withTimeLimit(advised.end, timeLimit, step),
      durationMs,
      finishedAtMs: this.#parts.clock.nowMs(),
    });
    const policyVersion = data?.policyVersion ?? grant.policyVersion;
    const hints = [...advised.hints, ...this.#chosenSource(step, ctx)];
    return { outcome: withHints(outcome, hints), toolCall, retriedAfter, policyVersion };
  }

  /** Says which data source was used, where the caller could have meant another one (Decision §1). */
  #chosenSource({ dataSource, dataSourceBy }: PreparedStep, caller: Caller): readonly string[] {
    const { tools, access } = this.#parts;
    const isOpen = (name: string): boolean => access.refusal(caller, name) === undefined;
    const others = tools.dataSources.filter((name) => name !== dataSource);
    if (dataSourceBy !== "default" || !others.some(isOpen)) return [];
    return [`Ran on the default data source ${dataSource}; data_source names another one.`];
  }

  /** The end of a statement with its hints: a failure carries its own. */
  #advised<End extends StatementResult | StatementError>(
    target: StepTarget,
    { dataSource, statement: { sql } }: PreparedStep,
    { caller, looksAtData }: Pick<AdvisedStatement, "caller" | "looksAtData">,
    end: End,
  ): AdvisedEnd<End> | Promise<AdvisedEnd<End>> {
    const { advisor } = this.#parts;
    const dialect = dialectOf(target);
    if (advisor === undefined || dialect === undefined) return { end, hints: [] };
    const asked = { caller, looksAtData, dataSource, dialect, sql };
    if (!(end instanceof StatementError)) {
      return whenKnown(advisor.afterResult(asked, end), (hints) => ({ end, hints }));
    }
    return advisor.afterFailure(asked, end).then(({ message, hints }) => ({
      end: new StatementError(end.reason, message, { hints, cause: end.cause }),
      hints: [],
    }));
  }

  /** The end of an attempt whose owner died after the write had taken effect on this target. */
  async recovered(
    target: StepTarget,
    attempt: Pick<GrantedStep, "ref" | "step"> & Pick<CallOfAttempt, "sessionId">,
    result: StatementResult,
  ): Promise<AttemptEnd> {
    if (mayChangeSchema(target, attempt.step)) await this.#parts.schemas.after(attempt);
    return endOfAttempt({
      ...attempt,
      eventId: this.#parts.ids.uuid(),
      result,
      durationMs: 0,
      finishedAtMs: this.#parts.clock.nowMs(),
    });
  }

  /** The end of an attempt that persons have to approve first. */
  async #awaiting(
    bound: BoundStatement,
    refusal: ApprovalRequired,
    touched: TouchedData | undefined,
  ): Promise<AttemptEnd> {
    const outcome = await this.#decisions.awaited(bound, refusal, touched);
    return { outcome, toolCall: undefined, policyVersion: refusal.needed.policyVersion };
  }

  async #runOn(
    target: StepTarget,
    attempt: GrantedStep,
    { bound, data, rowsChangedMax, mayChangeUncounted }: StatementToRun,
    running: RunningAttempt,
  ): Promise<StatementResult | StatementError | AppError> {
    const { binds, caller } = bound;
    const { step, ref, timeLimit, waitMs } = attempt;
    try {
      const confirm = (): undefined | Promise<undefined> => running.confirm();
      const result = await target.run(
        {
          sql: step.statement.sql,
          binds,
          // The engine holds a statement to what it does: a wide intent opens nothing.
          intent: step.statementClass,
          schemaTableHints: step.schemaTableHints,
          rowsChangedMax: lowest(rowsChangedMax, bound.approval && approvedRowsMax(bound.approval)),
          mayChangeUncounted,
          waitMs,
          timeoutMs: timeLimit.ms,
          attempt: ref,
          caller,
          confirm,
          permit:
            data &&
            (async (touched) => {
              data.touched = touched;
              running.touched = touched;
              const grant = await this.#decisions.permitted(bound, touched);
              data.policyVersion = grant.policyVersion;
              return grant;
            }),
        },
        running.signal,
      );
      // What a write has changed is stored in any case, so that it is not done again.
      const confirmed = isReadIntent(step.intent) ? confirm() : undefined;
      if (confirmed instanceof Promise) await confirmed;
      return result;
    } catch (error) {
      if (error instanceof AppError && POLICY_REFUSALS.has(error.code)) return error;
      if (!(error instanceof StatementError)) throw error;
      if (error.reason !== "connection" || isReadIntent(step.intent)) return error;
      return (await settle(target, attempt, error)) ?? provenUndone(error);
    }
  }
}

/** The lower one of two limits. */
function lowest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

async function settle(
  target: StepTarget,
  { ref, step }: GrantedStep,
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
