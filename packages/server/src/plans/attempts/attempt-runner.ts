import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import { approvedRowsMax, type Approval } from "../../approvals/index.js";
import type { OutputSource } from "../../kernel/tool-call.js";
import type { Ids } from "@steward/kernel/ids.js";
import {
  ApprovalRequired,
  isReadIntent,
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
} from "./step-decisions.js";
import type { BoundStatement } from "./step-approval.js";
import type { SchemaSteps } from "./schema-steps.js";

/** One claimed attempt, with everything needed to run it. */
export interface Attempt {
  readonly ref: AttemptRef;
  /** The attempts that count for retries, with this one. */
  readonly tries: number;
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

/** An attempt before its claim. */
export type AskedAttempt = Omit<Attempt, "tries" | "sessionId" | "eventId">;

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
    const data = await this.#decisions.dataOf(target, attempt, ctx);
    const bound = await boundStatement(target, attempt, binds, ctx);
    if ("outcome" in bound) return bound;
    // A database tells what the statement touches, and is asked about that while it runs.
    const isDecidedByData = data !== undefined && "dialect" in target;
    const grant: StatementGrant | ApprovalRequired = isDecidedByData
      ? {}
      : await this.#decisions.approved(bound, attempt.needsApproval);
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

  /** The end of an attempt that persons have to approve first. */
  #awaiting(
    bound: BoundStatement,
    refusal: ApprovalRequired,
    touched: TouchedData | undefined,
  ): AttemptEnd {
    const outcome = this.#decisions.awaited(bound, refusal, touched);
    return { outcome, toolCall: undefined, policyVersion: refusal.needed.policyVersion };
  }

  async #runOn(
    target: StepTarget,
    attempt: Attempt,
    { bound, data }: StatementToRun,
    signal: AbortSignal,
  ): Promise<StatementResult | StatementError | AppError> {
    const { binds, caller } = bound;
    const { step, ref, rowsChangedMax, mayChangeUncounted, timeoutMs, waitMs } = attempt;
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
              const grant = await this.#decisions.permitted(bound, touched);
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
