import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { choiceShape, movedExample, movedShape } from "./branch-moves.js";
import { branchName, commitName, message } from "./state-fields.js";

/** The result of a merge or its preview. */
const merged = z
  .object({
    outcome: z
      .enum(["nothing to merge", "fast-forward", "merged", "conflicts"])
      .describe("Kind of the result"),
    ...movedShape,
  })
  .meta({
    id: "StateMerged",
    description: "Result of a merge or of its preview",
    examples: [
      {
        outcome: "merged",
        ...movedExample,
      },
    ],
  });

export type StateMerged = Infer<typeof merged>;

export const mergeState = operation({
  name: "mergeState",
  action: "state:write",
  audit: { kind: "state.merge", time: "around" },
  resolves: {
    from: { names: "commit", idIn: "from" },
    branch: { names: "branch", idIn: "expected", default: "main" },
  },
  summary: "Merge a commit into a branch",
  description:
    "With conflicts nothing changes: the answer is 409, a conflict in each detail. A preview changes nothing " +
    "either and tells them one by one.",
  tag: "State",
  input: z
    .strictObject({
      branch: branchName.exactOptional().describe("The branch that moves; default: main"),
      from: commitName,
      message: message.describe("What the merge is for"),
      ...choiceShape,
    })
    .meta({
      id: "StateMerge",
      description: "A merge of a commit into a branch",
      examples: [{ from: "draft", message: "The draft is approved" }],
    }),
  output: merged,
  errors: [404, 409],
  rest: { method: "POST", path: "/api/state/merge", answered: "The result" },
  retry: false,
});
