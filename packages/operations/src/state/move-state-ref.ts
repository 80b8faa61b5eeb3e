import * as z from "zod";
import { operation } from "../operation.js";
import { commitName, contentId } from "./state-fields.js";

const refName = z
  .string()
  .regex(
    /^(?:heads|tags)\/[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/,
    "must be heads/<branch> or tags/<tag>",
  );

export const moveStateRef = operation({
  name: "moveStateRef",
  action: "state:refs",
  audit: { kind: "state.move_ref", time: "around" },
  resolves: { commit: { names: "commit", idIn: "commit" } },
  summary: "Move, create or delete a branch or a tag",
  description:
    "Succeeds only if the branch or tag points to the expected commit; otherwise nothing changes.",
  tag: "State",
  input: z
    .strictObject({
      name: refName.describe("heads/<branch> or tags/<tag>"),
      commit: commitName
        .nullable()
        .describe("Content id of the new commit; null deletes the branch or tag"),
      expected: contentId
        .nullable()
        .describe("Content id that the branch or tag must be at; null: it must not exist yet"),
    })
    .meta({
      id: "MoveStateRef",
      description: "The move of a branch or a tag",
      examples: [{ name: "tags/v1", commit: "main", expected: null }],
    }),
  output: z
    .object({
      name: z.string().describe("heads/<branch> or tags/<tag>"),
      commit: z.string().nullable().describe("Content id of its commit; null when it is deleted"),
    })
    .meta({
      id: "MovedStateRef",
      description: "Where a branch or a tag is after a move",
      examples: [
        { name: "tags/v1", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
      ],
    }),
  errors: [404, 409],
  rest: { method: "POST", path: "/api/state/refs", answered: "It is there" },
  retry: false,
});
