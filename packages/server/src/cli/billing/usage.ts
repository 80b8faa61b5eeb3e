import type { DailyUsage } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { Column } from "../terminal/table.js";
import type { Colors } from "../terminal/terminal.js";
import { billingCommand } from "./billing-command.js";
import { showOrganizations, withOrganizations, type ReportOptions } from "./usage-organizations.js";
import { exportCommand } from "./usage-export.js";
import { queryOf, withRange } from "./usage-range.js";
import { storageCommand, storageText } from "./usage-storage.js";
import { verifyCommand } from "./usage-verify.js";

/** `steward usage`: a line with a bar for each day. Subcommands: export, storage, verify. */
export function usageCommand(context: CliContext): Command {
  return reportCommand("usage", "Shows usage by day.", context)
    .addCommand(exportCommand(context))
    .addCommand(storageCommand(context))
    .addCommand(verifyCommand(context));
}

function reportCommand(name: string, description: string, { env, terminal }: CliContext): Command {
  return withOrganizations(withRange(billingCommand(name, description))).action(
    async (options: ReportOptions) => {
      if (options.allOrganizations) {
        await showOrganizations(options, { env, terminal });
        return;
      }
      const { billing } = connect(options, env);
      const rows = await billing.getUsage(queryOf(options));
      if (options.json) {
        terminal.printJson(rows);
        return;
      }
      terminal.printTable(...usageTable(rows, terminal.outColors));
      if (rows.length === 0) terminal.note("no usage in this range");
      terminal.note(storageText(await billing.getStorageUsage()));
    },
  );
}

/** Length of the longest bar, in columns. */
const BAR_LENGTH_MAX = 30;

function usageTable(
  rows: readonly DailyUsage[],
  colors: Colors,
): readonly [readonly Column[], readonly (readonly string[])[]] {
  const most = Math.max(...rows.map((row) => row.total_aau), 1);
  const grouped = rows.some((row) => groupOf(row) !== undefined);
  const columns = [
    { title: "DATE" },
    ...(grouped ? [{ title: "GROUP" }] : []),
    { title: "CALLS", align: "right" as const },
    { title: "AAU", align: "right" as const },
    { title: "USD", align: "right" as const },
    { title: "", paint: colors.cyan },
  ];
  const cells = rows.map((row) => [
    row.date,
    ...(grouped ? [groupOf(row) ?? ""] : []),
    String(row.action_count),
    String(row.total_aau),
    row.total_cost_usd.toFixed(2),
    "█".repeat(Math.max(1, Math.round((row.total_aau / most) * BAR_LENGTH_MAX))),
  ]);
  return [columns, cells];
}

/** The row's group; calls without a tool name, or a session, are a group too. */
function groupOf({ tool_name, session_id, intent, orm_model }: DailyUsage): string | undefined {
  if (tool_name === "") return "(no tool name)";
  if (session_id === "") return "(no session)";
  return tool_name ?? session_id ?? intent ?? orm_model;
}
