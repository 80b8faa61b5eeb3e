import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { readPlanFile } from "./plan-file.js";

interface SubmitOptions extends ClientOptions {
  readonly idempotencyKey?: string;
}

/** `steward plan submit FILE`: prints the new plan's id. */
export function submitCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("submit", "Submits a plan and prints its id; runs nothing.")
    .argument("<file>", "Plan as JSON or YAML; - reads standard input.")
    .option("--idempotency-key <key>", "Submitting again under the same key gives the same plan.")
    .action(async (file: string, options: SubmitOptions) => {
      const { plans } = connect(options, context.env);
      const { idempotencyKey } = options;
      const plan = await readPlanFile(file, context);
      const state = await plans.submit(
        plan,
        idempotencyKey === undefined ? {} : { idempotencyKey },
      );
      if (options.json) {
        terminal.printJson(state);
        return;
      }
      terminal.print(state.plan_id);
      terminal.note(terminal.errorColors.dim(`run it with: steward plan run ${state.plan_id}`));
    });
}
