import type { Command } from "commander";
import type { Retention } from "@steward/client";
import type { CliContext } from "../context.js";
import {
  clientCommand,
  connect,
  withRole,
  type ClientOptions,
} from "../connection/server-connection.js";
import type { Terminal } from "../terminal/terminal.js";

/** A command for admins. It sends the role as a claim, which the server may refuse. */
export function retentionAdminCommand(name: string, description: string): Command {
  return withRole(clientCommand(name, description), "admin");
}

/** `steward retention show`: the periods in force. */
export function showCommand({ env, terminal }: CliContext): Command {
  return retentionAdminCommand("show", "Shows for how long each class of data is kept.").action(
    async (options: ClientOptions) => {
      const retention = await connect(options, env).retention.getRetention();
      printRetention(retention, options, terminal);
    },
  );
}

/** Prints the period of each class, with where it comes from. */
export function printRetention(
  retention: Retention,
  options: ClientOptions,
  terminal: Terminal,
): void {
  if (options.json) {
    terminal.printJson(retention);
    return;
  }
  const right = "right" as const;
  terminal.printTable(
    [{ title: "CLASS" }, { title: "DAYS", align: right }, { title: "SET BY" }],
    retention.periods.map((period) => [
      period.class,
      period.days === null ? "no limit" : String(period.days),
      period.own_days === period.days && period.days !== null ? "organization" : "operator",
    ]),
  );
}
