import type { PlanStatus } from "@steward/client";
import type { InputOf, plans } from "@steward/operations";
import { Option } from "commander";
import type { Command } from "commander";
import { PLANS_PAGE_MAX } from "../../plans/limits.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { paintStatus, PLAN_STATUSES } from "../terminal/status-style.js";

interface ListOptions extends ClientOptions {
  readonly status?: PlanStatus;
  readonly limit?: string;
  readonly cursor?: string;
}

/**
 * `steward plan list`: lists one page of plans, newest first; with --session only that session's
 * plans.
 */
export function listCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("list", "Lists plans, newest first; --session narrows it to one session.")
    .addOption(new Option("--status <status>", "Only plans of this status.").choices(PLAN_STATUSES))
    .option("--limit <n>", "Plans on the page.")
    .option("--cursor <cursor>", "The cursor that the previous page has printed.")
    .action(async (options: ListOptions) => {
      const page = await connect(options, context.env).plans.listPlans(queryOf(options));
      if (options.json) {
        terminal.printJson(page);
        return;
      }
      const columns = [
        { title: "PLAN", whole: true },
        {
          title: "STATUS",
          paint: (cell: string) => paintStatus(cell, cell.trim(), terminal.outColors),
        },
        { title: "CREATED" },
        { title: "SESSION" },
        { title: "NAME" },
      ];
      const rows = page.plans.map((plan) => [
        plan.plan_id,
        plan.status,
        plan.created_at,
        plan.session_id,
        plan.name,
      ]);
      if (rows.length === 0) terminal.note("no plans; submit one with: steward plan submit FILE");
      else terminal.printTable(columns, rows);
      if (page.next_cursor !== undefined) terminal.note(`more: --cursor ${page.next_cursor}`);
    });
}

function queryOf({ status, session, limit, cursor }: ListOptions): InputOf<typeof plans.listPlans> {
  return {
    ...(status === undefined ? {} : { status }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(limit === undefined ? {} : { limit: limitOf(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function limitOf(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= PLANS_PAGE_MAX) return limit;
  throw usageError(
    `--limit ${text} is not a number of plans`,
    `give a whole number from 1 to ${String(PLANS_PAGE_MAX)}`,
  );
}
