import { Option } from "commander";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import { billingCommand } from "./billing-command.js";
import { queryOf, withRange, type UsageOptions } from "./usage-range.js";

interface ExportOptions extends UsageOptions {
  readonly format: "csv" | "jsonl";
}

/** `steward usage export`: writes usage rows to standard output, for other programs. */
export function exportCommand({ env, terminal }: CliContext): Command {
  const format = new Option("--format <format>", "csv, in which money is exact, or jsonl.");
  return withRange(billingCommand("export", "Writes usage by day for other programs."))
    .addOption(format.choices(["csv", "jsonl"]).default("csv"))
    .action(async (_options: unknown, command: Command) => {
      // The parent command has some of the same options, which may precede this command's name.
      const options = command.optsWithGlobals<ExportOptions>();
      const { billing } = connect(options, env);
      if (options.format === "jsonl") {
        (await billing.getUsage(queryOf(options))).forEach(terminal.printJson);
      } else {
        terminal.print((await billing.usageCsv(queryOf(options))).trimEnd());
      }
    });
}
