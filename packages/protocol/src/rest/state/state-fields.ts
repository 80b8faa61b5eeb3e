import * as z from "zod";
import { type StateQuad, stateQuadSchema } from "./state-terms.js";

/** The supported RDF formats. */
export const STATE_FORMATS = ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const;

/** One of {@link STATE_FORMATS}. */
export type StateFormat = (typeof STATE_FORMATS)[number];

/** Maximum length of a commit's message, in characters. */
const MESSAGE_LENGTH_MAX = 8 * 1024;

/** Maximum length of a term, in characters. */
const TERM_LENGTH_MAX = 64 * 1024;

export const branchName: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/, "must be letters, digits and ._/-, 200 at most");

/** A branch, a tag or a content id. */
export const commitName: z.ZodString = z
  .string()
  .min(1)
  .max(256)
  .describe("A branch, a tag or a content id");

/** The content id of a commit. */
export const contentId: z.ZodString = z.string().min(1).max(128).describe("Content id of a commit");

/** Message of a commit. */
export const message: z.ZodString = z.string().min(1).max(MESSAGE_LENGTH_MAX);

/** A term in N-Triples syntax. */
export const termText: z.ZodString = z.string().min(1).max(TERM_LENGTH_MAX);

/** Quads of an answer. */
export const quadsSchema: z.ZodType<readonly StateQuad[]> = z.array(stateQuadSchema).readonly();
