import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { BASE_HELP, changedLines, changedOrConflicts } from "./changed-lines.js";

interface MergeOptions extends ClientOptions {
  readonly into: string;
  readonly message?: string;
  readonly singleValued: readonly string[];
  readonly preview?: true;
  readonly base?: string;
}

/** `steward state merge`: merges a commit into a branch, or lists the conflicts. */
export function mergeCommand({ env, terminal, exitWith }: CliContext): Command {
  return clientCommand("merge", "Merges a commit into a branch; with conflicts, nothing changes.")
    .argument("<from>", "The commit to merge: a branch, a tag or a content id.")
    .option("--into <branch>", "The branch that moves.", "main")
    .option("--message <text>", "Message of the commit.")
    .option("--single-valued <iris...>", "Properties that have one value.", [])
    .option("--base <id>", BASE_HELP)
    .option("--preview", "Print the result, and change nothing.")
    .action(async (from: string, options: MergeOptions) => {
      const { state } = connect(options, env);
      const { into, base } = options;
      const order = {
        ...{ branch: into, from, single_valued: options.singleValued },
        message: options.message ?? `Merge ${from} into ${into}`,
        ...(base === undefined ? {} : { expected: base }),
      };
      const preview = () => state.mergeState({ ...order, preview: true });
      const merged = await (options.preview === undefined
        ? changedOrConflicts(() => state.mergeState(order), preview)
        : preview());
      if (merged.outcome === "conflicts") exitWith(EXIT.failed);
      if (options.json) {
        terminal.printJson(merged);
        return;
      }
      changedLines(merged, terminal.outColors, { ours: "ours", theirs: "theirs" }).forEach(
        terminal.print,
      );
      if (options.preview !== undefined) terminal.note("a preview: nothing was changed");
    });
}
