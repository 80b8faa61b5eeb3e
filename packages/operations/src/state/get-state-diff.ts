import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { pageLimit } from "../page.js";
import { commitName, STATE_QUADS_PAGE_MAX } from "./state-fields.js";
import { quadsSchema } from "./state-terms.js";

const diff = z
  .object({
    from: z
      .string()
      .nullable()
      .describe("Content id of the first commit; null for the empty dataset"),
    to: z.string().describe("Content id of the second commit"),
    added: quadsSchema.describe("Quads that only the second commit has"),
    deleted: quadsSchema.describe("Quads that only the first commit has"),
    truncated: z.boolean().describe("Whether more changes were left out"),
  })
  .meta({
    id: "StateDiff",
    description: "The difference between two datasets",
    examples: [
      {
        from: "bafyreifepiu23okq5zuyvyhsoiazv2icw2van3s7ko6d3ixl5jx2yj2yhu",
        to: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
        added: [
          {
            subject: { type: "uri", value: "urn:order:1" },
            predicate: { type: "uri", value: "urn:p:status" },
            object: { type: "literal", value: "open" },
          },
        ],
        deleted: [],
        truncated: false,
      },
    ],
  });

export type StateDiff = Infer<typeof diff>;

export const getStateDiff = operation({
  name: "getStateDiff",
  action: "state:read",
  resolves: {
    from: { names: "commit", idIn: "from" },
    to: { names: "commit", idIn: "to", default: "main" },
  },
  summary: "List the changes between two commits",
  description: "The quads that only one of the two commits has, up to a limit for each kind.",
  tag: "State",
  input: z.strictObject({
    from: commitName.exactOptional().describe("Default: the parent of `to`"),
    to: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
    limit: pageLimit(STATE_QUADS_PAGE_MAX).describe(
      "Changes of each kind at most, 1 to 1000; default 100",
    ),
  }),
  output: diff,
  errors: [404],
  rest: { method: "GET", path: "/api/state/diff", answered: "The changes" },
});
