import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { commitName, termText } from "./state-fields.js";
import { stateQuadSchema } from "./state-terms.js";

/** A proof that a commit contains or lacks a quad. Checking it needs only the commit's id. */
const proof = z
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

export type StateProof = Infer<typeof proof>;

export const proveState = operation({
  name: "proveState",
  action: "state:read",
  resolves: { at: { names: "commit", idIn: "at", default: "main" } },
  summary: "Prove that a commit contains or lacks a quad",
  description: "Anybody who trusts the commit's id can check the proof without this server.",
  tag: "State",
  input: z
    .strictObject({
      at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
      subject: termText.describe("<iri> or _:label"),
      predicate: termText.describe("<iri>"),
      object: termText.describe("The term as N-Triples writes it"),
      graph: termText.exactOptional().describe("<iri> or _:label; left out: the default graph"),
    })
    .meta({
      examples: [{ subject: "<urn:order:1>", predicate: "<urn:p:status>", object: '"open"' }],
    }),
  output: proof,
  errors: [404],
  rest: { method: "GET", path: "/api/state/proof", answered: "The proof" },
});
