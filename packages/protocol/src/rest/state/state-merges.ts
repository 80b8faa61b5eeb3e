import * as z from "zod";
import type { Message } from "../envelope.js";
import { branchName, commitName, contentId, message, quadsSchema } from "./state-fields.js";
import { stateAtomicTermSchema, stateTermSchema } from "./state-terms.js";

/** Maximum number of properties that a merge can treat as single-valued. */
const SINGLE_VALUED_MAX = 1000;

const choiceShape = {
  /** IRIs of properties that can have only one value. */
  single_valued: z
    .array(z.string().max(2048))
    .max(SINGLE_VALUED_MAX)
    .readonly()
    .exactOptional()
    .describe("IRIs of the properties that have one value only"),
  /** Whether to return the result without changing anything. */
  preview: z
    .boolean()
    .exactOptional()
    .describe("Whether to report the result without changing the branch"),
  /** The content id that the branch must point to; absent: any. */
  expected: contentId.exactOptional().describe("Content id that the branch must be at"),
};

const stateMergeShape = {
  /** The branch that moves; default: `main`. */
  branch: branchName.exactOptional().describe("The branch that moves; default: main"),
  /** The commit to merge: a branch, a tag or a content id. */
  from: commitName,
  message: message.describe("What the merge is for"),
  ...choiceShape,
};

/** The body of `POST /api/state/merge`. */
export interface StateMerge extends Message<typeof stateMergeShape> {}

export const stateMergeSchema: z.ZodType<StateMerge> = z.strictObject(stateMergeShape).meta({
  id: "StateMerge",
  description: "A merge of a commit into a branch",
  examples: [{ from: "draft", message: "The draft is approved" }],
});

const stateRevertShape = {
  /** The branch that moves; default: `main`. */
  branch: branchName.exactOptional().describe("The branch that moves; default: main"),
  /** The commit to undo: a branch, a tag or a content id. */
  commit: commitName.describe("What is undone: a branch, a tag or a content id"),
  /** Absent: the default message names the undone commit. */
  message: message
    .exactOptional()
    .describe("What the revert is for; default: it names the commit's own message"),
  ...choiceShape,
};

/** The body of `POST /api/state/revert`. */
export interface StateRevert extends Message<typeof stateRevertShape> {}

export const stateRevertSchema: z.ZodType<StateRevert> = z.strictObject(stateRevertShape).meta({
  id: "StateRevert",
  description: "What undoes one commit on a branch",
  examples: [{ commit: "main", message: "The price was right before" }],
});

const termsSchema = z.array(stateTermSchema).readonly();

const stateConflictShape = {
  kind: z
    .enum(["two-values", "deleted-and-changed", "dangling-reference"])
    .describe("Kind of the conflict"),
  subject: stateAtomicTermSchema.describe("Subject of the statement"),
  predicate: stateAtomicTermSchema
    .exactOptional()
    .describe("The property; only when the conflict is about one"),
  /** For `two-values`: the value of each side. */
  ours: termsSchema.exactOptional().describe("Values on the branch; only of two-values"),
  theirs: termsSchema.exactOptional().describe("Values on the merged side; only of two-values"),
  /** For `dangling-reference`: the missing object. */
  object: stateTermSchema
    .exactOptional()
    .describe("The term referred to; only of dangling-reference"),
  deleted_by: z.enum(["ours", "theirs"]).exactOptional().describe("The side that deleted it"),
};

/** A conflict between two histories. */
export interface StateConflict extends Message<typeof stateConflictShape> {}

const stateConflictSchema: z.ZodType<StateConflict> = z
  .object(stateConflictShape)
  .meta({ id: "StateConflict", description: "A conflict between two histories" });

const movedShape = {
  /** The commit that the branch points to. */
  commit: z.string().describe("Content id of the commit that the branch is at now"),
  /** Number of quads that the branch gains and loses, with the first of them. */
  added: z.int().describe("How many quads the branch gains"),
  deleted: z.int().describe("How many quads the branch loses"),
  added_quads: quadsSchema.describe("The first of the quads it gains"),
  deleted_quads: quadsSchema.describe("The first of the quads it loses"),
  conflicts: z
    .array(stateConflictSchema)
    .readonly()
    .describe("The conflicts; empty when there are none"),
};

const movedExample = {
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

const stateMergedShape = {
  outcome: z
    .enum(["nothing to merge", "fast-forward", "merged", "conflicts"])
    .describe("Kind of the result"),
  ...movedShape,
};

/** The result of a merge or its preview. */
export interface StateMerged extends Message<typeof stateMergedShape> {}

export const stateMergedSchema: z.ZodType<StateMerged> = z.object(stateMergedShape).meta({
  id: "StateMerged",
  description: "Result of a merge or of its preview",
  examples: [
    {
      outcome: "merged",
      ...movedExample,
    },
  ],
});

const stateRevertedShape = {
  outcome: z.enum(["nothing to revert", "reverted", "conflicts"]).describe("Kind of the result"),
  ...movedShape,
};

/**
 * The result of a revert or its preview. In a conflict, ours is the branch and theirs is the
 * revert.
 */
export interface StateReverted extends Message<typeof stateRevertedShape> {}

export const stateRevertedSchema: z.ZodType<StateReverted> = z.object(stateRevertedShape).meta({
  id: "StateReverted",
  description: "Result of a revert or of its preview",
  examples: [{ outcome: "reverted", ...movedExample }],
});
