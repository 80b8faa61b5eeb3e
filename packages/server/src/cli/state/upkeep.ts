import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";

/** `steward state fsck`: checks every block reachable from refs. */
export function fsckCommand({ env, terminal, exitWith }: CliContext): Command {
  return clientCommand("fsck", "Checks every block that branches and tags reach.").action(
    async (options: ClientOptions) => {
      const faults = await connect(options, env).state.checkState();
      if (faults.length > 0) exitWith(EXIT.failed);
      if (options.json) {
        terminal.printJson(faults);
        return;
      }
      for (const { ref, block, reason } of faults) terminal.print(`${ref}  ${block}  ${reason}`);
      terminal.note(
        faults.length === 0 ? "no block is damaged or missing" : "restore it from a backup",
      );
    },
  );
}
