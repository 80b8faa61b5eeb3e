import * as z from "zod";
import { operation, type Infer } from "../operation.js";

/** A branch or a tag, and the content id of its commit. */
const ref = z
  .object({
    name: z.string().describe("heads/<branch> or tags/<tag>"),
    commit: z.string().describe("Content id of its commit"),
  })
  .meta({
    id: "StateRef",
    description: "A branch or a tag",
    examples: [
      { name: "heads/main", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
    ],
  });

export type StateRef = Infer<typeof ref>;

export const listStateRefs = operation({
  name: "listStateRefs",
  action: "state:read",
  summary: "List the branches and tags",
  description: "Every branch and tag of your organization, with the commit that each points to.",
  tag: "State",
  input: z.strictObject({}),
  output: z.array(ref).readonly(),
  errors: [],
  rest: { method: "GET", path: "/api/state/refs", answered: "The refs" },
});
