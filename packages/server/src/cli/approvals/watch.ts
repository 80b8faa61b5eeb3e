import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { approverCommand } from "./approval-command.js";
import { approvalRow } from "./approval-lines.js";

/** Interval of the questions to the server, in ms. */
const POLL_MS = 2000;

/** `steward approvals watch`: prints a line for each approval that begins to wait, until it is interrupted. */
export function watchCommand({ env, terminal }: CliContext): Command {
  return approverCommand(
    "watch",
    "Prints a line for each approval that waits for a decision, until it is interrupted.",
  ).action(async (options: ClientOptions) => {
    const { approvals } = connect(options, env);
    let told: ReadonlySet<string> = new Set();
    for (;;) {
      const waiting = new Set<string>();
      const fresh = [];
      for await (const approval of approvals.eachApproval({ status: "pending" })) {
        waiting.add(approval.approval_id);
        if (!told.has(approval.approval_id)) fresh.push(approval);
      }
      for (const approval of fresh.reverse()) {
        if (options.json) terminal.printJson(approval);
        else terminal.print(approvalRow(approval).join("  "));
      }
      told = waiting;
      await delay(POLL_MS);
    }
  });
}
