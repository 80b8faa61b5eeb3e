import { Command } from "commander";
import type { CliContext } from "../context.js";
import { createCommand } from "./create.js";
import { listCommand } from "./list.js";
import { revokeCommand, rotateCommand } from "./change.js";

/** `steward key …`: manages the API keys in a store, for servers with SERVICE_AUTH=apikey. */
export function keyCommand(context: CliContext): Command {
  return new Command("key")
    .description("Creates, lists, rotates and revokes API keys, in the store itself.")
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(revokeCommand(context));
}
