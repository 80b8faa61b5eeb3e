import type { StepExecution } from "@steward/client";
import { InvalidArgumentError, type Command } from "commander";
import type { CliContext } from "../context.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { describeResults, rowsOf } from "./result-rows.js";
import { correctingCommand, hintsOf } from "./step-hints.js";

interface ExecuteOptions extends ClientOptions {
  readonly offset?: number;
  readonly maxRows?: number;
  readonly maxBytes?: number;
}

/** `steward plan execute ID STEP`: runs one step, or shows the stored rows of a completed one, by pages. */
export function executeCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand(
    "execute",
    "Runs one step and prints its rows; of a completed step, prints the stored rows.",
  )
    .argument("<plan-id>", "Id of the plan.")
    .argument("<step-id>", "Id of the step.")
    .option("--offset <number>", "Index of the first row, to read on.", wholeNumber)
    .option("--max-rows <number>", "Rows at most; without it, what the step says.", wholeNumber)
    .option("--max-bytes <number>", "Bytes of JSON at most.", wholeNumber)
    .action(async (planId: string, stepId: string, options: ExecuteOptions) => {
      const { plans } = connect(options, context.env);
      const execution = await plans.execute(planId, stepId, { page: pageOf(options) });
      if (options.json) terminal.printJson(execution);
      else {
        describeResults(new Map([[stepId, rowsOf(execution)]]), terminal).forEach(terminal.print);
        const { next_offset: next } = execution.llm_context_update;
        if (next !== undefined) {
          terminal.note(
            terminal.errorColors.dim(
              `more rows: steward plan execute ${planId} ${stepId} --offset ${String(next)}`,
            ),
          );
        }
      }
      const { error } = execution.step_result;
      if (error !== undefined) throw failed(execution, error);
    });
}

function pageOf({ offset, maxRows, maxBytes }: ExecuteOptions) {
  return {
    ...(offset === undefined ? {} : { offset }),
    ...(maxRows === undefined ? {} : { max_rows: maxRows }),
    ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
  };
}

function failed(
  execution: StepExecution,
  { code, message }: { readonly code: string; readonly message: string },
): CliError {
  const { plan_id: planId, step_id: stepId } = execution.llm_context_update;
  return new CliError(`Step ${stepId} failed: ${message}`, {
    exitCode: EXIT.failed,
    code,
    fix: `correct it: ${correctingCommand(planId, stepId)}`,
    details: hintsOf(execution),
  });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (text !== "" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError("It is not a whole number.");
}
