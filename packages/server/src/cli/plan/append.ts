import type { PlanStepDef } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import { readObjectFile } from "./plan-file.js";
import { addRevisionOptions, printRevised, requestOptionsOf } from "./revision-options.js";
import type { RevisionOptions } from "./revision-options.js";

/** `steward plan append ID FILE`: adds the steps of a file to a plan that is not over. */
export function appendCommand(context: CliContext): Command {
  const command = clientCommand("append", "Appends steps to a plan that is not over; runs nothing.")
    .argument("<plan-id>", "Id of the plan.")
    .argument("<file>", "JSON or YAML object with steps; - reads standard input.");
  return addRevisionOptions(command).action(
    async (planId: string, file: string, options: RevisionOptions) => {
      // The server validates the rest.
      const { steps } = (await readObjectFile(file, context)) as {
        readonly steps: readonly PlanStepDef[];
      };
      const { plans } = connect(options, context.env);
      const { revision, call } = requestOptionsOf(options);
      printRevised(
        await plans.appendSteps({ plan_id: planId, steps, ...revision }, call),
        options,
        context,
      );
    },
  );
}
