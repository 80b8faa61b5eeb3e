import * as z from "zod";
import type { Infer } from "../operation.js";
import {
  branchName,
  commitName,
  contentId,
  message,
  STATE_FORMATS,
  termText,
} from "./state-fields.js";

const mode = z
  .enum(["add", "remove", "replace"])
  .exactOptional()
  .describe(
    "What becomes of the dataset: it has the quads too, or no longer, or no others; default: add",
  );

/** The query of `POST /api/state/documents`, whose body is the document itself. */
export const stateDocumentQuerySchema = z.strictObject({
  branch: branchName.exactOptional().describe("The branch that moves; default: main"),
  mode,
  message: message.describe("Purpose of the change"),
  expected: contentId.exactOptional().describe("Content id that the branch must be at"),
});

export type StateDocumentQuery = Infer<typeof stateDocumentQuerySchema>;

/** The query of `GET /api/state/export`. */
export const stateExportQuerySchema = z.strictObject({
  at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  format: z.enum(STATE_FORMATS).exactOptional().describe("Default: n-quads"),
  graph: termText.exactOptional().describe("Only this graph, <iri> or _:label"),
});

export type StateExportQuery = Infer<typeof stateExportQuerySchema>;

/** The body of `POST /api/state/import`. `remove` is only for the mode `add`. */
export const stateImportSchema = z
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
    message: message.describe("Purpose of the change"),
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

export type StateImport = Infer<typeof stateImportSchema>;

export const stateImportedSchema = z
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

export type StateImported = Infer<typeof stateImportedSchema>;
