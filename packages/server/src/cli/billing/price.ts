import type { RepriceRequest } from "@steward/client";
import { Command, Option } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { billingCommand, OPERATOR, organizationOf, withOrganization } from "./billing-command.js";
import { monthAfter } from "./usage-range.js";

interface ListOptions extends ClientOptions {
  readonly for?: string;
}

interface SetOptions extends ListOptions {
  readonly from?: string;
  readonly until?: string;
}

/** `steward price …`: prices of usage. */
export function priceCommand(context: CliContext): Command {
  return new Command("price")
    .description("Shows and sets the prices of usage.")
    .addCommand(listCommand(context))
    .addCommand(setCommand(context))
    .addCommand(repriceCommand(context));
}

function listCommand({ env, terminal }: CliContext): Command {
  return withOrganization(
    billingCommand("list", "Lists the prices, past and future ones too."),
  ).action(async (options: ListOptions) => {
    const prices = await connect(options, env).billing.prices(organizationOf(options));
    if (options.json) {
      terminal.printJson(prices);
      return;
    }
    const columns = [
      { title: "PER" },
      { title: "NAME" },
      { title: "USD", align: "right" as const },
      { title: "FROM" },
      { title: "UNTIL" },
    ];
    const rows = prices.map((price) => [
      price.scope,
      price.subject,
      price.amount_usd,
      price.from,
      price.until ?? "",
    ]);
    terminal.printTable(columns, rows);
    if (rows.length === 0) terminal.note("no prices: usage costs nothing");
  });
}

function setCommand({ env, terminal }: CliContext): Command {
  const what = "Sets a price, as operator; the one before it ends where this one begins.";
  return withOrganization(billingCommand("set", what, OPERATOR))
    .argument("<scope>", "aau, intent, model or tool; the most specific price wins.")
    .argument("<usd>", "Dollars for each AAU, or for each call.")
    .argument("[name]", "The intent, model or tool that the price applies to.")
    .option("--from <time>", "Date or RFC 3339 from which it applies (default: now).")
    .option("--until <time>", "Date or RFC 3339 until which it applies (default: no end).")
    .action(async (scope: string, usd: string, name: string | undefined, options: SetOptions) => {
      const { from, until } = options;
      const price = await connect(options, env).billing.setPrice({
        scope,
        amount_usd: usd,
        ...organizationOf(options),
        ...(name === undefined ? {} : { subject: name }),
        ...(from === undefined ? {} : { from }),
        ...(until === undefined ? {} : { until }),
      });
      if (options.json) terminal.printJson(price);
      else terminal.print(`$${price.amount_usd} from ${price.from} ${untilOf(price.until)}`);
    });
}

function untilOf(until: string | undefined): string {
  return until === undefined ? "on" : `until ${until}`;
}

interface RepriceOptions extends SetOptions {
  readonly month?: string;
}

function repriceCommand({ env, terminal }: CliContext): Command {
  const month = new Option("--month <month>", "All calls of a month in UTC, YYYY-MM.");
  const what = "Prices recorded calls again by the present prices, as operator.";
  return withOrganization(billingCommand("reprice", what, OPERATOR))
    .option("--from <time>", "Date or RFC 3339 of the first calls.")
    .option("--until <time>", "Date or RFC 3339, exclusive.")
    .addOption(month.conflicts(["from", "until"]))
    .action(async (options: RepriceOptions) => {
      const result = await connect(options, env).billing.reprice({
        ...periodOf(options),
        ...organizationOf(options),
      });
      if (options.json) terminal.printJson(result);
      else {
        const { corrections, difference_usd: difference } = result;
        terminal.print(`${String(corrections)} corrections, $${difference} in all`);
      }
    });
}

function periodOf({ from, until, month }: RepriceOptions): RepriceRequest {
  if (month !== undefined) return { from: `${month}-01`, until: `${monthAfter(month)}-01` };
  if (from !== undefined && until !== undefined) return { from, until };
  throw usageError("Name the calls to price again", "give --month, or both --from and --until");
}
