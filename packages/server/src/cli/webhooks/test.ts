import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { webhookCommand } from "./webhook-command.js";

/** `steward webhooks test TARGET`: sends a test message, and says what the target answered. */
export function testCommand({ env, terminal }: CliContext): Command {
  return webhookCommand(
    "test",
    "Sends a signed test message to a target, and says what it answered.",
  )
    .argument("<target>", "The target's name in the tools file.")
    .action(async (target: string, options: ClientOptions) => {
      const tested = await connect(options, env).webhooks.testWebhook({ target });
      if (options.json) terminal.printJson(tested);
      if (!tested.is_accepted) {
        const message = `${target} did not accept the message: ${tested.error ?? "no answer"}`;
        throw new CliError(message, { exitCode: EXIT.failed, code: "NOT_ACCEPTED" });
      }
      if (options.json) return;
      terminal.print(`accepted with ${String(tested.status)} in ${String(tested.duration_ms)} ms`);
    });
}
