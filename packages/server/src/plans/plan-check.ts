import type {
  Intent,
  IntentSource,
  StatementClass,
  StatementDecision,
  TouchedData,
} from "../governance/index.js";
import type { PreparedStep, StepExecution, StepRecord } from "./plan.js";
import type { ExceededBudget, SqlValue, StatementEstimate, ToolCallQuote } from "./ports.js";

/** The result of a check: what would happen if the plan were submitted and run now. It is not stored. */
export interface PlanCheck {
  /** In the order of the definition. */
  readonly steps: readonly StepCheck[];
  /** Budgets that do not cover the plan if each step runs once. */
  readonly exceededBudgets: readonly ExceededBudget[];
}

/** The result of a check for one step, as far as it is known before the plan runs. */
export interface StepCheck {
  readonly stepId: string;
  readonly toolName: string;
  readonly intent: Intent;
  readonly intentSource: IntentSource;
  readonly statementClass: StatementClass;
  readonly dataSource: string;
  /** As the database tells; only the names of tables when it cannot yet. Absent for tools that take no SQL. */
  readonly touched?: TouchedData;
  readonly decision: StatementDecision;
  readonly quote: ToolCallQuote;
  readonly estimate?: StatementEstimate;
  /** Why the database would refuse the statement now; an earlier step may still change that. */
  readonly problem?: StatementProblem;
}

/** One step of a stored plan with everything that is known about it. */
export interface StepDetail {
  readonly planId: string;
  readonly record: StepRecord;
  readonly prepared: PreparedStep;
  /** Values of the statement's parameters; absent until the steps that they come from have ended. */
  readonly values?: readonly SqlValue[];
  /** The present decision of the policies for the caller, and the cost of an attempt. */
  readonly check: StepCheck;
  /** The stored answer to its execution; absent until it has ended. */
  readonly execution?: StepExecution;
}

/** The error of a statement, for an agent to repair. */
export interface StatementProblem {
  readonly message: string;
  readonly hints: readonly string[];
}
