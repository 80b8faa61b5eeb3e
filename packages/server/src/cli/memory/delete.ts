import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/**
 * `steward memory delete`: deletes an entry or, with --session and without an entry, a whole
 * session.
 */
export function deleteCommand({ env, terminal }: CliContext): Command {
  return clientCommand(
    "delete",
    "Deletes an entry or, with --session alone, all entries of a session.",
  )
    .argument("[entry-id]", "Id of the entry.")
    .action(async (entryId: string | undefined, options: ClientOptions) => {
      const { memory } = connect(options, env);
      const { session } = options;
      if ((entryId === undefined) === (session === undefined)) {
        throw usageError("Name what to delete", "give an entry's id, or --session ID, not both");
      }
      const deleted = await (entryId === undefined
        ? memory.deleteMemorySession({ session_id: session ?? "" })
        : memory.deleteMemoryEntry({ entry_id: entryId }));
      if (options.json) terminal.printJson(deleted);
      else terminal.print(`${String(deleted.deleted)} deleted`);
    });
}
