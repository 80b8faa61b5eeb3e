import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  ApprovalRequired,
  type Dialect,
  namedData,
  type StatementGrant,
  type TouchedData,
} from "../../governance/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import {
  StatementError,
  type AwaitedApproval,
  type SqlTarget,
  type SqlValue,
  type StepTarget,
} from "../ports.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import { overloaded, refused, released, type AttemptEnd } from "./attempt-end.js";
import type { AskedAttempt, AttemptRunnerParts } from "./attempt-runner.js";
import { kindsOf, namedBy, permitStep, plannedStatement } from "./permit-steps.js";
import { awaitingApproval, isApproved, type BoundStatement } from "./step-approval.js";

/**
 * The data that a step touches, as far as its text tells. The database's description replaces it,
 * and the policies decide on that.
 */
export interface KnownData {
  touched?: TouchedData | undefined;
  policyVersion?: string | undefined;
}

/** Refusals that depend on the caller: another caller may be allowed to run the same step. */
export const POLICY_REFUSALS: ReadonlySet<string> = new Set(["POLICY_DENIED", "APPROVAL_REQUIRED"]);

/** The decision on a step before it is bound. */
export interface StepPermission extends StatementGrant {
  /** Whether persons have to approve it; the attempt decides whether they have. */
  readonly needsApproval: boolean;
}

/** Dependencies of the decisions on steps. */
export type StepDecisionParts = Pick<
  AttemptRunnerParts,
  "tools" | "access" | "policy" | "reader" | "clock" | "ids" | "approvalValidMs"
>;

/** Decides whether steps may run: before their claims, and again while they run. */
export class StepDecisions {
  readonly #parts: StepDecisionParts;

  constructor(parts: StepDecisionParts) {
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
   * Decides before its claim whether an attempt may run, so that a refusal stores nothing. The run
   * decides again, in the transaction of the statement; what makes it fail is left to the run.
   * @returns the approval that it has to wait for; `undefined` when it may run.
   * @throws AppError `POLICY_DENIED`, `OVERLOADED`, `STORE_UNAVAILABLE`.
   */
  async admit(
    attempt: AskedAttempt,
    ctx: QueryRuntimeContext,
    signal: AbortSignal,
  ): Promise<AwaitedApproval | undefined> {
    const { step } = attempt;
    const target = this.#parts.tools.target(step.dataSource);
    if (target === undefined) return undefined;
    const denied = this.#parts.access.refusal(ctx, step.dataSource);
    if (denied !== undefined) throw new AppError("POLICY_DENIED", denied);
    let binds: readonly SqlValue[];
    try {
      binds = bindOutputs(step.statement, attempt.outputs, dialectOf(target) ?? "json");
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
    const bound = await boundStatement(target, attempt, binds, ctx);
    if ("outcome" in bound) {
      if (bound.refusal !== undefined) throw bound.refusal;
      return undefined;
    }
    const data = await this.dataOf(target, attempt, ctx);
    if (data !== undefined && "dialect" in target) {
      return this.#admittedByData(target, attempt, bound, signal);
    }
    const refusal = await this.approved(bound, attempt.needsApproval);
    return refusal instanceof ApprovalRequired
      ? this.awaited(bound, refusal, undefined)
      : undefined;
  }

  /** Decides by what the database reports: a refusal only by what it reports now. */
  async #admittedByData(
    target: SqlTarget,
    { step, waitMs, timeoutMs }: AskedAttempt,
    bound: BoundStatement,
    signal: AbortSignal,
  ): Promise<AwaitedApproval | undefined> {
    const { caller, binds } = bound;
    const { sql } = step.statement;
    const asked = { sql, intent: step.statementClass, caller, waitMs, timeoutMs };
    for (const mayBeKnown of [true, false]) {
      let touched: TouchedData;
      try {
        const forDecision = { binds, mayBeKnown };
        const parameterCount = binds.length;
        ({ touched } = await target.describe({ ...asked, parameterCount, forDecision }, signal));
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        if (error.reason === "waited") throw overloaded(error);
        return undefined;
      }
      try {
        await this.permitted(bound, touched);
        return undefined;
      } catch (refusal) {
        if (!(refusal instanceof AppError) || !POLICY_REFUSALS.has(refusal.code)) throw refusal;
        if (mayBeKnown) continue;
        if (refusal instanceof ApprovalRequired) return this.awaited(bound, refusal, touched);
        throw refusal;
      }
    }
    return undefined;
  }

  /** Decides by what a statement touches. @throws as {@link StatementPolicy.permit} does. */
  permitted(bound: BoundStatement, touched: TouchedData): Promise<StatementGrant> {
    const { caller, step } = bound;
    return this.#parts.policy.permit(caller, plannedStatement(step, touched), (needed) =>
      isApproved(bound, needed, touched),
    );
  }

  /**
   * The data that a step touches, as far as it is known before the step runs; `undefined` when no
   * policy and no approval depends on it.
   */
  async dataOf(
    target: StepTarget,
    { step, needsApproval }: AskedAttempt,
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
  async approved(
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

  /** The approval that a statement has to wait for. */
  awaited(
    bound: BoundStatement,
    { needed }: ApprovalRequired,
    touched: TouchedData | undefined,
  ): AwaitedApproval {
    const { ids, clock, approvalValidMs: validMs } = this.#parts;
    const made = { approvalId: ids.orderedUuid(), nowMs: clock.nowMs(), validMs };
    return awaitingApproval(bound, needed, touched, made);
  }
}

/**
 * The statement with everything that a person approves. @returns the end of the attempt when it
 * cannot be told.
 */
export async function boundStatement(
  target: StepTarget,
  { ref, step, approval, needsApproval }: AskedAttempt,
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
export function dialectOf(target: SqlTarget | StepTarget): Dialect | undefined {
  return "dialect" in target ? target.dialect : undefined;
}
