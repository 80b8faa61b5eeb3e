import * as z from "zod";
import { commitName, termText } from "./state-fields.js";
import { type StateQuad, stateQuadSchema } from "./state-terms.js";

/** That a commit has a quad, or has it not; to be checked with nothing but the commit's id. */
export interface StateProof {
  readonly commit: string;
  readonly quad: StateQuad;
  readonly present: boolean;
  /** The commit's block, in base64. */
  readonly commit_block: string;
  /** The blocks from its root to where the quad is or would be, in base64. */
  readonly nodes: readonly string[];
}

/** The query of `GET /api/state/proof`. */
export const stateProofQuerySchema: z.ZodType<{
  readonly at?: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly graph?: string;
}> = z.strictObject({
  at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  subject: termText.describe("<iri> or _:label"),
  predicate: termText.describe("<iri>"),
  object: termText.describe("The term as N-Triples writes it"),
  graph: termText.exactOptional().describe("<iri> or _:label; left out: the default graph"),
});

export const stateProofSchema: z.ZodType<StateProof> = z
  .object({
    commit: z.string().describe("Content id of the commit"),
    quad: stateQuadSchema.describe("The quad that is asked about"),
    present: z.boolean().describe("Whether the commit has the quad"),
    commit_block: z.string().describe("The block of the commit, in base64"),
    nodes: z
      .array(z.string())
      .readonly()
      .describe("The blocks from the root to the place of the quad, in base64"),
  })
  .meta({
    id: "StateProof",
    description:
      "Proof that a commit has a quad or does not have it; the content id of the commit is enough to check it",
    examples: [
      {
        commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
        quad: {
          subject: { type: "uri", value: "urn:order:1" },
          predicate: { type: "uri", value: "urn:p:status" },
          object: { type: "literal", value: "open" },
        },
        present: true,
        commit_block: "pGRyb290",
        nodes: ["gYGB"],
      },
    ],
  });
