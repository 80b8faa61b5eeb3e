import type { UsageQuery } from "@steward/client";
import { USAGE_GROUPINGS } from "@steward/protocol/rest";
import { Option } from "commander";
import type { Command } from "commander";
import type { ClientOptions } from "../server-connection.js";

/** The options of commands that show usage. */
export interface UsageOptions extends ClientOptions {
  readonly from?: string;
  readonly to?: string;
  readonly tz?: string;
  readonly groupBy?: string;
}

/** Adds the options that say which usage is meant. */
export function withRange(command: Command): Command {
  return command
    .option("--from <date>", "First day, YYYY-MM-DD.")
    .option("--to <date>", "Last day, YYYY-MM-DD, inclusive.")
    .option("--tz <zone>", "Time zone whose days are meant, such as Europe/Berlin (default: UTC).")
    .addOption(
      new Option("--group-by <what>", "A row for each of these on each day.").choices(
        USAGE_GROUPINGS,
      ),
    );
}

/** The query that these options ask for. */
export function queryOf({ from, to, tz, groupBy }: UsageOptions): UsageQuery {
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(tz === undefined ? {} : { tz }),
    ...(groupBy === undefined ? {} : { group_by: groupBy }),
  };
}
