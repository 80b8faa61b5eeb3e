import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { approverCommand } from "./approval-command.js";

interface DecideOptions extends ClientOptions {
  readonly digest: string;
  readonly reason?: string;
}

/** `steward approvals approve ID` and `deny ID`: decide about what was shown with the digest. */
export function decideCommand({ env, terminal }: CliContext, verb: "approve" | "deny"): Command {
  const description =
    verb === "approve"
      ? "Approves what `steward approvals show` has shown: the step may run once."
      : "Denies it: the step fails, and its agent is told the reason.";
  return approverCommand(verb, description)
    .argument("<approval-id>", "Id of the approval.")
    .requiredOption("--digest <digest>", "The digest that `steward approvals show` has printed.")
    .option("--reason <text>", "Why; for a denial this is what the agent is told.")
    .action(async (approvalId: string, options: DecideOptions) => {
      const { digest, reason } = options;
      const choice = { digest, ...(reason === undefined ? {} : { reason }) };
      const approval = await connect(options, env).approvals[verb](approvalId, choice);
      if (options.json) {
        terminal.printJson(approval);
        return;
      }
      terminal.print(approval.status);
      const missing = approval.rules.filter((rule) => rule.missing > 0);
      if (approval.status !== "pending") return;
      const left = missing.map((rule) => `${String(rule.missing)} of the role ${rule.role}`);
      terminal.note(`still needed: ${left.join(" and ")}`);
    });
}
