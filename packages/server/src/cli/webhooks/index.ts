import type { WebhookDelivery } from "@steward/client";
import { Command } from "commander";
import type { CliContext } from "../context.js";
import { WEBHOOKS } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";
import { retryCommand } from "./retry.js";
import { testCommand } from "./test.js";

/** `steward webhooks …`: the messages that targets have not accepted. */
export function webhooksCommand(context: CliContext): Command {
  const command = new Command("webhooks").description(
    "Shows webhook messages that were not accepted, and sends them again.",
  );
  const rows = { listWebhookDeliveries: rowOf };
  return addOperationCommands(command, context, {
    ...{ group: "webhooks", commands: WEBHOOKS, rows },
  })
    .addCommand(retryCommand(context))
    .addCommand(testCommand(context));
}

/** WHEN is the time of the next attempt, or of the failure for good. */
function rowOf({ dead_at, next_attempt_at = "", ...delivery }: WebhookDelivery): WebhookDelivery {
  return { ...delivery, next_attempt_at: dead_at ?? next_attempt_at };
}
