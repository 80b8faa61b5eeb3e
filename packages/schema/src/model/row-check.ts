import { AppError } from "@steward/kernel/errors.js";
import type { Phase, RowCheck, ScriptText } from "../ports.js";
import type { Command, Statement } from "./commands.js";

/** Limit of changed values shown. */
export const EXAMPLES_MAX = 3;
/** Characters shown of one value. */
export const EXAMPLE_LENGTH_MAX = 40;

/** A step of a script under construction: a statement, or a check of the existing rows. */
export type Step = Statement | RowQuestion;

/** A check whose position in the script follows from the list of steps. */
export type RowQuestion = Omit<RowCheck, "before">;

/** Builds a phase from steps. */
export function phaseOf(isAtomic: boolean, steps: readonly Step[]): Phase {
  const statements: string[] = [];
  const commands: Command[] = [];
  const checks: RowCheck[] = [];
  for (const step of steps) {
    if ("sql" in step) {
      statements.push(step.sql);
      commands.push(step.command);
    } else checks.push({ ...step, before: statements.length });
  }
  return { isAtomic, statements, commands, ...(checks.length === 0 ? {} : { checks }) };
}

/** The statements and checks of a phase, in the order in which they run. */
export function stepsOf({
  statements,
  checks = [],
}: Omit<ScriptText[number], "isAtomic">): readonly (string | RowQuestion)[] {
  return statements.flatMap((sql, index) => [
    ...checks.filter(({ before }) => before === index),
    sql,
  ]);
}

/**
 * The error of a check that found rows.
 * @param examples up to {@link EXAMPLES_MAX} values, as returned by the check's query.
 */
export function rowsWouldChange(
  { object, consequence }: RowQuestion,
  count: string,
  examples: readonly string[],
): AppError {
  const shown = examples.length === 0 ? "" : ` (${examples.join(", ")})`;
  return new AppError(
    "APPROVAL_REQUIRED",
    `Data would be lost: ${object}: ${count} ${consequence}${shown}: to accept the loss, set accept_data_loss`,
  );
}
