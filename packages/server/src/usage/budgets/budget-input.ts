import { capText, type Budget } from "./budgets.js";
import { invalidArgument } from "../instant.js";
import { parseUsd } from "../money.js";

/** A budget in a request. */
export interface BudgetInput {
  readonly scope: string;
  readonly unit: string;
  readonly period: string;
  /** An integer of AAUs, or decimal dollars with up to nine places. */
  readonly limit: string;
  readonly action: string;
  /** Absent: the caller's own organization. */
  readonly org_id?: string | undefined;
}

/**
 * Validates a budget.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function parseBudget(input: BudgetInput, id: string, setBy: Budget["setBy"]): Budget {
  const unit = oneOf("unit", input.unit, ["aau", "usd"]);
  return {
    id,
    scope: oneOf("scope", input.scope, ["organization", "session"]),
    unit,
    period: oneOf("period", input.period, ["day", "month", "total"]),
    limit: unit === "usd" ? parseDollars(input.limit) : parseAaus(input.limit),
    action: oneOf("action", input.action, ["warn", "block"]),
    setBy,
  };
}

/**
 * Refuses an organization's budget that exceeds the operator's budget.
 * @throws AppError `INVALID_ARGUMENT`, naming the operator's limit.
 */
export function checkCeiling(budget: Budget, others: readonly Budget[]): void {
  if (budget.setBy === "operator") return;
  const exceeded = others.find(
    ({ setBy, action, scope, unit, period, limit }) =>
      setBy === "operator" &&
      action === "block" &&
      scope === budget.scope &&
      unit === budget.unit &&
      period === budget.period &&
      limit < budget.limit,
  );
  if (exceeded === undefined) return;
  const most = `${capText(exceeded)}, the operator's budget for the ${exceeded.scope}`;
  throw invalidArgument("limit", `must not be higher than ${most}`);
}

function parseDollars(text: string): bigint {
  const amount = parseUsd(text);
  if (amount === undefined) {
    throw invalidArgument("limit", "must be decimal dollars with at most nine places");
  }
  return amount;
}

function parseAaus(text: string): bigint {
  if (!/^\d{1,15}$/.test(text)) throw invalidArgument("limit", "must be a whole number of AAUs");
  return BigInt(text);
}

function oneOf<Choice extends string>(
  field: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw invalidArgument(field, `must be one of ${choices.join(", ")}`);
  return choice;
}
