import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { usageError } from "../cli-error.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { webhookCommand } from "./webhook-command.js";

interface RetryOptions extends ClientOptions {
  readonly target?: string;
  readonly all?: true;
}

/** `steward webhooks retry`: sends messages again. */
export function retryCommand({ env, terminal }: CliContext): Command {
  return webhookCommand(
    "retry",
    "Sends messages again that failed for good, and those now that wait for an attempt.",
  )
    .argument("[message-id]", "Only this message.")
    .option("--target <name>", "Only messages to this target.")
    .option("--all", "All messages to all targets.")
    .action(async (messageId: string | undefined, options: RetryOptions) => {
      const { target, all } = options;
      if (messageId === undefined && target === undefined && all === undefined) {
        throw usageError("nothing is named", "name a message, a target with --target, or --all");
      }
      const retried = await connect(options, env).webhooks.retryWebhookDeliveries({
        ...(messageId === undefined ? {} : { message_id: messageId }),
        ...(target === undefined ? {} : { target }),
      });
      if (options.json) terminal.printJson(retried);
      else terminal.print(`${String(retried.retried)} sent again`);
    });
}
