import type { UsageTotals } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { billingCommand } from "./billing-command.js";

interface VerifyOptions extends ClientOptions {
  readonly repair?: true;
}

/** `steward usage verify`: exits with 1 when a total is wrong and was not repaired. */
export function verifyCommand({ env, terminal, exitWith }: CliContext): Command {
  return billingCommand("verify", "Compares the totals with the rows they are made of.")
    .option("--repair", "Repair the totals that differ.")
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      const repair = options.repair ?? false;
      const found = await connect(options, env).billing.verifyUsage({ repair });
      if (options.json) terminal.printJson(found);
      else if (found.length === 0) terminal.print("every total equals the sum of its rows");
      else {
        const rows = found.map((row) => [row.total, cellOf(row.stored), cellOf(row.recomputed)]);
        const columns = [{ title: "TOTAL" }, { title: "STORED" }, { title: "RECOMPUTED" }];
        terminal.printTable(columns, rows);
        terminal.note(repair ? "all of them are repaired" : "repair them with --repair");
      }
      if (found.length > 0 && !repair) exitWith(EXIT.failed);
    });
}

function cellOf({ action_count, total_aau, total_cost_usd }: UsageTotals): string {
  return `${String(action_count)} calls, ${String(total_aau)} AAU, $${String(total_cost_usd)}`;
}
