import * as z from "zod";
import type { Message } from "../envelope.js";
import { commitName, contentId, quadsSchema, STATE_FORMATS, termText } from "./state-fields.js";
import { stateTermSchema } from "./state-terms.js";

/** Maximum number of quads, or changes, in one answer. */
const QUADS_PAGE_MAX = 1000;

/** Maximum offset of a page of quads. */
const OFFSET_MAX = 100_000;

/** Maximum number of commits on one page of the log. */
const LOG_PAGE_MAX = 200;

/** Maximum length of a SPARQL query, in characters. */
const SPARQL_LENGTH_MAX = 64 * 1024;

/** Maximum number of patterns in one query. */
const PATTERNS_MAX = 32;

/** Maximum number of solutions of one query of patterns. */
const SOLUTIONS_MAX = 10_000;

const refName = z
  .string()
  .regex(
    /^(?:heads|tags)\/[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/,
    "must be heads/<branch> or tags/<tag>",
  );

const stateRefShape = {
  /** `heads/<branch>` or `tags/<tag>`. */
  name: z.string().describe("heads/<branch> or tags/<tag>"),
  commit: z.string().describe("Content id of its commit"),
};

/** A branch or a tag, and the content id of its commit. */
export interface StateRef extends Message<typeof stateRefShape> {}

export const stateRefSchema: z.ZodType<StateRef> = z.object(stateRefShape).meta({
  id: "StateRef",
  description: "A branch or a tag",
  examples: [
    { name: "heads/main", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
  ],
});

const moveStateRefShape = {
  name: refName.describe("heads/<branch> or tags/<tag>"),
  /** A branch, a tag or a content id; null deletes the ref. */
  commit: commitName
    .nullable()
    .describe("Content id of the new commit; null deletes the branch or tag"),
  /** The content id that the ref must point to; null: it must not exist. */
  expected: contentId
    .nullable()
    .describe("Content id that the branch or tag must be at; null: it must not exist yet"),
};

/** The body of `POST /api/state/refs`: a compare-and-swap. */
export interface MoveStateRef extends Message<typeof moveStateRefShape> {}

export const moveStateRefSchema: z.ZodType<MoveStateRef> = z.strictObject(moveStateRefShape).meta({
  id: "MoveStateRef",
  description: "The move of a branch or a tag",
  examples: [{ name: "tags/v1", commit: "main", expected: null }],
});

const movedStateRefShape = {
  name: z.string().describe("heads/<branch> or tags/<tag>"),
  commit: z.string().nullable().describe("Content id of its commit; null when it is deleted"),
};

/** The ref after the move. */
export interface MovedStateRef extends Message<typeof movedStateRefShape> {}

export const movedStateRefSchema: z.ZodType<MovedStateRef> = z.object(movedStateRefShape).meta({
  id: "MovedStateRef",
  description: "Where a branch or a tag is after a move",
  examples: [
    { name: "tags/v1", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
  ],
});

const stateCommitShape = {
  /** Content id (CIDv1). */
  commit: z.string().describe("Content id of the commit (CIDv1)"),
  parents: z.array(z.string()).readonly().describe("Content ids of the commits before it"),
  author: z.string().describe("Author of the commit"),
  message: z.string().describe("Purpose of the change"),
  /** RFC 3339. */
  time: z.string().describe("When the commit was made, in UTC"),
  /** The dataset's identity: equal roots are equal sets of quads. */
  root: z.string().describe("Root hash of the dataset; equal datasets have equal roots"),
  /** Number of quads. */
  size: z.int().describe("Number of quads"),
};

export interface StateCommit extends Message<typeof stateCommitShape> {}

export const stateCommitSchema: z.ZodType<StateCommit> = z.object(stateCommitShape).meta({
  id: "StateCommit",
  description: "A commit of a dataset",
  examples: [
    {
      commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      parents: ["bafyreifepiu23okq5zuyvyhsoiazv2icw2van3s7ko6d3ixl5jx2yj2yhu"],
      author: "ada",
      message: "The first order",
      time: "2026-03-01T09:30:00.000Z",
      root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
      size: 1,
    },
  ],
});

const stateDiffShape = {
  /** Null: the ref did not exist. */
  from: z
    .string()
    .nullable()
    .describe("Content id of the first commit; null for the empty dataset"),
  to: z.string().describe("Content id of the second commit"),
  added: quadsSchema.describe("Quads that only the second commit has"),
  deleted: quadsSchema.describe("Quads that only the first commit has"),
  /** Whether there are more changes than are listed. */
  truncated: z.boolean().describe("Whether more changes were left out"),
};

/** The differences between two datasets. */
export interface StateDiff extends Message<typeof stateDiffShape> {}

export const stateDiffSchema: z.ZodType<StateDiff> = z.object(stateDiffShape).meta({
  id: "StateDiff",
  description: "The difference between two datasets",
  examples: [
    {
      from: "bafyreifepiu23okq5zuyvyhsoiazv2icw2van3s7ko6d3ixl5jx2yj2yhu",
      to: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      added: [
        {
          subject: { type: "uri", value: "urn:order:1" },
          predicate: { type: "uri", value: "urn:p:status" },
          object: { type: "literal", value: "open" },
        },
      ],
      deleted: [],
      truncated: false,
    },
  ],
});

const statePageShape = {
  commit: z.string().describe("Content id of the commit"),
  /** Total number of matching quads. */
  count: z.int().describe("Number of quads that match, on all pages"),
  quads: quadsSchema.describe("The quads of this page"),
};

/** Quads of a commit. */
export interface StatePage extends Message<typeof statePageShape> {}

export const statePageSchema: z.ZodType<StatePage> = z.object(statePageShape).meta({
  id: "StatePage",
  description: "Quads of a commit",
  examples: [
    {
      commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      count: 1,
      quads: [
        {
          subject: { type: "uri", value: "urn:order:1" },
          predicate: { type: "uri", value: "urn:p:status" },
          object: { type: "literal", value: "open" },
        },
      ],
    },
  ],
});

const patternShape = {
  subject: termText.exactOptional().describe("<iri> or _:label"),
  predicate: termText.exactOptional().describe("<iri>"),
  object: termText
    .exactOptional()
    .describe(
      '<iri>, _:label, "text", "text"@en, "text"@ar--rtl, "1"^^<iri> or <<( <iri> <iri> "text" )>>',
    ),
  graph: termText.exactOptional().describe("<iri> or _:label"),
};

/** The positions of a pattern: terms in N-Triples syntax, or variables such as `?name`. */
export interface StatePattern extends Message<typeof patternShape> {}

const patternSchema: z.ZodType<StatePattern> = z.strictObject(patternShape);

/** The query of `GET /api/state/log`. */
export const stateLogQuerySchema = z.strictObject({
  from: commitName.exactOptional().describe("Branch, tag or content id to begin at; default: main"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LOG_PAGE_MAX)
    .exactOptional()
    .describe("Commits on a page, 1 to 200; default 50"),
});

/** The query of `GET /api/state/diff`. */
export const stateDiffQuerySchema = z.strictObject({
  from: commitName.exactOptional().describe("Default: the parent of `to`"),
  to: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(QUADS_PAGE_MAX)
    .exactOptional()
    .describe("Changes of each kind at most, 1 to 1000; default 100"),
});

/** The query of `GET /api/state/at`. */
export const stateAtQuerySchema = z.strictObject({
  at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  ...patternShape,
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(QUADS_PAGE_MAX)
    .exactOptional()
    .describe("Quads on a page, 1 to 1000; default 100"),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(OFFSET_MAX)
    .exactOptional()
    .describe("Quads to leave out at the beginning; default 0"),
});

/** The query of `GET /api/state/export`. */
export const stateExportQuerySchema = z.strictObject({
  at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  format: z.enum(STATE_FORMATS).exactOptional().describe("Default: n-quads"),
  graph: termText.exactOptional().describe("Only this graph, <iri> or _:label"),
});

const stateQueryShape = {
  /** Default: `main`. */
  at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
  sparql: z
    .string()
    .max(SPARQL_LENGTH_MAX)
    .exactOptional()
    .describe("SELECT, ASK, CONSTRUCT or DESCRIBE"),
  patterns: z
    .array(patternSchema)
    .min(1)
    .max(PATTERNS_MAX)
    .readonly()
    .exactOptional()
    .describe("Instead of SPARQL: quads with variables such as ?name in them"),
  /** Maximum number of solutions of patterns. */
  limit: z
    .int()
    .min(1)
    .max(SOLUTIONS_MAX)
    .exactOptional()
    .describe("Largest number of solutions of a query by patterns; default 10000"),
};

/** The body of `POST /api/state/query`: either SPARQL or patterns. */
export interface StateQuery extends Message<typeof stateQueryShape> {}

export const stateQuerySchema: z.ZodType<StateQuery> = z.strictObject(stateQueryShape).meta({
  id: "StateQuery",
  description: "A query: either SPARQL or patterns",
  examples: [{ patterns: [{ subject: "?order", predicate: "<urn:p:status>", object: '"open"' }] }],
});

const stateAnswerShape = {
  head: z
    .object({
      vars: z.array(z.string()).readonly().describe("Their names, without the question mark"),
    })
    .exactOptional()
    .describe("The variables; only of SELECT and of patterns"),
  results: z
    .object({
      bindings: z
        .array(z.record(z.string(), stateTermSchema))
        .readonly()
        .describe("A term for each variable that is bound"),
    })
    .exactOptional()
    .describe("The solutions; only of SELECT and of patterns"),
  boolean: z.boolean().exactOptional().describe("The answer; only of ASK"),
  quads: quadsSchema.exactOptional().describe("The quads; only of CONSTRUCT and DESCRIBE"),
};

/** The result of a query; the kind of query determines which members it has. */
export interface StateAnswer extends Message<typeof stateAnswerShape> {}

export const stateAnswerSchema: z.ZodType<StateAnswer> = z.object(stateAnswerShape).meta({
  id: "StateAnswer",
  description: "Answer to a query; its members depend on the kind of query",
  examples: [
    {
      head: { vars: ["order"] },
      results: { bindings: [{ order: { type: "uri", value: "urn:order:1" } }] },
    },
  ],
});
