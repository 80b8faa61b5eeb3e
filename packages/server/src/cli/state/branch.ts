import type { StateRef } from "@steward/client";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../server-connection.js";

interface BranchOptions extends ClientOptions {
  readonly tag?: true;
  readonly delete?: true;
}

/** `steward state branch`: lists, makes and deletes branches and tags. */
export function branchCommand({ env, terminal }: CliContext): Command {
  return clientCommand("branch", "Lists branches and tags; with a name, makes or deletes one.")
    .argument("[name]", "The branch.")
    .argument("[commit]", "Where it begins: a branch, a tag or a content id.", "main")
    .option("--tag", "A tag rather than a branch.")
    .option("--delete", "Delete it.")
    .action(async (name: string | undefined, commit: string, options: BranchOptions) => {
      const { state } = connect(options, env);
      const refs = await state.refs();
      if (name === undefined) {
        if (options.json) terminal.printJson(refs);
        else refLines(refs).forEach(terminal.print);
        return;
      }
      const ref = `${options.tag === undefined ? "heads" : "tags"}/${name}`;
      const at = refs.find((other) => other.name === ref)?.commit;
      if (options.delete !== undefined && at === undefined) {
        throw usageError(`There is no ${ref}`, "`steward state branch` lists what there is");
      }
      const move = options.delete
        ? { name: ref, commit: null, expected: at ?? null }
        : { name: ref, commit, expected: null };
      const moved = await state.moveRef(move);
      if (options.json) terminal.printJson(moved);
      else
        terminal.print(moved.commit === null ? `${ref} is gone` : `${ref} is at ${moved.commit}`);
    });
}

/** The ids whole, so that they can be copied. */
function refLines(refs: readonly StateRef[]): readonly string[] {
  const width = Math.max(...refs.map(({ name }) => name.length), 0);
  return refs.map(({ name, commit }) => `${name.padEnd(width)}  ${commit}`);
}
