import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { BASE_HELP, changedLines, changedOrConflicts } from "./changed-lines.js";

interface RevertOptions extends ClientOptions {
  readonly branch: string;
  readonly message?: string;
  readonly singleValued: readonly string[];
  readonly base?: string;
  readonly preview?: true;
}

/** `steward state revert`: reverts one commit, or lists the conflicts. */
export function revertCommand({ env, terminal, exitWith }: CliContext): Command {
  return clientCommand(
    "revert",
    "Undoes one commit, as a new one; with conflicts, nothing changes.",
  )
    .argument("<commit>", "The commit to undo: a branch, a tag or a content id.")
    .option("--branch <branch>", "The branch that moves.", "main")
    .option("--message <text>", "Message of the new commit.")
    .option("--single-valued <iris...>", "Properties that have one value.", [])
    .option("--base <id>", BASE_HELP)
    .option("--preview", "Print the result, and change nothing.")
    .action(async (commit: string, options: RevertOptions) => {
      const { state } = connect(options, env);
      const { branch, message, base, singleValued } = options;
      const order = {
        ...{ branch, commit, single_valued: singleValued },
        ...(message === undefined ? {} : { message }),
        ...(base === undefined ? {} : { expected: base }),
      };
      const preview = () => state.revertState({ ...order, preview: true });
      const reverted = await (options.preview === undefined
        ? changedOrConflicts(() => state.revertState(order), preview)
        : preview());
      if (reverted.outcome === "conflicts") exitWith(EXIT.failed);
      if (options.json) {
        terminal.printJson(reverted);
        return;
      }
      const names = { ours: "the branch", theirs: "the revert" };
      changedLines(reverted, terminal.outColors, names).forEach(terminal.print);
      if (options.preview !== undefined) terminal.note("a preview: nothing was changed");
    });
}
