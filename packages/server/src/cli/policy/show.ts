import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { policyAdminCommand } from "./policy-command.js";

/** `steward policy show`: prints the policies in force, as text that can be edited and put. */
export function showCommand({ env, terminal }: CliContext): Command {
  return policyAdminCommand("show", "Shows your organization's own policies.")
    .option("--shipped", "Show the shipped policies, which every organization has, instead.")
    .action(async (options: ClientOptions & { readonly shipped?: true }) => {
      const policies = await connect(options, env).policies.getPolicies();
      if (options.json) {
        terminal.printJson(policies);
        return;
      }
      const text = options.shipped ? policies.shipped : policies.text;
      if (text !== "") terminal.print(text.trimEnd());
      if (!options.shipped) terminal.note(`version ${String(policies.version)}`);
    });
}
