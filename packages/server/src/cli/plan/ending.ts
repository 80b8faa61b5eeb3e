import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** `steward plan cancel ID`: returns when no step of the plan is running any more. */
export function cancelCommand(context: CliContext): Command {
  return endingCommand(context, "cancel", "Cancels a plan and interrupts its running steps.");
}

/** `steward plan finish ID`: completes a plan that was submitted with `keep_open`. */
export function finishCommand(context: CliContext): Command {
  const summary = "Completes a plan that stays open (keep_open), once its steps have run.";
  return endingCommand(context, "finish", summary);
}

function endingCommand(
  { terminal, env }: CliContext,
  name: "cancel" | "finish",
  summary: string,
): Command {
  return clientCommand(name, summary)
    .argument("<plan-id>", "Id of the plan.")
    .action(async (planId: string, options: ClientOptions) => {
      const state = await connect(options, env).plans[name](planId);
      if (options.json) terminal.printJson(state);
      else terminal.print(state.status);
    });
}
