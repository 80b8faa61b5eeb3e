import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** `steward plan cancel ID`: returns when no step of the plan is running any more. */
export function cancelCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("cancel", "Cancels a plan and interrupts its running steps.")
    .argument("<plan-id>", "Id of the plan.")
    .action(async (planId: string, options: ClientOptions) => {
      const state = await connect(options, context.env).plans.cancel(planId);
      if (options.json) terminal.printJson(state);
      else terminal.print(state.status);
    });
}
