import { Command } from "commander";
import type { CliContext } from "../context.js";
import { exportCommand } from "./export.js";
import { keyCommand } from "./key.js";
import { listCommand, watchCommand } from "./list.js";
import { showCommand } from "./show.js";
import { verifyCommand } from "./verify.js";

/** `steward audit …`: reads, exports and verifies the audit log. */
export function auditCommand(context: CliContext): Command {
  return new Command("audit")
    .description("Reads, exports and verifies the audit log.")
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(watchCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(keyCommand(context));
}
