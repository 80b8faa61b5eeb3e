import type { Caller } from "@steward/kernel/caller.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  ApprovalRequired,
  type Dialect,
  type StatementGrant,
  type StatementPolicy,
  type TouchedData,
} from "../../governance/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PreparedStep } from "../plan.js";
import {
  StatementError,
  type AwaitedApproval,
  type SqlTarget,
  type SqlValue,
  type NamedMigrations,
  type StepTarget,
} from "../ports.js";
import { bindOutputs } from "../statements/bind-outputs.js";
import type { StepOutput } from "../statements/step-output.js";
import { overloaded, refused, released, type AttemptEnd } from "./attempt-end.js";
import type { AttemptRunnerParts, GrantedStep } from "./attempt-runner.js";
import { kindsOf, namedBy, permitStep, plannedStatement } from "./permit-steps.js";
import { awaitingApproval, isApproved, mayStand, type BoundStatement } from "./step-approval.js";

/**
 * The data that a step touches, as far as its text tells. The database's description replaces it,
 * and the policies decide on that.
 */
export interface KnownData {
  touched?: TouchedData | undefined;
  policyVersion?: string | undefined;
}

/** What a tool touches that takes no SQL. */
const NO_DATA: TouchedData = { tables: [], functions: [] };

/** Refusals that depend on the caller: another caller may be allowed to run the same step. */
export const POLICY_REFUSALS: ReadonlySet<string> = new Set(["POLICY_DENIED", "APPROVAL_REQUIRED"]);

/** The decision on a step before it is bound. */
export interface StepPermission {
  readonly grant: StatementGrant;
  /** Whether persons have to approve it; the attempt decides whether they have. */
  readonly needsApproval: boolean;
}

/** A question whether an attempt may run, before it does or while it does. */
interface AskingDecision {
  readonly signal: AbortSignal;
  /** What its data source has reported; absent: it is asked. */
  readonly touched?: TouchedData | undefined;
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
   * Decides whether a caller may run a step now, independently of the decision at submission. A
   * refusal rejects with an AppError `POLICY_DENIED`.
   */
  permit(step: PreparedStep, caller: Caller): StepPermission | Promise<StepPermission> {
    const grant = permitStep(caller, step, this.#parts);
    return grant instanceof Promise ? grant.then(permitted, needingApproval) : permitted(grant);
  }

  /** The values of a step's parameters, or why one of them cannot be bound. */
  bindsOf(
    step: PreparedStep,
    outputs: ReadonlyMap<string, StepOutput>,
  ): readonly SqlValue[] | AppError {
    const target = this.#parts.tools.target(step.dataSource);
    try {
      return bindOutputs(step.statement, outputs, (target && dialectOf(target)) ?? "json");
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /**
   * Decides before its claim whether an attempt may run, so that a refusal stores nothing. The run
   * decides again, in the transaction of the statement; what makes it fail is left to the run.
   * @param asking with what the data source has reported of the statement, if it runs already.
   * @returns the approval that it has to wait for; `undefined` when it may run.
   * @throws AppError `POLICY_DENIED`, also as a rejection, as are `OVERLOADED` and `STORE_UNAVAILABLE`.
   */
  admit(
    attempt: GrantedStep,
    ctx: QueryRuntimeContext,
    asking: AskingDecision,
  ): AwaitedApproval | undefined | Promise<AwaitedApproval | undefined> {
    const { step, binds } = attempt;
    const target = this.#parts.tools.target(step.dataSource);
    if (target === undefined) return undefined;
    const denied = this.#parts.access.stepRefusal(ctx, step);
    if (denied !== undefined) throw new AppError("POLICY_DENIED", denied);
    if (binds instanceof AppError) return undefined;
    return whenKnown(boundStatement(target, attempt, binds, ctx), (bound) => {
      if ("outcome" in bound) {
        if (bound.refusal !== undefined) throw bound.refusal;
        return undefined;
      }
      return whenKnown(this.dataOf(target, attempt, ctx), (data) => {
        if (data !== undefined && "dialect" in target) {
          return this.#admittedByData(target, attempt, bound, asking);
        }
        const decided = this.approved(bound, attempt.permission.needsApproval);
        return whenKnown(decided, (refusal) =>
          refusal instanceof ApprovalRequired ? this.awaited(bound, refusal, undefined) : undefined,
        );
      });
    });
  }

  /** Decides by what the database reports: a refusal only by what it reports now. */
  async #admittedByData(
    target: SqlTarget,
    { step, waitMs, timeLimit }: GrantedStep,
    bound: BoundStatement,
    { signal, touched: reported }: AskingDecision,
  ): Promise<AwaitedApproval | undefined> {
    const { caller, binds } = bound;
    const { sql } = step.statement;
    const asked = { sql, intent: step.statementClass, caller, waitMs, timeoutMs: timeLimit.ms };
    const touchedNow = async (mayBeKnown: boolean): Promise<TouchedData | undefined> => {
      const forDecision = { binds, mayBeKnown };
      const parameterCount = binds.length;
      try {
        return (await target.describe({ ...asked, parameterCount, forDecision }, signal)).touched;
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        if (error.reason === "waited") throw overloaded(error);
        return undefined;
      }
    };
    const known = reported ?? (await touchedNow(true));
    if (known === undefined || (await this.#parts.policy.permits(...questionOf(bound, known)))) {
      return undefined;
    }
    const touched = reported ?? (await touchedNow(false));
    if (touched === undefined) return undefined;
    try {
      await this.permitted(bound, touched);
      return undefined;
    } catch (refusal) {
      if (refusal instanceof ApprovalRequired) return this.awaited(bound, refusal, touched);
      throw refusal;
    }
  }

  /** Decides by what a statement touches, as {@link StatementPolicy.permit} does. */
  permitted(bound: BoundStatement, touched: TouchedData): StatementGrant | Promise<StatementGrant> {
    return this.#parts.policy.permit(...questionOf(bound, touched));
  }

  /**
   * The data that a step touches, as far as it is known before the step runs; `undefined` when no
   * policy and no approval depends on it.
   */
  dataOf(
    target: StepTarget,
    { step, permission: { needsApproval } }: GrantedStep,
    caller: Caller,
  ): KnownData | undefined | Promise<KnownData | undefined> {
    const isSql = "dialect" in target;
    const known = (isAsked: boolean): KnownData | undefined | Promise<KnownData> => {
      if (!isAsked && !(needsApproval && isSql)) return undefined;
      if (!isSql) return { touched: NO_DATA };
      return namedBy(step, caller.orgId, this.#parts).then((touched) => ({ touched }));
    };
    const isAsked = this.#parts.policy.looksAtData(caller, kindsOf(step));
    return isAsked instanceof Promise ? isAsked.then(known) : known(isAsked);
  }

  /**
   * Decides on a statement whose policies do not depend on the data that it touches.
   * @returns the refusal when persons have not approved it.
   */
  approved(
    bound: BoundStatement,
    needsApproval: boolean,
  ): StatementGrant | Promise<StatementGrant | ApprovalRequired> {
    return needsApproval ? this.#approved(bound) : NO_GRANT;
  }

  async #approved(bound: BoundStatement): Promise<StatementGrant | ApprovalRequired> {
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
  async awaited(
    bound: BoundStatement,
    { needed }: ApprovalRequired,
    touched: TouchedData | undefined,
  ): Promise<AwaitedApproval> {
    const { ids, clock, reader, approvalValidMs: validMs } = this.#parts;
    const { step, dialect, caller } = bound;
    const shape =
      dialect !== undefined && mayStand(needed.rules)
        ? await reader.shape(step.statement.sql, dialect, caller.orgId)
        : undefined;
    const made = { approvalId: ids.orderedUuid(), nowMs: clock.nowMs(), validMs, shape };
    return awaitingApproval(bound, needed, touched, made);
  }
}

const NO_GRANT: StatementGrant = {};

function permitted(grant: StatementGrant): StepPermission {
  return { grant, needsApproval: false };
}

function needingApproval(refusal: unknown): StepPermission {
  if (!(refusal instanceof ApprovalRequired)) throw refusal;
  return { grant: { policyVersion: refusal.needed.policyVersion }, needsApproval: true };
}

/** What the policies are asked about a statement that touches these data. */
function questionOf(
  bound: BoundStatement,
  touched: TouchedData,
): Parameters<StatementPolicy["permit"]> {
  const { caller, step } = bound;
  const planned = plannedStatement(step, touched);
  return [caller, planned, (needed) => isApproved(bound, needed, touched)];
}

/**
 * The statement with everything that a person approves. @returns the end of the attempt when it
 * cannot be told.
 */
export function boundStatement(
  target: StepTarget,
  { ref, step, approval, permission: { needsApproval } }: GrantedStep,
  binds: readonly SqlValue[],
  caller: Caller,
): BoundStatement | Promise<BoundStatement | AttemptEnd> {
  const dialect = dialectOf(target);
  const statement = { ref, step, binds, caller, approval, dialect, migration: undefined };
  return needsApproval && target.named !== undefined
    ? withMigration(statement, target.named)
    : statement;
}

async function withMigration(
  statement: BoundStatement,
  named: NamedMigrations,
): Promise<BoundStatement | AttemptEnd> {
  const { caller, step } = statement;
  try {
    return { ...statement, migration: await named.migrationOf(caller, step.statement.sql) };
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
