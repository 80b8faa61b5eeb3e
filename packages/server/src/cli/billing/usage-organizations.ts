import type { OrganizationUsage } from "@steward/client";
import { Option, type Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import { OPERATOR } from "./billing-command.js";
import { queryOf, type UsageOptions } from "./usage-range.js";

/** The options of `steward usage` itself. */
export interface ReportOptions extends UsageOptions {
  readonly allOrganizations?: true;
}

/** Adds the option `--all-organizations`. */
export function withOrganizations(command: Command): Command {
  const option = new Option(
    "--all-organizations",
    "One row for each organization, for the operator (role operator).",
  );
  return command.addOption(option.conflicts(["tz", "groupBy"]).implies({ role: OPERATOR }));
}

/** Prints the usage of each organization. */
export async function showOrganizations(
  options: ReportOptions,
  { env, terminal }: Pick<CliContext, "env" | "terminal">,
): Promise<void> {
  const { billing } = connect(options, env);
  const rows: OrganizationUsage[] = [];
  for await (const row of billing.eachOrganizationUsage(queryOf(options))) rows.push(row);
  if (options.json) {
    terminal.printJson(rows);
    return;
  }
  const right = { align: "right" as const };
  terminal.printTable(
    [
      { title: "ORGANIZATION", whole: true },
      { title: "CALLS", ...right },
      { title: "AAU", ...right },
      { title: "USD", ...right },
    ],
    rows.map((row) => [
      row.org_id,
      String(row.action_count),
      String(row.total_aau),
      row.total_cost_usd.toFixed(2),
    ]),
  );
  if (rows.length === 0) terminal.note("no usage in this range");
}
