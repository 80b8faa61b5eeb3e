import * as z from "zod";
import { type StateQuad, stateQuadSchema } from "./state-terms.js";

/** The texts that RDF is written in. */
export const STATE_FORMATS = ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const;

/** One of {@link STATE_FORMATS}. */
export type StateFormat = (typeof STATE_FORMATS)[number];

/** Characters in the message of a commit. */
const MESSAGE_LENGTH_MAX = 8 * 1024;

/** Characters in a term. */
const TERM_LENGTH_MAX = 64 * 1024;

/** Name of a branch. */
export const branchName: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/, "must be letters, digits and ._/-, 200 at most");

/** What names a commit. */
export const commitName: z.ZodString = z
  .string()
  .min(1)
  .max(256)
  .describe("A branch, a tag or a content id");

/** What a commit is known by. */
export const contentId: z.ZodString = z.string().min(1).max(128).describe("Content id of a commit");

/** Message of a commit. */
export const message: z.ZodString = z.string().min(1).max(MESSAGE_LENGTH_MAX);

/** A term as N-Triples writes it. */
export const termText: z.ZodString = z.string().min(1).max(TERM_LENGTH_MAX);

/** Quads of an answer. */
export const quadsSchema: z.ZodType<readonly StateQuad[]> = z.array(stateQuadSchema).readonly();
