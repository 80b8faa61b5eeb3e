import type { Approvals } from "@steward/client";
import { durationMs } from "@steward/kernel/duration.js";
import type { Command } from "commander";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { EXIT } from "../exit-code.js";
import { approverCommand } from "./approval-command.js";

interface DecideOptions extends ClientOptions {
  readonly plan?: string;
  readonly digest: string;
  readonly reason?: string;
  readonly standing?: string;
  readonly rows?: string;
}

/** The approval that is named by its id, or as the one of a whole plan. @throws CliError. */
async function meantApproval(
  approvals: Approvals,
  given: string | undefined,
  planId: string | undefined,
): Promise<string> {
  if ((given === undefined) === (planId === undefined)) {
    throw usageError("One approval is decided about", "name its id, or --plan and a plan's id");
  }
  if (given !== undefined) return given;
  const asked = { plan_id: planId ?? "", status: "pending" } as const;
  for await (const { approval_id: id, subject } of approvals.eachApproval(asked)) {
    if (subject.plan_steps !== undefined) return id;
  }
  throw new CliError(`Plan ${planId ?? ""} does not wait to be approved as a whole`, {
    ...{ exitCode: EXIT.failed, code: "NOT_FOUND" },
    fix: "it does once a step waits whose policies allow that: steward approvals list --status pending",
  });
}

/** `steward approvals approve ID` and `deny ID`: decide about what was shown with the digest. */
export function decideCommand({ env, terminal }: CliContext, verb: "approve" | "deny"): Command {
  const description =
    verb === "approve"
      ? "Approves what `steward approvals show` has shown: the step may run once."
      : "Denies it: the step fails, and its agent is told the reason.";
  const command = approverCommand(verb, description)
    .argument("[approval-id]", "Id of the approval.")
    .option("--plan <plan-id>", "Decide about this plan as a whole, where policies allow it.")
    .requiredOption("--digest <digest>", "The digest that `steward approvals show` has printed.")
    .option("--reason <text>", "Why; for a denial this is what the agent is told.")
    .action(async (given: string | undefined, options: DecideOptions) => {
      const { digest, reason } = options;
      const choice = {
        digest,
        ...(reason === undefined ? {} : { reason }),
        ...standingOf(options.standing),
        ...rowsOf(options.rows),
      };
      const { approvals } = connect(options, env);
      const approvalId = await meantApproval(approvals, given, options.plan);
      const approval = await approvals[verb === "approve" ? "grantApproval" : "denyApproval"]({
        approval_id: approvalId,
        ...choice,
      });
      if (options.json) {
        terminal.printJson(approval);
        return;
      }
      terminal.print(approval.status);
      const { standing_until: until } = approval;
      if (until !== undefined) {
        terminal.note(
          `it stands for later statements until ${until}, unless it is revoked: steward approvals revoke ${approvalId}`,
        );
      }
      const missing = approval.rules.filter((rule) => rule.missing > 0);
      if (approval.status !== "pending") return;
      const left = missing.map((rule) => `${String(rule.missing)} of the role ${rule.role}`);
      terminal.note(`still needed: ${left.join(" and ")}`);
    });
  if (verb === "approve") {
    command.option(
      "--standing <duration>",
      "Let it also stand for later statements of the same shape, such as 24h; only where policies allow it.",
    );
    command.option(
      "--rows <number>",
      "Rows that it may change at most; without it, as many as `steward approvals show` has shown. Required for a write without a preview.",
    );
  }
  return command;
}

/** @throws CliError for a text that is no number of rows. */
function rowsOf(text: string | undefined): { readonly rows_changed_max?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,15}$/.test(text)) {
    throw usageError(`--rows ${text} is no number of rows`, "write a whole number, such as 1");
  }
  return { rows_changed_max: Number(text) };
}

/** @throws CliError for a text that is no duration. */
function standingOf(text: string | undefined): { readonly standing_seconds?: number } {
  if (text === undefined) return {};
  const ms = durationMs(text);
  if (ms === undefined) {
    throw usageError(
      `--standing ${text} is no duration`,
      "write minutes, hours or days: 30m, 24h or 7d",
    );
  }
  return { standing_seconds: ms / 1000 };
}
