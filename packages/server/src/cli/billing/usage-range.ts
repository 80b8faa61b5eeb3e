import type { billing, InputOf } from "@steward/operations";
import { Option } from "commander";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** The options of commands that show usage. */
export interface UsageOptions extends ClientOptions {
  readonly from?: string;
  readonly to?: string;
  readonly month?: string;
  readonly tz?: string;
  readonly groupBy?: string;
}

/** Adds the options that select a range of usage. */
export function withRange(command: Command): Command {
  return command
    .option("--from <date>", "First day, YYYY-MM-DD.")
    .option("--to <date>", "Last day, YYYY-MM-DD, inclusive.")
    .addOption(
      new Option("--month <month>", "All days of a month, YYYY-MM.").conflicts(["from", "to"]),
    )
    .option("--tz <zone>", "Time zone whose days are meant, such as Europe/Berlin (default: UTC).")
    .addOption(
      new Option("--group-by <what>", "A row for each of these on each day.").choices([
        ...["tool", "session", "intent", "model"],
      ]),
    );
}

/** The request's query for these options. */
export function queryOf({
  from,
  to,
  month,
  tz,
  groupBy,
}: UsageOptions): InputOf<typeof billing.getUsage> {
  return {
    ...(month === undefined ? {} : { from: `${month}-01`, to: lastDayOf(month) }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(tz === undefined ? {} : { tz }),
    ...(groupBy === undefined ? {} : { group_by: groupBy }),
  };
}

/**
 * The last day of a month.
 * @throws CliError for an invalid month.
 */
function lastDayOf(month: string): string {
  return new Date(Date.parse(`${monthAfter(month)}-01`) - DAY_MS).toISOString().slice(0, 10);
}

/**
 * The following month; both are YYYY-MM.
 * @throws CliError for an invalid month.
 */
export function monthAfter(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) {
    throw usageError(`--month ${text} is not a month`, "give --month as YYYY-MM, such as 2026-02");
  }
  const [year = 0, month = 0] = text.split("-").map(Number);
  return new Date(Date.UTC(year, month)).toISOString().slice(0, 7);
}

const DAY_MS = 24 * 60 * 60 * 1000;
