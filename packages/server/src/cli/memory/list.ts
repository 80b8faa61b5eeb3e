import type { InputOf, memory } from "@steward/operations";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { ENTRIES_PAGE_MAX } from "../../memory/limits.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

interface ListOptions extends ClientOptions {
  readonly tool?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

/**
 * `steward memory list`: lists one page of entries, newest first; with --session only that
 * session's entries.
 */
export function listCommand({ env, terminal }: CliContext): Command {
  return clientCommand("list", "Lists entries, newest first; --session narrows it to one session.")
    .option("--tool <name>", "Only entries that record calls of this tool.")
    .option("--limit <n>", "Entries on the page.")
    .option("--cursor <cursor>", "The cursor that the previous page has printed.")
    .action(async (options: ListOptions) => {
      const page = await connect(options, env).memory.listMemoryEntries(queryOf(options));
      if (options.json) {
        terminal.printJson(page);
        return;
      }
      const titles = ["ENTRY", "CREATED", "SESSION", "TOOL", "CONTENT"];
      const rows = page.entries.map((entry) => [
        entry.entry_id,
        entry.created_at,
        entry.session_id,
        entry.tool_name ?? "",
        entry.content,
      ]);
      const columns = titles.map((title, index) => ({ title, whole: index === 0 }));
      if (rows.length === 0) terminal.note("no entries");
      else terminal.printTable(columns, rows);
      if (page.next_cursor !== undefined) terminal.note(`more: --cursor ${page.next_cursor}`);
    });
}

function queryOf({
  session,
  tool,
  limit,
  cursor,
}: ListOptions): InputOf<typeof memory.listMemoryEntries> {
  return {
    ...(session === undefined ? {} : { session_id: session }),
    ...(tool === undefined ? {} : { tool_name: tool }),
    ...(limit === undefined ? {} : { limit: limitOf(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function limitOf(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= ENTRIES_PAGE_MAX) return limit;
  throw usageError(
    `--limit ${text} is not a number of entries`,
    `give a whole number from 1 to ${String(ENTRIES_PAGE_MAX)}`,
  );
}
