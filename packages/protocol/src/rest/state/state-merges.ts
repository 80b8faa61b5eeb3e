import * as z from "zod";
import { branchName, commitName, contentId, message, quadsSchema } from "./state-fields.js";
import {
  type StateAtomicTerm,
  stateAtomicTermSchema,
  type StateQuad,
  type StateTerm,
  stateTermSchema,
} from "./state-terms.js";

/** The body of `POST /api/state/merge`. */
export interface StateMerge {
  /** The branch that moves; `main` unless said otherwise. */
  readonly branch?: string;
  /** What is taken in: a branch, a tag or a content id. */
  readonly from: string;
  readonly message: string;
  /** IRIs of the properties that have one value. */
  readonly single_valued?: readonly string[];
  /** Tells what would be and changes nothing. */
  readonly preview?: boolean;
  /** The content id that the branch must be at; left out: wherever it is. */
  readonly expected?: string;
}

/** The body of `POST /api/state/revert`. */
export interface StateRevert {
  /** The branch that moves; `main` unless said otherwise. */
  readonly branch?: string;
  /** What is undone: a branch, a tag or a content id. */
  readonly commit: string;
  /** Left out: it names the message of the commit that is undone. */
  readonly message?: string;
  /** IRIs of the properties that have one value. */
  readonly single_valued?: readonly string[];
  /** Tells what would be and changes nothing. */
  readonly preview?: boolean;
  /** The content id that the branch must be at; left out: wherever it is. */
  readonly expected?: string;
}

/** Why two histories do not go together. */
export interface StateConflict {
  readonly kind: "two-values" | "deleted-and-changed" | "dangling-reference";
  readonly subject: StateAtomicTerm;
  readonly predicate?: StateAtomicTerm;
  /** Of `two-values`: what either side says. */
  readonly ours?: readonly StateTerm[];
  readonly theirs?: readonly StateTerm[];
  /** Of `dangling-reference`: what is referred to. */
  readonly object?: StateTerm;
  readonly deleted_by?: "ours" | "theirs";
}

/** What a merge came to, or would come to. */
export interface StateMerged extends StateMoved {
  readonly outcome: "nothing to merge" | "fast-forward" | "merged" | "conflicts";
}

/** What a revert came to, or would come to. In a conflict, ours is the branch and theirs is the revert. */
export interface StateReverted extends StateMoved {
  readonly outcome: "nothing to revert" | "reverted" | "conflicts";
}

/** What becomes of a branch. */
interface StateMoved {
  /** Where the branch is. */
  readonly commit: string;
  /** What the branch gains and loses: how many, and the first of them. */
  readonly added: number;
  readonly deleted: number;
  readonly added_quads: readonly StateQuad[];
  readonly deleted_quads: readonly StateQuad[];
  readonly conflicts: readonly StateConflict[];
}

/** Properties that a merge may be told to have one value. */
const SINGLE_VALUED_MAX = 1000;

const choiceShape = {
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

export const stateMergeSchema: z.ZodType<StateMerge> = z
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
  });

export const stateRevertSchema: z.ZodType<StateRevert> = z
  .strictObject({
    branch: branchName.exactOptional().describe("The branch that moves; default: main"),
    commit: commitName.describe("What is undone: a branch, a tag or a content id"),
    message: message
      .exactOptional()
      .describe("What the revert is for; default: it names the commit's own message"),
    ...choiceShape,
  })
  .meta({
    id: "StateRevert",
    description: "What undoes one commit on a branch",
    examples: [{ commit: "main", message: "The price was right before" }],
  });

const termsSchema = z.array(stateTermSchema).readonly();

const stateConflictSchema: z.ZodType<StateConflict> = z
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

const movedShape = {
  commit: z.string().describe("Content id of the commit that the branch is at now"),
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

export const stateMergedSchema: z.ZodType<StateMerged> = z
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

export const stateRevertedSchema: z.ZodType<StateReverted> = z
  .object({
    outcome: z.enum(["nothing to revert", "reverted", "conflicts"]).describe("Kind of the result"),
    ...movedShape,
  })
  .meta({
    id: "StateReverted",
    description: "Result of a revert or of its preview",
    examples: [{ outcome: "reverted", ...movedExample }],
  });
