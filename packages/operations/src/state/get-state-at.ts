import * as z from "zod";
import { operation } from "../operation.js";
import { pageLimit } from "../page.js";
import { commitName, patternShape, STATE_QUADS_PAGE_MAX } from "./state-fields.js";
import { quadsSchema } from "./state-terms.js";

/** Maximum offset of a page of quads. */
const OFFSET_MAX = 100_000;

export const getStateAt = operation({
  name: "getStateAt",
  action: "state:read",
  resolves: { at: { names: "commit", idIn: "at", default: "main" } },
  summary: "Read the quads of a commit that have these terms",
  description:
    "The quads that match the given terms; without any term, every quad. One page at a time.",
  tag: "State",
  input: z.strictObject({
    at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
    ...patternShape,
    limit: pageLimit(STATE_QUADS_PAGE_MAX).describe("Quads on a page, 1 to 1000; default 100"),
    offset: z.coerce
      .number()
      .int()
      .min(0)
      .max(OFFSET_MAX)
      .exactOptional()
      .describe("Quads to leave out at the beginning; default 0"),
  }),
  output: z
    .object({
      commit: z.string().describe("Content id of the commit"),
      count: z.int().describe("Number of quads that match, on all pages"),
      quads: quadsSchema.describe("The quads of this page"),
    })
    .meta({
      id: "StatePage",
      description: "Quads of a commit",
      examples: [
        {
          commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
          count: 1,
          quads: [
            {
              subject: { type: "uri", value: "urn:order:1" },
              predicate: { type: "uri", value: "urn:p:status" },
              object: { type: "literal", value: "open" },
            },
          ],
        },
      ],
    }),
  errors: [404],
  rest: { method: "GET", path: "/api/state/at", answered: "The quads" },
});
