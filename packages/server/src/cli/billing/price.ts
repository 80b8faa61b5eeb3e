import type { Price } from "@steward/client";
import { Command, Option } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { BILLING } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";
import { billingCommand, OPERATOR } from "./billing-command.js";
import { monthAfter } from "./usage-range.js";

/** `steward price …`: prices of usage. */
export function priceCommand(context: CliContext): Command {
  const command = new Command("price").description("Shows and sets the prices of usage.");
  const lines = { setPrice: priceLine };
  return addOperationCommands(command, context, {
    ...{ group: "billing", commands: BILLING, lines },
  }).addCommand(repriceCommand(context));
}

function priceLine({ amount_usd, from, until }: Price): string {
  return `$${amount_usd} from ${from} ${until === undefined ? "on" : `until ${until}`}`;
}

interface RepriceOptions extends ClientOptions {
  readonly from?: string;
  readonly until?: string;
  readonly month?: string;
  readonly for?: string;
}

function repriceCommand({ env, terminal }: CliContext): Command {
  const month = new Option("--month <month>", "All calls of a month in UTC, YYYY-MM.");
  const forOrganization = new Option(
    "--for <uuid>",
    "Organization that an operator means (default: --org).",
  );
  const what = "Prices recorded calls again by the present prices, as operator.";
  return billingCommand("reprice", what, OPERATOR)
    .addOption(forOrganization.implies({ role: OPERATOR }))
    .option("--from <time>", "Date or RFC 3339 of the first calls.")
    .option("--until <time>", "Date or RFC 3339, exclusive.")
    .addOption(month.conflicts(["from", "until"]))
    .action(async (options: RepriceOptions) => {
      const result = await connect(options, env).billing.repriceUsage({
        ...periodOf(options),
        ...(options.for === undefined ? {} : { org_id: options.for }),
      });
      if (options.json) terminal.printJson(result);
      else {
        const { corrections, difference_usd: difference } = result;
        terminal.print(`${String(corrections)} corrections, $${difference} in all`);
      }
    });
}

function periodOf({ from, until, month }: RepriceOptions): {
  readonly from: string;
  readonly until: string;
} {
  if (month !== undefined) return { from: `${month}-01`, until: `${monthAfter(month)}-01` };
  if (from !== undefined && until !== undefined) return { from, until };
  throw usageError("Name the calls to price again", "give --month, or both --from and --until");
}
