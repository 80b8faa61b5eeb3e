import type { Command } from "commander";
import { RETENTION_DAYS_MAX } from "../../retention/limits.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** Stands for the operator's retention period. */
const DEFAULT = "default";

/** `steward memory retention`: shows or sets how long entries are retained. */
export function retentionCommand({ env, terminal }: CliContext): Command {
  return clientCommand("retention", "Shows or sets how long entries are kept.")
    .argument(
      "[days]",
      `Days that entries are kept from now on, 1 to ${RETENTION_DAYS_MAX}, or ${DEFAULT}.`,
    )
    .action(async (days: string | undefined, options: ClientOptions) => {
      const { memory } = connect(options, env);
      const retention = await (days === undefined
        ? memory.getMemoryRetention()
        : memory.setMemoryRetention({ days: daysOf(days) }));
      if (options.json) terminal.printJson(retention);
      else terminal.print(retention.days === null ? "no limit" : `${String(retention.days)} days`);
    });
}

function daysOf(text: string): number | null {
  if (text === DEFAULT) return null;
  const days = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= RETENTION_DAYS_MAX) return days;
  throw usageError(
    `${text} is not a number of days that entries can be kept`,
    `give whole days from 1 to ${RETENTION_DAYS_MAX}, or ${DEFAULT}`,
  );
}
