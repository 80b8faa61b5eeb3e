import type { Approval } from "@steward/client";
import { Option, type Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { APPROVAL_STATUSES, approverCommand } from "./approval-command.js";
import { approvalRow } from "./approval-lines.js";

interface ListOptions extends ClientOptions {
  readonly status?: Approval["status"];
  readonly plan?: string;
  readonly standing?: boolean;
  readonly cursor?: string;
}

/** `steward approvals list`: lists one page of approvals, newest first. */
export function listCommand({ env, terminal }: CliContext): Command {
  return approverCommand("list", "Lists approvals, newest first.")
    .addOption(
      new Option("--status <status>", "Only approvals of this status.").choices(APPROVAL_STATUSES),
    )
    .option("--plan <plan-id>", "Only approvals of this plan.")
    .option("--standing", "Only approvals that stand for later statements now.")
    .option("--cursor <cursor>", "The cursor that the previous page has printed.")
    .action(async (options: ListOptions) => {
      const { status, plan, cursor, standing } = options;
      const page = await connect(options, env).approvals.listApprovals({
        ...(status === undefined ? {} : { status }),
        ...(plan === undefined ? {} : { plan_id: plan }),
        ...(standing === true ? { standing: "true" as const } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (options.json) {
        terminal.printJson(page);
        return;
      }
      const columns = [{ title: "APPROVAL", whole: true }, { title: "STATUS" }].concat(
        ["UNTIL", "REQUESTER", "WHAT"].map((title) => ({ title, whole: false })),
      );
      if (page.approvals.length === 0) terminal.note("no approvals");
      else terminal.printTable(columns, page.approvals.map(approvalRow));
      if (page.next_cursor !== undefined) terminal.note(`more: --cursor ${page.next_cursor}`);
    });
}
