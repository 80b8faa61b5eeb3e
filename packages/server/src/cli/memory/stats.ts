import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** `steward memory stats`: shows statistics of memory. */
export function statsCommand({ env, terminal }: CliContext): Command {
  return clientCommand("stats", "Shows the state of memory.").action(
    async (options: ClientOptions) => {
      const stats = await connect(options, env).memory.getMemoryStats();
      if (options.json) {
        terminal.printJson(stats);
        return;
      }
      const rows = [
        ["entries", String(stats.entries)],
        ["tool calls waiting", String(stats.waiting_calls)],
        ["damaged vectors", String(stats.quarantined_vectors)],
        ["model", stats.model],
      ];
      terminal.printTable([{ title: "MEMORY" }, { title: "" }], rows);
    },
  );
}
