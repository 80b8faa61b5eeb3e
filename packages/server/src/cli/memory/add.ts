import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** Default session of notes. */
const NOTES_SESSION = "notes";

/** `steward memory add`: stores a text. A text that is valid JSON is stored unchanged. */
export function addCommand({ env, terminal }: CliContext): Command {
  return clientCommand("add", "Stores a text or JSON as an entry.")
    .argument("<content>", "JSON, kept as it is, or a text, kept as a JSON string.")
    .action(async (content: string, options: ClientOptions) => {
      const entry = await connect(options, env).memory.addMemoryEntry({
        session_id: options.session ?? NOTES_SESSION,
        content: jsonOf(content),
      });
      if (options.json) terminal.printJson(entry);
      else terminal.print(entry.entry_id);
    });
}

function jsonOf(content: string): string {
  try {
    JSON.parse(content);
    return content;
  } catch {
    return JSON.stringify(content);
  }
}
