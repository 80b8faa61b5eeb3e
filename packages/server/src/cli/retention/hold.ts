import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { retentionAdminCommand } from "./show.js";

interface SetHoldOptions extends ClientOptions {
  readonly for?: string;
}

/** `steward hold set`: places a hold. */
export function setHoldCommand({ env, terminal }: CliContext): Command {
  return retentionAdminCommand("set", "Places a legal hold: nothing that it covers is deleted.")
    .argument("<reason>", "Why, for those who find the hold later.")
    .option("--for <session>", "Only this session (default: the whole organization).")
    .action(async (reason: string, options: SetHoldOptions) => {
      const hold = await connect(options, env).retention.placeHold({
        reason,
        ...(options.for === undefined ? {} : { session_id: options.for }),
      });
      if (options.json) terminal.printJson(hold);
      else terminal.print(hold.hold_id);
    });
}

/** `steward hold list`: the holds that stand. */
export function listHoldsCommand({ env, terminal }: CliContext): Command {
  return retentionAdminCommand("list", "Lists the legal holds, oldest first.").action(
    async (options: ClientOptions) => {
      const holds = await connect(options, env).retention.holds();
      if (options.json) {
        terminal.printJson(holds);
        return;
      }
      const columns = ["HOLD", "COVERS", "REASON", "BY", "SINCE"].map((title) => ({ title }));
      const rows = holds.map((hold) => [
        hold.hold_id,
        hold.session_id === undefined ? "everything" : `session ${hold.session_id}`,
        hold.reason,
        hold.placed_by,
        hold.placed_at,
      ]);
      terminal.printTable(columns, rows);
      if (rows.length === 0) terminal.note("no legal holds: expired data is deleted");
    },
  );
}

/** `steward hold remove`: lifts a hold. */
export function removeHoldCommand({ env, terminal }: CliContext): Command {
  return retentionAdminCommand("remove", "Lifts a legal hold.")
    .argument("<hold>", "Id of the hold, as in steward hold list.")
    .action(async (holdId: string, options: ClientOptions) => {
      const lifted = await connect(options, env).retention.liftHold(holdId);
      if (options.json) terminal.printJson(lifted);
      else terminal.print(`lifted ${lifted.hold_id}`);
    });
}
