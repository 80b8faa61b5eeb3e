import type { StateCommit } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { fit } from "../terminal/table.js";
import type { Colors } from "../terminal/terminal.js";

interface LogOptions extends ClientOptions {
  readonly limit?: string;
}

/** `steward state log`: lists commits, newest first. */
export function logCommand({ env, terminal }: CliContext): Command {
  return clientCommand("log", "Lists commits, the newest first.")
    .argument("[commit]", "Branch, tag or content id to begin at.", "main")
    .option("--limit <count>", "How many, 200 at most.", "20")
    .action(async (from: string, options: LogOptions) => {
      const limit = Number(options.limit);
      const commits = await connect(options, env).state.getStateLog({ from, limit });
      if (options.json) terminal.printJson(commits);
      else for (const commit of commits) terminal.print(lineOf(commit, terminal.outColors));
    });
}

function lineOf(
  { commit, time, author, size, message, parents }: StateCommit,
  colors: Colors,
): string {
  const merged = parents.length > 1 ? colors.magenta(" (merge)") : "";
  const quads = `${size} ${size === 1 ? "quad" : "quads"}`;
  return `${colors.yellow(commit)}${merged}\n  ${colors.dim(`${time}  ${fit(author)}  ${quads}`)}\n  ${fit(message, 200)}`;
}
