import { shownJson } from "@steward/kernel/shown-text.js";
import { setTimeout as delay } from "node:timers/promises";
import type { AuditQuery, AuditRecord } from "@steward/client";
import type { Command } from "commander";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import type { CliContext } from "../context.js";
import { RECORD_COLUMNS, recordRow } from "./record-row.js";

interface ListOptions extends ClientOptions, Pick<AuditQuery, "kind" | "subject"> {
  readonly from?: string;
  readonly until?: string;
  readonly limit: string;
}

/** How often `watch` asks for new records, in ms. */
const WATCH_MS = 1000;

/** `steward audit list`: the newest records. */
export function listCommand({ env, terminal }: CliContext): Command {
  return auditorCommand("list", "Lists the newest records of your organization.")
    .option("--from <time>", "Only records from this time on, such as 2026-03-01T09:30:00Z.")
    .option("--until <time>", "Only records before this time.")
    .option("--limit <count>", "How many records.", "50")
    .action(async (options: ListOptions) => {
      const { from, until } = options;
      const page = await connect(options, env).audit.listAuditRecords({
        ...filterOf(options),
        ...(from === undefined ? {} : { from }),
        ...(until === undefined ? {} : { until }),
        limit: Number(options.limit),
      });
      if (options.json) {
        terminal.printJson(page.records);
        return;
      }
      terminal.printTable(
        RECORD_COLUMNS.map((title) => ({ title })),
        page.records.map(recordRow),
      );
      if (page.next_cursor !== undefined) terminal.note("there are more: --limit, or --until");
    });
}

/** `steward audit watch`: prints records as they are added. */
export function watchCommand({ env, terminal }: CliContext): Command {
  return auditorCommand("watch", "Prints records as they are added; ends with Ctrl+C.").action(
    async (options: ListOptions) => {
      const { audit } = connect(options, env);
      const query = filterOf(options);
      let seen = (await audit.listAuditRecords({ ...query, limit: 1 })).records[0]?.index ?? -1;
      for (;;) {
        const added: AuditRecord[] = [];
        for await (const record of audit.eachAuditRecord({ ...query, limit: 100 })) {
          if (record.index <= seen) break;
          added.unshift(record);
        }
        for (const record of added) {
          terminal.print(
            options.json ? shownJson(JSON.stringify(record)) : recordRow(record).join("  "),
          );
        }
        seen = added.at(-1)?.index ?? seen;
        await delay(WATCH_MS);
      }
    },
  );
}

/** A command for auditors, with the conditions of a listing. */
function auditorCommand(name: string, description: string): Command {
  return clientCommand(name, description)
    .option("--role <role>", "Role to act in (x-user-role).", "auditor")
    .option("--kind <kind>", "Only this kind, such as plan.changed, or a group such as plan.")
    .option("--subject <id>", "Only records about this id, such as a plan's.");
}

function filterOf({ kind, subject }: ListOptions): Pick<AuditQuery, "kind" | "subject"> {
  return { ...(kind === undefined ? {} : { kind }), ...(subject === undefined ? {} : { subject }) };
}
