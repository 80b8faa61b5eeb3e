import * as z from "zod";
import { branchName, contentId, message, STATE_FORMATS, type StateFormat } from "./state-fields.js";

/** The body of `POST /api/state/import`. */
export interface StateImport {
  /** `main` unless said otherwise. */
  readonly branch?: string;
  readonly format: StateFormat;
  readonly content: string;
  /**
   * A document of the same format: its quads are taken out in the same commit, before those of the content are added.
   * Only where the mode is `add`.
   */
  readonly remove?: string;
  /** `add` unless said otherwise. */
  readonly mode?: "add" | "remove" | "replace";
  readonly message: string;
  /** The content id that the branch must be at; null: it must not exist; left out: wherever it is. */
  readonly expected?: string | null;
}

/** The query of `POST /api/state/documents`, whose body is the document itself. */
export type StateDocumentQuery = Pick<StateImport, "branch" | "mode" | "message"> & {
  /** The content id that the branch must be at; left out: wherever it is. */
  readonly expected?: string;
};

/** What an import came to. */
export interface StateImported {
  readonly commit: string;
  readonly size: number;
  readonly added: number;
  readonly deleted: number;
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

const mode = z
  .enum(["add", "remove", "replace"])
  .exactOptional()
  .describe(
    "What becomes of the dataset: it has the quads too, or no longer, or no others; default: add",
  );

export const stateDocumentQuerySchema: z.ZodType<StateDocumentQuery> = z.strictObject({
  branch: branchName.exactOptional().describe("The branch that moves; default: main"),
  mode,
  message: message.describe("What the change is for"),
  expected: contentId.exactOptional().describe("Content id that the branch must be at"),
});

export const stateImportSchema: z.ZodType<StateImport> = z
  .strictObject({
    branch: branchName.exactOptional().describe("The branch that moves; default: main"),
    format: z.enum(STATE_FORMATS).describe("Format of the document"),
    content: z.string().describe("Text of the document"),
    remove: z
      .string()
      .exactOptional()
      .describe(
        "A document of the same format: its quads are taken out before those of the content are added; only with add",
      ),
    mode,
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
