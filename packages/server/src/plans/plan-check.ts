import type {
  Intent,
  IntentSource,
  StatementClass,
  StatementDecision,
  TouchedData,
} from "../governance/index.js";
import type { StatementEstimate, ToolCallQuote } from "./ports.js";

/** What would happen if a plan were submitted and its steps were run now. Nothing of it is stored. */
export interface PlanCheck {
  /** In the order of the definition. */
  readonly steps: readonly StepCheck[];
}

/** What would happen to one step, as far as it is known before the plan runs. */
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

/** The error of a statement, for an agent to repair. */
export interface StatementProblem {
  readonly message: string;
  readonly hints: readonly string[];
}
