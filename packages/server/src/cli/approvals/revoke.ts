import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { approverCommand } from "./approval-command.js";

/** `steward approvals revoke ID`: ends a standing approval before its time. */
export function revokeCommand({ env, terminal }: CliContext): Command {
  return approverCommand(
    "revoke",
    "Revokes a standing approval: later statements need approvals of their own again.",
  )
    .argument("<approval-id>", "Id of the approval: steward approvals list --standing.")
    .action(async (approvalId: string, options: ClientOptions) => {
      const approval = await connect(options, env).approvals.revoke(approvalId);
      if (options.json) terminal.printJson(approval);
      else terminal.print(`revoked at ${approval.revoked_at ?? ""}`);
    });
}
