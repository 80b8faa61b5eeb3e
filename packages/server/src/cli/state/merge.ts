import type { StateConflict, StateMerged } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect, type ClientOptions } from "../server-connection.js";
import type { Colors } from "../terminal.js";
import { diffLines } from "./diff.js";
import { showTerm } from "./terms.js";

interface MergeOptions extends ClientOptions {
  readonly into: string;
  readonly message?: string;
  readonly singleValued: readonly string[];
  readonly preview?: true;
}

/** `steward state merge`: takes a history into a branch, or tells why it cannot. */
export function mergeCommand({ env, terminal, exitWith }: CliContext): Command {
  return clientCommand("merge", "Merges a commit into a branch; with conflicts, nothing changes.")
    .argument("<from>", "What is taken in: a branch, a tag or a content id.")
    .option("--into <branch>", "The branch that moves.", "main")
    .option("--message <text>", "Message of the commit.")
    .option("--single-valued <iris...>", "Properties that have one value.", [])
    .option("--preview", "Tell what would be, and change nothing.")
    .action(async (from: string, options: MergeOptions) => {
      const { state } = connect(options, env);
      const order = {
        ...{ branch: options.into, from, single_valued: options.singleValued },
        message: options.message ?? `Merge ${from} into ${options.into}`,
      };
      // Conflicts are told one by one by a preview only.
      const preview = await state.merge({ ...order, preview: true });
      const isOnlyTold = options.preview !== undefined || preview.outcome === "conflicts";
      const merged = isOnlyTold ? preview : await state.merge(order);
      if (merged.outcome === "conflicts") exitWith(EXIT.failed);
      if (options.json) {
        terminal.printJson(merged);
        return;
      }
      mergedLines(merged, terminal.outColors).forEach(terminal.print);
      if (options.preview !== undefined) terminal.note("a preview: nothing was changed");
    });
}

function mergedLines(merged: StateMerged, colors: Colors): readonly string[] {
  const { outcome, commit, conflicts, added_quads: added, deleted_quads: deleted } = merged;
  if (outcome === "conflicts") {
    return [colors.red("conflicts; nothing was changed"), ...conflicts.map(conflictLine)];
  }
  return [...diffLines({ added, deleted }, colors), `${colors.green(outcome)}: ${commit}`];
}

function conflictLine(conflict: StateConflict): string {
  const { kind, subject, predicate, ours = [], theirs = [], object, deleted_by: by } = conflict;
  const what = [subject, predicate, object].flatMap((term) => (term ? showTerm(term) : []));
  const list = (terms: typeof ours): string => terms.map(showTerm).join(", ") || "nothing";
  switch (kind) {
    case "two-values":
      return `  ${what.join(" ")}: ours says ${list(ours)}, theirs says ${list(theirs)}`;
    case "deleted-and-changed":
      return `  ${what.join(" ")}: ${by ?? ""} deleted it, the other side changed it`;
    case "dangling-reference":
      return `  ${what.join(" ")}: ${by ?? ""} deleted what the other side refers to`;
  }
}
