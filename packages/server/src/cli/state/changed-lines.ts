import {
  StewardError,
  type StateConflict,
  type StateMerged,
  type StateReverted,
} from "@steward/client";
import type { Colors } from "../terminal/terminal.js";
import { diffLines } from "./diff.js";
import { showTerm } from "./terms.js";

/** Help text of --base. */
export const BASE_HELP =
  "Content id of the branch's commit as you read it; the command fails if the branch has moved.";

/** Labels of the two sides of a conflict. */
type SideNames = Readonly<Record<"ours" | "theirs", string>>;

/** Describes the change of a branch, or the conflicts that prevented it. */
export function changedLines(
  changed: StateMerged | StateReverted,
  colors: Colors,
  names: SideNames,
): readonly string[] {
  const { outcome, commit, conflicts, added_quads: added, deleted_quads: deleted } = changed;
  if (outcome === "conflicts") {
    const lines = conflicts.map((conflict) => conflictLine(conflict, names));
    return [colors.red("conflicts; nothing was changed"), ...lines];
  }
  return [...diffLines({ added, deleted }, colors), `${colors.green(outcome)}: ${commit}`];
}

function conflictLine(conflict: StateConflict, names: SideNames): string {
  const { kind, subject, predicate, ours = [], theirs = [], object, deleted_by: by } = conflict;
  const what = [subject, predicate, object].flatMap((term) => (term ? showTerm(term) : []));
  const list = (terms: typeof ours): string => terms.map(showTerm).join(", ") || "nothing";
  const deleter = by === undefined ? "" : names[by];
  switch (kind) {
    case "two-values":
      return `  ${what.join(" ")}: ${names.ours} says ${list(ours)}, ${names.theirs} says ${list(theirs)}`;
    case "deleted-and-changed":
      return `  ${what.join(" ")}: ${deleter} deleted it, the other side changed it`;
    case "dangling-reference":
      return `  ${what.join(" ")}: ${deleter} deleted what the other side refers to`;
  }
}

/**
 * The result of a change of a branch. Of a change with conflicts it is the preview, because only a preview lists them
 * all; a preview needs the same rights and approvals, so it is asked for only then.
 */
export async function changedOrConflicts<Result extends { readonly outcome: string }>(
  change: () => Promise<Result>,
  preview: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "STATE_CONFLICT") throw error;
    const previewed = await preview();
    // Otherwise the branch was at another commit than the expected one.
    if (previewed.outcome !== "conflicts") throw error;
    return previewed;
  }
}
