import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** `steward plan retry ID`: reopens a failed plan; its steps still have to be executed. */
export function retryCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("retry", "Reopens a failed plan; completed steps keep their outputs.")
    .argument("<plan-id>", "Id of the plan.")
    .action(async (planId: string, options: ClientOptions) => {
      const { plan_id, status } = await connect(options, context.env).plans.retryPlan({
        plan_id: planId,
      });
      if (options.json) {
        terminal.printJson({ plan_id, status });
        return;
      }
      terminal.print(status);
      terminal.note(
        terminal.errorColors.dim(`run the remaining steps with: steward plan run ${plan_id}`),
      );
    });
}
