import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { readObjectFile } from "./plan-file.js";

interface ForkOptions extends ClientOptions {
  readonly at?: string;
  readonly idempotencyKey?: string;
}

/** `steward plan fork ID`: makes a new plan of a plan's steps, with the outputs of those completed. */
export function forkCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("fork", "Makes a new plan that keeps the outputs of completed steps.")
    .argument("<plan-id>", "Id of the plan.")
    .argument("[file]", "JSON or YAML object with steps to append; - reads standard input.")
    .option("--at <step-id>", "The step to run anew, with those that depend on it.")
    .option("--idempotency-key <key>", "Forking again under the same key gives the same plan.")
    .action(async (planId: string, file: string | undefined, options: ForkOptions) => {
      const { at, idempotencyKey } = options;
      // The server validates the rest.
      const fields = file === undefined ? {} : await readObjectFile(file, context);
      const forked = await connect(options, context.env).plans.forkPlan(
        { ...fields, ...(at !== undefined && { step_id: at }), plan_id: planId },
        idempotencyKey === undefined ? {} : { idempotencyKey },
      );
      if (options.json) {
        terminal.printJson(forked);
        return;
      }
      terminal.print(forked.plan_id);
      terminal.note(terminal.errorColors.dim(`run it with: steward plan run ${forked.plan_id}`));
    });
}
