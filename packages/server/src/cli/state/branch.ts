import type { StateRef, StewardClient } from "@steward/client";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import { confirm, isInteractive } from "../terminal/confirm.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";

interface BranchOptions extends ClientOptions {
  readonly tag?: true;
  readonly delete?: true;
  readonly yes?: true;
}

/** `steward state branch`: lists, creates and deletes branches and tags. */
export function branchCommand(context: CliContext): Command {
  const { env, terminal, exitWith } = context;
  return clientCommand("branch", "Lists branches and tags; with a name, creates or deletes one.")
    .argument("[name]", "The branch.")
    .argument("[commit]", "Where it begins: a branch, a tag or a content id.", "main")
    .option("--tag", "A tag rather than a branch.")
    .option("--delete", "Delete it; on a terminal, you are asked first.")
    .option("-y, --yes", "Delete it without asking.")
    .action(async (name: string | undefined, commit: string, options: BranchOptions) => {
      const { state } = connect(options, env);
      if (name === undefined) {
        const refs = await state.listStateRefs();
        if (options.json) terminal.printJson(refs);
        else refLines(refs).forEach(terminal.print);
        return;
      }
      const ref = `${options.tag === undefined ? "heads" : "tags"}/${name}`;
      if (options.delete === undefined) {
        const moved = await state.moveStateRef({ name: ref, commit, expected: null });
        if (options.json) terminal.printJson(moved);
        else terminal.print(`${ref} is at ${moved.commit ?? ""}`);
        return;
      }
      const at = await commitAt(state, ref);
      if (!(await isDeletionAllowed(ref, at, options, context))) {
        terminal.note("nothing was changed");
        exitWith(EXIT.failed);
        return;
      }
      const moved = await state.moveStateRef({ name: ref, commit: null, expected: at });
      if (options.json) terminal.printJson({ ...moved, was: at });
      else terminal.print(`${ref} is gone; it was at ${at}`);
    });
}

async function commitAt(state: StewardClient["state"], ref: string): Promise<string> {
  const found = (await state.listStateRefs()).find(({ name }) => name === ref);
  if (found !== undefined) return found.commit;
  throw usageError(`There is no ${ref}`, "`steward state branch` lists what there is");
}

/**
 * Asks for confirmation and says what would be lost.
 * @throws CliError without a terminal.
 */
async function isDeletionAllowed(
  ref: string,
  commit: string,
  options: BranchOptions,
  context: CliContext,
): Promise<boolean> {
  if (options.yes === true) return true;
  const [kind = "", ...parts] = ref.split("/");
  const again = `steward state branch ${parts.join("/")} ${commit}${kind === "tags" ? " --tag" : ""}`;
  if (!isInteractive(context)) {
    throw usageError(
      `${ref} is at ${commit}: commits that no other branch or tag reaches are lost`,
      `add --yes; until the next collection of garbage, \`${again}\` makes it again`,
    );
  }
  const { env, terminal } = context;
  const [last] = await connect(options, env).state.getStateLog({ from: commit, limit: 1 });
  terminal.note(`${ref} is at ${commit}`);
  if (last !== undefined) terminal.note(`  ${last.time}  ${last.author}  ${last.message}`);
  terminal.note(
    "Commits that no other branch or tag reaches are lost. Until the next collection of",
  );
  terminal.note(`garbage, this makes it again: ${again}`);
  return confirm(`delete ${ref}?`, context);
}

/** One line per ref, with complete ids for copying. */
function refLines(refs: readonly StateRef[]): readonly string[] {
  const width = Math.max(...refs.map(({ name }) => name.length), 0);
  return refs.map(({ name, commit }) => `${name.padEnd(width)}  ${commit}`);
}
