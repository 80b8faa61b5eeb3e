import * as z from "zod";
import type { Message } from "../envelope.js";
import { commitName, termText } from "./state-fields.js";
import { stateQuadSchema } from "./state-terms.js";

/** The query of `GET /api/state/proof`. */
export const stateProofQuerySchema = z.strictObject({
  at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  subject: termText.describe("<iri> or _:label"),
  predicate: termText.describe("<iri>"),
  object: termText.describe("The term as N-Triples writes it"),
  graph: termText.exactOptional().describe("<iri> or _:label; left out: the default graph"),
});

const stateProofShape = {
  commit: z.string().describe("Content id of the commit"),
  quad: stateQuadSchema.describe("The quad that is asked about"),
  present: z.boolean().describe("Whether the commit has the quad"),
  /** The commit's block, in base64. */
  commit_block: z.string().describe("The block of the commit, in base64"),
  /** The blocks from the commit's root to the position of the quad, in base64. */
  nodes: z
    .array(z.string())
    .readonly()
    .describe("The blocks from the root to the place of the quad, in base64"),
};

/** A proof that a commit contains or lacks a quad. Checking it needs only the commit's id. */
export interface StateProof extends Message<typeof stateProofShape> {}

export const stateProofSchema: z.ZodType<StateProof> = z.object(stateProofShape).meta({
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
