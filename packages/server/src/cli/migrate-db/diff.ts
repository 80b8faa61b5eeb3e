import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { changeLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

/** `steward migrate-db diff`: shows the script between the schemas of two commits. */
export function diffCommand({ env, terminal }: CliContext): Command {
  return schemaAdminCommand("diff", "Compares the schemas of two commits, with the statements.")
    .argument("<from>", "A branch such as schemas/shop, a tag, or a content id.")
    .argument("<to>", "The same for the other commit.")
    .action(async (from: string, to: string, options: ClientOptions) => {
      const change = await connect(options, env).migrations.compareSchemas({ from, to });
      if (options.json) terminal.printJson(change);
      else if (change.operations.length === 0) terminal.print("the schemas are the same");
      else changeLines(change, terminal.outColors).forEach(terminal.print);
    });
}
