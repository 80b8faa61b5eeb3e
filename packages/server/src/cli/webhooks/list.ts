import type { WebhookDelivery } from "@steward/client";
import { Option, type Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { webhookCommand } from "./webhook-command.js";

interface ListOptions extends ClientOptions {
  readonly status?: WebhookDelivery["status"];
  readonly target?: string;
  readonly cursor?: string;
}

/** `steward webhooks list`: one page of the messages that no target has accepted yet. */
export function listCommand({ env, terminal }: CliContext): Command {
  return webhookCommand("list", "Lists webhook messages that their targets have not accepted yet.")
    .addOption(
      new Option("--status <status>", "Only those that wait, or that failed for good.").choices([
        ...["waiting", "dead"],
      ]),
    )
    .option("--target <name>", "Only those to this target.")
    .option("--cursor <cursor>", "Where the page before ended.")
    .action(async (options: ListOptions) => {
      const { status, target, cursor } = options;
      const page = await connect(options, env).webhooks.list({
        ...(status === undefined ? {} : { status }),
        ...(target === undefined ? {} : { target }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (options.json) {
        terminal.printJson(page);
        return;
      }
      const columns = [{ title: "MESSAGE", whole: true }].concat(
        ["TARGET", "STATUS", "TYPE", "ATTEMPTS", "WHEN", "ERROR"].map((title) => ({
          title,
          whole: false,
        })),
      );
      if (page.deliveries.length === 0) terminal.note("every message was accepted");
      else terminal.printTable(columns, page.deliveries.map(rowOf));
      if (page.next_cursor !== undefined) terminal.note(`more: --cursor ${page.next_cursor}`);
    });
}

/** WHEN is the time of the next attempt, or of the failure for good. */
function rowOf(delivery: WebhookDelivery): readonly string[] {
  const { message_id, target, status, type, attempts, next_attempt_at, dead_at, error } = delivery;
  const when = dead_at ?? next_attempt_at ?? "";
  return [message_id, target, status, type, String(attempts), when, error ?? ""];
}
