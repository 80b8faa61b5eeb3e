import * as z from "zod";
import type { Message } from "../envelope.js";
import { branchName, contentId, message, STATE_FORMATS } from "./state-fields.js";

const mode = z
  .enum(["add", "remove", "replace"])
  .exactOptional()
  .describe(
    "What becomes of the dataset: it has the quads too, or no longer, or no others; default: add",
  );

const stateDocumentQueryShape = {
  /** Default: `main`. */
  branch: branchName.exactOptional().describe("The branch that moves; default: main"),
  /** Default: `add`. */
  mode,
  message: message.describe("Purpose of the change"),
  /** The content id that the branch must point to; absent: any. */
  expected: contentId.exactOptional().describe("Content id that the branch must be at"),
};

/** The query of `POST /api/state/documents`, whose body is the document itself. */
export interface StateDocumentQuery extends Message<typeof stateDocumentQueryShape> {}

export const stateDocumentQuerySchema: z.ZodType<StateDocumentQuery> =
  z.strictObject(stateDocumentQueryShape);

const stateImportShape = {
  /** Default: `main`. */
  branch: branchName.exactOptional().describe("The branch that moves; default: main"),
  format: z.enum(STATE_FORMATS).describe("Format of the document"),
  content: z.string().describe("Text of the document"),
  /**
   * A document of the same format: the same commit removes its quads before it adds those of the
   * content. Only with the mode `add`.
   */
  remove: z
    .string()
    .exactOptional()
    .describe(
      "A document of the same format: its quads are taken out before those of the content are added; only with add",
    ),
  /** Default: `add`. */
  mode,
  message: message.describe("Purpose of the change"),
  /** The content id that the branch must point to; null: it must not exist; absent: any. */
  expected: contentId
    .nullable()
    .exactOptional()
    .describe("Content id that the branch must be at; null: it must not exist yet"),
};

/** The body of `POST /api/state/import`. */
export interface StateImport extends Message<typeof stateImportShape> {}

export const stateImportSchema: z.ZodType<StateImport> = z.strictObject(stateImportShape).meta({
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

const stateImportedShape = {
  commit: z.string().describe("Content id of the commit that the branch is at now"),
  size: z.int().describe("Number of quads in the dataset"),
  added: z.int().describe("Number of quads that are new"),
  deleted: z.int().describe("Number of quads that were removed"),
};

/** The result of an import. */
export interface StateImported extends Message<typeof stateImportedShape> {}

export const stateImportedSchema: z.ZodType<StateImported> = z.object(stateImportedShape).meta({
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

const stateFaultShape = {
  ref: z.string().describe("The branch or tag that leads to it"),
  /** Hash of the block. */
  block: z.string().describe("Hash of the block concerned"),
  reason: z.string().describe("What is wrong with it"),
};

/** A damaged or missing block. */
export interface StateFault extends Message<typeof stateFaultShape> {}

export const stateFaultSchema: z.ZodType<StateFault> = z.object(stateFaultShape).meta({
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

const stateCollectionShape = {
  kept: z.int().describe("Number of blocks kept"),
  deleted: z.int().describe("Number of blocks deleted"),
};

/** The result of a garbage collection. */
export interface StateCollection extends Message<typeof stateCollectionShape> {}

export const stateCollectionSchema: z.ZodType<StateCollection> = z
  .object(stateCollectionShape)
  .meta({
    id: "StateCollection",
    description: "Result of a garbage collection",
    examples: [{ kept: 120, deleted: 7 }],
  });
