import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { approverCommand } from "./approval-command.js";
import { approvalLines } from "./approval-lines.js";

/** The further lines of a text that others wrote are marked, so that none passes for one of ours. */
function asOneEntry(text: string): string {
  return text.replaceAll("\n", "\n  | ");
}

/** `steward approvals show ID`: shows what would run and who has to decide. */
export function showCommand({ env, terminal }: CliContext): Command {
  return approverCommand("show", "Shows what would run, who has to decide, and who has.")
    .argument("<approval-id>", "Id of the approval.")
    .action(async (approvalId: string, options: ClientOptions) => {
      const approval = await connect(options, env).approvals.getApproval({
        approval_id: approvalId,
      });
      if (options.json) terminal.printJson(approval);
      else for (const line of approvalLines(approval)) terminal.print(asOneEntry(line));
    });
}
