import * as z from "zod";
import type { Infer } from "../operation.js";
import { contentId } from "./state-fields.js";
import { quadsSchema, stateAtomicTermSchema, stateTermSchema } from "./state-terms.js";

/** Maximum number of properties that a merge can treat as single-valued. */
const SINGLE_VALUED_MAX = 1000;

/** What merges and reverts have in common. */
export const choiceShape = {
  single_valued: z
    .array(z.string().max(2048))
    .max(SINGLE_VALUED_MAX)
    .readonly()
    .exactOptional()
    .describe("IRIs of the properties that have one value only"),
  preview: z
    .boolean()
    .exactOptional()
    .describe("Whether to report the result without changing the branch"),
  expected: contentId.exactOptional().describe("Content id that the branch must be at"),
};

const termsSchema = z.array(stateTermSchema).readonly();

/** A conflict between two histories. */
const conflict = z
  .object({
    kind: z
      .enum(["two-values", "deleted-and-changed", "dangling-reference"])
      .describe("Kind of the conflict"),
    subject: stateAtomicTermSchema.describe("Subject of the statement"),
    predicate: stateAtomicTermSchema
      .exactOptional()
      .describe("The property; only when the conflict is about one"),
    ours: termsSchema.exactOptional().describe("Values on the branch; only of two-values"),
    theirs: termsSchema.exactOptional().describe("Values on the merged side; only of two-values"),
    object: stateTermSchema
      .exactOptional()
      .describe("The term referred to; only of dangling-reference"),
    deleted_by: z.enum(["ours", "theirs"]).exactOptional().describe("The side that deleted it"),
  })
  .meta({ id: "StateConflict", description: "A conflict between two histories" });

export type StateConflict = Infer<typeof conflict>;

/** What becomes of the branch. */
export const movedShape = {
  commit: z.string().describe("Content id of the commit that the branch is at now"),
  added: z.int().describe("How many quads the branch gains"),
  deleted: z.int().describe("How many quads the branch loses"),
  added_quads: quadsSchema.describe("The first of the quads it gains"),
  deleted_quads: quadsSchema.describe("The first of the quads it loses"),
  conflicts: z.array(conflict).readonly().describe("The conflicts; empty when there are none"),
};

export const movedExample = {
  commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
  added: 1,
  deleted: 0,
  added_quads: [
    {
      subject: { type: "uri", value: "urn:order:1" },
      predicate: { type: "uri", value: "urn:p:status" },
      object: { type: "literal", value: "open" },
    },
  ],
  deleted_quads: [],
  conflicts: [],
};
