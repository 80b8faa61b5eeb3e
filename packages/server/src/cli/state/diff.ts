import type { StateDiff, StateQuad } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import type { Colors } from "../terminal/terminal.js";
import { showStatement, showTerm } from "./terms.js";

interface DiffOptions extends ClientOptions {
  readonly limit: string;
}

/** `steward state diff`: shows the difference between two commits. */
export function diffCommand({ env, terminal }: CliContext): Command {
  return clientCommand("diff", "Shows what changed between two commits, by subject.")
    .argument("[to]", "Branch, tag or content id.", "main")
    .argument("[from]", "The commit to compare with (default: the one before it).")
    .option("--limit <count>", "Changes, 1000 at most.", "1000")
    .action(async (to: string, from: string | undefined, options: DiffOptions) => {
      const diff = await connect(options, env).state.getStateDiff({
        ...{ to, limit: Number(options.limit) },
        ...(from === undefined ? {} : { from }),
      });
      if (options.json) {
        terminal.printJson(diff);
        return;
      }
      diffLines(diff, terminal.outColors).forEach(terminal.print);
      if (diff.truncated) terminal.note("there are more changes");
      if (diff.added.length + diff.deleted.length === 0) terminal.note("no changes");
    });
}

/** A heading per subject, followed by its removed and added quads. */
export function diffLines(
  { added, deleted }: Pick<StateDiff, "added" | "deleted">,
  colors: Colors,
): readonly string[] {
  const subjects = new Map<string, string[]>();
  const note = (quad: StateQuad, line: string): void => {
    const subject = showTerm(quad.subject);
    subjects.set(subject, [...(subjects.get(subject) ?? []), line]);
  };
  for (const quad of deleted) note(quad, colors.red(`  - ${showStatement(quad)}`));
  for (const quad of added) note(quad, colors.green(`  + ${showStatement(quad)}`));
  return [...subjects]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([subject, lines]) => [colors.bold(subject), ...lines]);
}
