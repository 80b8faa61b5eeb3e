import { Command } from "commander";
import type { CliContext } from "../context.js";
import { OPERATIONS } from "../gen/operations.js";
import { JSON_OPTION_HELP } from "../json-option.js";

/** `steward operations`: prints the table of all operations; it asks no server. */
export function operationsCommand({ terminal }: CliContext): Command {
  return new Command("operations")
    .description(
      "Lists the operations of the API: rights, audit records, and where each is served.",
    )
    .option("--json", JSON_OPTION_HELP)
    .action(({ json }: { readonly json?: true }) => {
      if (json === true) terminal.printJson(OPERATIONS);
      else
        terminal.printTable(
          COLUMNS.map(([title]) => ({ title })),
          OPERATIONS.map((row) => COLUMNS.map(([, member]) => textOf(row[member]))),
        );
    });
}

const COLUMNS = [
  ...([
    ["GROUP", "group"],
    ["OPERATION", "operation"],
    ["ACTION", "action"],
  ] as const),
  ...([
    ["AUDIT", "audit"],
    ["TIME", "time"],
    ["RETRY", "retry"],
    ["REST", "rest"],
  ] as const),
  ...([
    ["GRPC", "grpc"],
    ["COMMAND", "command"],
    ["BY HAND", "by_hand"],
  ] as const),
] as const;

function textOf(value: string | boolean | undefined): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "";
}
