import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../server-connection.js";
import type { ClientOptions } from "../server-connection.js";

/** The session of notes whose writer names none. */
const NOTES_SESSION = "notes";

/** `steward memory add`: remembers a text; one that is JSON already is kept as it is. */
export function addCommand({ env, terminal }: CliContext): Command {
  return clientCommand("add", "Remembers a text or JSON.")
    .argument("<content>", "JSON, kept as it is, or a text, kept as a JSON string.")
    .action(async (content: string, options: ClientOptions) => {
      const entry = await connect(options, env).memory.add({
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
