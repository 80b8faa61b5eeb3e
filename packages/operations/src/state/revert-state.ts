import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { choiceShape, movedExample, movedShape } from "./branch-moves.js";
import { branchName, commitName, message } from "./state-fields.js";

/** The result of a revert or its preview. In a conflict, ours is the branch and theirs is the revert. */
const reverted = z
  .object({
    outcome: z.enum(["nothing to revert", "reverted", "conflicts"]).describe("Kind of the result"),
    ...movedShape,
  })
  .meta({
    id: "StateReverted",
    description: "Result of a revert or of its preview",
    examples: [{ outcome: "reverted", ...movedExample }],
  });

export type StateReverted = Infer<typeof reverted>;

export const revertState = operation({
  name: "revertState",
  action: "state:write",
  audit: { kind: "state.revert", time: "around" },
  resolves: {
    commit: { names: "commit", idIn: "commit" },
    branch: { names: "branch", idIn: "expected", default: "main" },
  },
  summary: "Undo one commit, as a new commit",
  description:
    "Later commits keep their effect. Where a later commit changed the same quads, there is a conflict, " +
    "and nothing changes: the answer is 409, with one conflict in each detail. A preview changes nothing " +
    "either and lists the conflicts; in it, ours is the branch and theirs is the revert.",
  tag: "State",
  input: z
    .strictObject({
      branch: branchName.exactOptional().describe("The branch that moves; default: main"),
      commit: commitName.describe("What is undone: a branch, a tag or a content id"),
      message: message
        .exactOptional()
        .describe("What the revert is for; default: it names the commit's own message"),
      ...choiceShape,
    })
    .meta({
      id: "StateRevert",
      description: "What undoes one commit on a branch",
      examples: [{ commit: "main", message: "The price was right before" }],
    }),
  output: reverted,
  errors: [404, 409],
  rest: { method: "POST", path: "/api/state/revert", answered: "The result" },
  retry: false,
});
