import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";

/** `steward state fsck`: checks every block reachable from refs. */
export function fsckCommand({ env, terminal, exitWith }: CliContext): Command {
  return clientCommand("fsck", "Checks every block that branches and tags reach.").action(
    async (options: ClientOptions) => {
      const faults = await connect(options, env).state.fsck();
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

/** `steward state gc`: deletes unreachable blocks. */
export function gcCommand({ env, terminal }: CliContext): Command {
  const about = "Deletes what no branch or tag leads to, except what was written of late.";
  return clientCommand("gc", about).action(async (options: ClientOptions) => {
    const { kept, deleted } = await connect(options, env).state.gc();
    if (options.json) terminal.printJson({ kept, deleted });
    else terminal.print(`${deleted} blocks deleted, ${kept} in use`);
  });
}
