import * as z from "zod";
import {
  branchName,
  commitName,
  contentId,
  message,
  quadsSchema,
  STATE_FORMATS,
  type StateFormat,
} from "./state-fields.js";
import {
  type StateAtomicTerm,
  stateAtomicTermSchema,
  type StateQuad,
  type StateTerm,
  stateTermSchema,
} from "./state-terms.js";

/** The body of `POST /api/state/import`. */
export interface StateImport {
  /** `main` unless said otherwise. */
  readonly branch?: string;
  readonly format: StateFormat;
  readonly content: string;
  /** `add` unless said otherwise. */
  readonly mode?: "add" | "remove" | "replace";
  readonly message: string;
  /** The content id that the branch must be at; null: it must not exist; left out: wherever it is. */
  readonly expected?: string | null;
}

/** What an import came to. */
export interface StateImported {
  readonly commit: string;
  readonly size: number;
  readonly added: number;
  readonly deleted: number;
}

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
export interface StateMerged {
  readonly outcome: "nothing to merge" | "fast-forward" | "merged" | "conflicts";
  /** Where the branch is. */
  readonly commit: string;
  /** What the branch gains and loses: how many, and the first of them. */
  readonly added: number;
  readonly deleted: number;
  readonly added_quads: readonly StateQuad[];
  readonly deleted_quads: readonly StateQuad[];
  readonly conflicts: readonly StateConflict[];
}

/** Something that is not as it should be. */
export interface StateFault {
  readonly ref: string;
  /** Hash of the block concerned. */
  readonly block: string;
  readonly reason: string;
}

/** What a collection of garbage found. */
export interface StateCollection {
  readonly kept: number;
  readonly deleted: number;
}

/** Properties that a merge may be told to have one value. */
const SINGLE_VALUED_MAX = 1000;

/** Schema of {@link StateImport}. */
export const stateImportSchema: z.ZodType<StateImport> = z
  .object({
    branch: branchName.exactOptional().describe("A branch, a tag or a content id; default: main"),
    format: z.enum(STATE_FORMATS).describe("Format of the document"),
    content: z.string().describe("Text of the document"),
    mode: z.enum(["add", "remove", "replace"]).exactOptional().describe("Default: add"),
    message: message.describe("What the change is for"),
    expected: contentId
      .nullable()
      .exactOptional()
      .describe("Content id that the branch must be at; null: it must not exist yet"),
  })
  .meta({
    id: "StateImport",
    description: "An RDF document to import",
    examples: [
      {
        format: "turtle",
        content: "<urn:order:1> <urn:p:status> 'open' .",
        message: "The first order",
      },
    ],
  });

/** Schema of {@link StateImported}. */
export const stateImportedSchema: z.ZodType<StateImported> = z
  .object({
    commit: z.string().describe("Content id of the commit that the branch is at now"),
    size: z.int().describe("Number of quads in the dataset"),
    added: z.int().describe("Number of quads that are new"),
    deleted: z.int().describe("Number of quads that were removed"),
  })
  .meta({
    id: "StateImported",
    description: "Result of an import",
    examples: [
      {
        commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
        size: 1,
        added: 1,
        deleted: 0,
      },
    ],
  });

/** Schema of {@link StateMerge}. */
export const stateMergeSchema: z.ZodType<StateMerge> = z
  .object({
    branch: branchName.exactOptional().describe("A branch, a tag or a content id; default: main"),
    from: commitName,
    message: message.describe("What the merge is for"),
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
  })
  .meta({
    id: "StateMerge",
    description: "A merge of a commit into a branch",
    examples: [{ from: "draft", message: "The draft is approved" }],
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

/** Schema of {@link StateMerged}. */
export const stateMergedSchema: z.ZodType<StateMerged> = z
  .object({
    outcome: z
      .enum(["nothing to merge", "fast-forward", "merged", "conflicts"])
      .describe("Kind of the result"),
    commit: z.string().describe("Content id of the commit that the branch is at now"),
    added: z.int().describe("How many quads the branch gains"),
    deleted: z.int().describe("How many quads the branch loses"),
    added_quads: quadsSchema.describe("The first of the quads it gains"),
    deleted_quads: quadsSchema.describe("The first of the quads it loses"),
    conflicts: z
      .array(stateConflictSchema)
      .readonly()
      .describe("The conflicts; empty when there are none"),
  })
  .meta({
    id: "StateMerged",
    description: "Result of a merge or of its preview",
    examples: [
      {
        outcome: "merged",
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
      },
    ],
  });

/** Schema of {@link StateFault}. */
export const stateFaultSchema: z.ZodType<StateFault> = z
  .object({
    ref: z.string().describe("The branch or tag that leads to it"),
    block: z.string().describe("Hash of the block concerned"),
    reason: z.string().describe("What is wrong with it"),
  })
  .meta({
    id: "StateFault",
    description: "A damaged or missing block",
    examples: [
      {
        ref: "heads/main",
        block: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        reason: "missing",
      },
    ],
  });

/** Schema of {@link StateCollection}. */
export const stateCollectionSchema: z.ZodType<StateCollection> = z
  .object({
    kept: z.int().describe("Number of blocks kept"),
    deleted: z.int().describe("Number of blocks deleted"),
  })
  .meta({
    id: "StateCollection",
    description: "Result of a garbage collection",
    examples: [{ kept: 120, deleted: 7 }],
  });
