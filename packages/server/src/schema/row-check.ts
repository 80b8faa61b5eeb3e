import { AppError } from "../kernel/errors.js";
import type { Phase, RowCheck } from "./ports.js";

/** Values shown of those that would change. */
export const EXAMPLES_MAX = 3;
/** Characters shown of one value. */
export const EXAMPLE_LENGTH_MAX = 40;

/** A step of a script as it is being worked out: a statement, or a question to the rows there. */
export type Step = string | RowQuestion;

/** A check that stands where it is asked. */
export type RowQuestion = Omit<RowCheck, "before">;

/** The phase of some steps. */
export function phaseOf(isAtomic: boolean, steps: readonly Step[]): Phase {
  const statements: string[] = [];
  const checks: RowCheck[] = [];
  for (const step of steps) {
    if (typeof step === "string") statements.push(step);
    else checks.push({ ...step, before: statements.length });
  }
  return { isAtomic, statements, ...(checks.length === 0 ? {} : { checks }) };
}

/** The steps of a phase, in the order in which they are taken. */
export function stepsOf({ statements, checks = [] }: Omit<Phase, "isAtomic">): readonly Step[] {
  return statements.flatMap((sql, index) => [
    ...checks.filter(({ before }) => before === index),
    sql,
  ]);
}

/**
 * The refusal of a check that found rows.
 * @param examples Up to {@link EXAMPLES_MAX} of the values, as the check's query writes them.
 */
export function rowsWouldChange(
  { object, consequence }: RowQuestion,
  count: string,
  examples: readonly string[],
): AppError {
  const shown = examples.length === 0 ? "" : ` (${examples.join(", ")})`;
  return new AppError(
    "APPROVAL_REQUIRED",
    `Data would be lost: ${object}: ${count} ${consequence}${shown}; accept_data_loss allows it`,
  );
}
