import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import { readObjectFile } from "./plan-file.js";
import { addRevisionOptions, printRevised, requestOptionsOf } from "./revision-options.js";
import type { RevisionOptions } from "./revision-options.js";

interface ReviseOptions extends RevisionOptions {
  readonly query?: string;
}

/** `steward plan revise ID STEP`: gives a step that has not run, or failed, another definition. */
export function reviseCommand(context: CliContext): Command {
  const command = clientCommand(
    "revise",
    "Changes a step that has not run, or failed; runs nothing.",
  )
    .argument("<plan-id>", "Id of the plan.")
    .argument("<step-id>", "Id of the step.")
    .argument("[file]", "JSON or YAML object with the fields to change; - reads standard input.")
    .option(
      "--query <template>",
      "The new statement; instead of a file, or in place of the file's.",
    );
  return addRevisionOptions(command).action(
    async (planId: string, stepId: string, file: string | undefined, options: ReviseOptions) => {
      const changes = await changesOf(file, options, context);
      const { plans } = connect(options, context.env);
      const { revision, call } = requestOptionsOf(options);
      const revised = await plans.reviseStep(
        { ...changes, ...revision, plan_id: planId, step_id: stepId },
        call,
      );
      printRevised(revised, options, context);
    },
  );
}

async function changesOf(
  file: string | undefined,
  { query }: ReviseOptions,
  context: CliContext,
): Promise<object> {
  if (file === undefined && query === undefined) {
    throw usageError(
      "Nothing to change is given",
      "give a file with the fields to change, or --query",
    );
  }
  const fields = file === undefined ? {} : await readObjectFile(file, context);
  return query === undefined ? fields : { ...fields, query_template: query };
}
