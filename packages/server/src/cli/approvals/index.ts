import { Command } from "commander";
import type { CliContext } from "../context.js";
import { decideCommand } from "./decide.js";
import { listCommand } from "./list.js";
import { revokeCommand } from "./revoke.js";
import { showCommand } from "./show.js";
import { watchCommand } from "./watch.js";

/** `steward approvals …`: shows what waits for a person, and decides about it. */
export function approvalsCommand(context: CliContext): Command {
  return new Command("approvals")
    .description("Shows what waits for a person's approval, and decides about it.")
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(decideCommand(context, "approve"))
    .addCommand(decideCommand(context, "deny"))
    .addCommand(revokeCommand(context))
    .addCommand(watchCommand(context));
}
