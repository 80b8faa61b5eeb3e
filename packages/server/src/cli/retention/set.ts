import type { Command } from "commander";
import { RETENTION_CLASSES, type RetentionClass } from "../../retention/index.js";
import { RETENTION_DAYS_MAX } from "../../retention/limits.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { printRetention, retentionAdminCommand } from "./show.js";

/** Stands for the operator's period. */
const DEFAULT = "default";

/** `steward retention set`: changes periods. */
export function setCommand({ env, terminal }: CliContext): Command {
  return retentionAdminCommand("set", "Sets for how long classes of data are kept.")
    .argument(
      "<periods...>",
      `class=days, such as plans=30; ${DEFAULT} instead of days: as the operator keeps it.`,
    )
    .action(async (periods: readonly string[], options: ClientOptions) => {
      const wanted = Object.fromEntries(periods.map(periodOf));
      const retention = await connect(options, env).retention.setRetention(wanted);
      printRetention(retention, options, terminal);
    });
}

function periodOf(text: string): readonly [RetentionClass, number | null] {
  const [, name, value = ""] = /^([a-z_]+)=(\w+)$/.exec(text) ?? [];
  const found = RETENTION_CLASSES.find((each) => each === name);
  if (found === undefined) {
    throw usageError(
      `${text} names no class of data with its days`,
      `write class=days with one of ${RETENTION_CLASSES.join(", ")}, such as plans=30`,
    );
  }
  if (value === DEFAULT) return [found, null];
  const days = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (days >= 1 && days <= RETENTION_DAYS_MAX) return [found, days];
  throw usageError(
    `${text}: ${value} is not a number of days`,
    `give whole days from 1 to ${String(RETENTION_DAYS_MAX)}, or ${DEFAULT}`,
  );
}
