import * as z from "zod";
import type { Infer } from "../operation.js";

/** The supported RDF formats. */
export const STATE_FORMATS = ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const;

/** One of {@link STATE_FORMATS}. */
export type StateFormat = (typeof STATE_FORMATS)[number];

/** Maximum length of a commit's message, in characters. */
const MESSAGE_LENGTH_MAX = 8 * 1024;

/** Maximum length of a term, in characters. */
const TERM_LENGTH_MAX = 64 * 1024;

/** Maximum number of quads, or changes, in one answer. */
export const STATE_QUADS_PAGE_MAX = 1000;

export const branchName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/, "must be letters, digits and ._/-, 200 at most");

/** A branch, a tag or a content id. */
export const commitName = z.string().min(1).max(256).describe("A branch, a tag or a content id");

/** The content id of a commit. */
export const contentId = z.string().min(1).max(128).describe("Content id of a commit");

/** Message of a commit. */
export const message = z.string().min(1).max(MESSAGE_LENGTH_MAX);

/** A term in N-Triples syntax. */
export const termText = z.string().min(1).max(TERM_LENGTH_MAX);

/** The positions of a pattern: terms in N-Triples syntax, or variables such as `?name`. */
export const patternShape = {
  subject: termText.exactOptional().describe("<iri> or _:label"),
  predicate: termText.exactOptional().describe("<iri>"),
  object: termText
    .exactOptional()
    .describe(
      '<iri>, _:label, "text", "text"@en, "text"@ar--rtl, "1"^^<iri> or <<( <iri> <iri> "text" )>>',
    ),
  graph: termText.exactOptional().describe("<iri> or _:label"),
};

export type StatePattern = Infer<z.ZodObject<typeof patternShape>>;
