import * as z from "zod";
import {
  type StateAtomicTerm,
  stateAtomicTermSchema,
  type StateQuad,
  stateQuadSchema,
  type StateTerm,
  stateTermSchema,
} from "./state-terms.js";

/** The texts that RDF is written in. */
export const STATE_FORMATS = ["n-triples", "n-quads", "turtle", "trig", "json-ld"] as const;

/** One of {@link STATE_FORMATS}. */
export type StateFormat = (typeof STATE_FORMATS)[number];

/** A branch or a tag, and the content id of its commit. */
export interface StateRef {
  /** `heads/<branch>` or `tags/<tag>`. */
  readonly name: string;
  readonly commit: string;
}

/** The body of `POST /api/state/refs`: a compare-and-swap. */
export interface MoveStateRef {
  readonly name: string;
  /** A branch, a tag or a content id; null deletes the ref. */
  readonly commit: string | null;
  /** The content id that the ref must be at; null: it must not exist. */
  readonly expected: string | null;
}

/** What became of the ref. */
export interface MovedStateRef {
  readonly name: string;
  readonly commit: string | null;
}

/** A commit. */
export interface StateCommit {
  /** Content id (CIDv1). */
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly message: string;
  /** RFC 3339. */
  readonly time: string;
  /** The dataset's identity: equal roots are equal sets of quads. */
  readonly root: string;
  /** Number of quads. */
  readonly size: number;
}

/** What two datasets differ by. */
export interface StateDiff {
  /** Null: nothing was there before. */
  readonly from: string | null;
  readonly to: string;
  readonly added: readonly StateQuad[];
  readonly deleted: readonly StateQuad[];
  /** Whether there are more. */
  readonly truncated: boolean;
}

/** Quads of a commit. */
export interface StatePage {
  readonly commit: string;
  /** How many match in all. */
  readonly count: number;
  readonly quads: readonly StateQuad[];
}

/** A pattern's places: terms as N-Triples writes them, or variables such as `?name`. */
export interface StatePattern {
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  readonly graph?: string;
}

/** The body of `POST /api/state/query`: either SPARQL or patterns. */
export interface StateQuery {
  /** `main` unless said otherwise. */
  readonly at?: string;
  readonly sparql?: string;
  readonly patterns?: readonly StatePattern[];
  /** Solutions of patterns at most. */
  readonly limit?: number;
}

/** What a query comes to; which member is there depends on the kind of query. */
export interface StateAnswer {
  readonly head?: { readonly vars: readonly string[] };
  readonly results?: { readonly bindings: readonly Readonly<Record<string, StateTerm>>[] };
  readonly boolean?: boolean;
  readonly quads?: readonly StateQuad[];
}

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

/** That a commit has a quad, or has it not; to be checked with nothing but the commit's id. */
export interface StateProof {
  readonly commit: string;
  readonly quad: StateQuad;
  readonly present: boolean;
  /** The commit's block, in base64. */
  readonly commit_block: string;
  /** The blocks from its root to where the quad is or would be, in base64. */
  readonly nodes: readonly string[];
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

/** Quads, or changes, in one answer. */
const QUADS_PAGE_MAX = 1000;
/** Quads that an answer may leave out at its beginning. */
const OFFSET_MAX = 100_000;
/** Commits on one page of the log. */
const LOG_PAGE_MAX = 200;
/** Characters in the message of a commit. */
const MESSAGE_LENGTH_MAX = 8 * 1024;
/** Characters in a term. */
const TERM_LENGTH_MAX = 64 * 1024;
/** Characters in a SPARQL query. */
const SPARQL_LENGTH_MAX = 64 * 1024;
/** Patterns in one query. */
const PATTERNS_MAX = 32;
/** Solutions of one query of patterns. */
const SOLUTIONS_MAX = 10_000;
/** Properties that a merge may be told to have one value. */
const SINGLE_VALUED_MAX = 1000;

const refName = z
  .string()
  .regex(
    /^(?:heads|tags)\/[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/,
    "must be heads/<branch> or tags/<tag>",
  );
const branchName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/, "must be letters, digits and ._/-, 200 at most");
const commitName = z.string().min(1).max(256).describe("A branch, a tag or a content id");
const contentId = z.string().min(1).max(128).describe("Content id of a commit");
const message = z.string().min(1).max(MESSAGE_LENGTH_MAX);
const termText = z.string().min(1).max(TERM_LENGTH_MAX);

/** Schema of {@link StateRef}. */
export const stateRefSchema: z.ZodType<StateRef> = z
  .object({ name: z.string(), commit: z.string() })
  .meta({ id: "StateRef" });

/** Schema of {@link MoveStateRef}. */
export const moveStateRefSchema: z.ZodType<MoveStateRef> = z
  .object({
    name: refName,
    commit: commitName.nullable().describe("Where it goes; null deletes it"),
    expected: contentId.nullable().describe("Where it must be; null: it must not exist"),
  })
  .meta({ id: "MoveStateRef" });

/** Schema of {@link MovedStateRef}. */
export const movedStateRefSchema: z.ZodType<MovedStateRef> = z
  .object({ name: z.string(), commit: z.string().nullable() })
  .meta({ id: "MovedStateRef" });

/** Schema of {@link StateCommit}. */
export const stateCommitSchema: z.ZodType<StateCommit> = z
  .object({
    commit: z.string().describe("Content id (CIDv1)"),
    parents: z.array(z.string()).readonly(),
    author: z.string(),
    message: z.string(),
    time: z.string(),
    root: z.string().describe("Equal roots are equal datasets"),
    size: z.int().describe("Number of quads"),
  })
  .meta({ id: "StateCommit" });

const quadsSchema = z.array(stateQuadSchema).readonly();

/** Schema of {@link StateDiff}. */
export const stateDiffSchema: z.ZodType<StateDiff> = z
  .object({
    from: z.string().nullable(),
    to: z.string(),
    added: quadsSchema,
    deleted: quadsSchema,
    truncated: z.boolean(),
  })
  .meta({ id: "StateDiff" });

/** Schema of {@link StatePage}. */
export const statePageSchema: z.ZodType<StatePage> = z
  .object({ commit: z.string(), count: z.int(), quads: quadsSchema })
  .meta({ id: "StatePage" });

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

/** The query of `GET /api/state/log`. */
export const stateLogQuerySchema: z.ZodType<{ readonly from?: string; readonly limit?: number }> =
  z.object({
    from: commitName.exactOptional().describe("Where to begin; default main"),
    limit: z.coerce.number().int().min(1).max(LOG_PAGE_MAX).exactOptional(),
  });

/** The query of `GET /api/state/diff`. */
export const stateDiffQuerySchema: z.ZodType<{
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}> = z.object({
  from: commitName.exactOptional().describe("Default: the parent of `to`"),
  to: commitName.exactOptional().describe("Default: main"),
  limit: z.coerce.number().int().min(1).max(QUADS_PAGE_MAX).exactOptional(),
});

/** The query of `GET /api/state/at`. */
export const stateAtQuerySchema: z.ZodType<
  StatePattern & { readonly at?: string; readonly limit?: number; readonly offset?: number }
> = z.object({
  at: commitName.exactOptional().describe("Default: main"),
  ...patternShape,
  limit: z.coerce.number().int().min(1).max(QUADS_PAGE_MAX).exactOptional(),
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX).exactOptional(),
});

/** The query of `GET /api/state/export`. */
export const stateExportQuerySchema: z.ZodType<{
  readonly at?: string;
  readonly format?: StateFormat;
  readonly graph?: string;
}> = z.object({
  at: commitName.exactOptional().describe("Default: main"),
  format: z.enum(STATE_FORMATS).exactOptional().describe("Default: n-quads"),
  graph: termText.exactOptional().describe("Only this graph, <iri> or _:label"),
});

/** The query of `GET /api/state/proof`. */
export const stateProofQuerySchema: z.ZodType<{
  readonly at?: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly graph?: string;
}> = z.object({
  at: commitName.exactOptional().describe("Default: main"),
  subject: termText,
  predicate: termText,
  object: termText,
  graph: termText.exactOptional(),
});

/** Schema of {@link StateQuery}. */
export const stateQuerySchema: z.ZodType<StateQuery> = z
  .object({
    at: commitName.exactOptional().describe("Default: main"),
    sparql: z
      .string()
      .max(SPARQL_LENGTH_MAX)
      .exactOptional()
      .describe("SELECT, ASK, CONSTRUCT or DESCRIBE"),
    patterns: z
      .array(z.object(patternShape))
      .min(1)
      .max(PATTERNS_MAX)
      .readonly()
      .exactOptional()
      .describe("Instead of SPARQL: quads with variables such as ?name in them"),
    limit: z.int().min(1).max(SOLUTIONS_MAX).exactOptional(),
  })
  .meta({ id: "StateQuery" });

/** Schema of {@link StateAnswer}. */
export const stateAnswerSchema: z.ZodType<StateAnswer> = z
  .object({
    head: z.object({ vars: z.array(z.string()).readonly() }).exactOptional(),
    results: z
      .object({ bindings: z.array(z.record(z.string(), stateTermSchema)).readonly() })
      .exactOptional(),
    boolean: z.boolean().exactOptional(),
    quads: quadsSchema.exactOptional(),
  })
  .meta({ id: "StateAnswer" });

/** Schema of {@link StateImport}. */
export const stateImportSchema: z.ZodType<StateImport> = z
  .object({
    branch: branchName.exactOptional().describe("Default: main"),
    format: z.enum(STATE_FORMATS),
    content: z.string(),
    mode: z.enum(["add", "remove", "replace"]).exactOptional().describe("Default: add"),
    message,
    expected: contentId.nullable().exactOptional().describe("Where the branch must be"),
  })
  .meta({
    id: "StateImport",
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
  .object({ commit: z.string(), size: z.int(), added: z.int(), deleted: z.int() })
  .meta({ id: "StateImported" });

/** Schema of {@link StateMerge}. */
export const stateMergeSchema: z.ZodType<StateMerge> = z
  .object({
    branch: branchName.exactOptional().describe("Default: main"),
    from: commitName,
    message,
    single_valued: z.array(z.string().max(2048)).max(SINGLE_VALUED_MAX).readonly().exactOptional(),
    preview: z.boolean().exactOptional(),
  })
  .meta({ id: "StateMerge" });

const termsSchema = z.array(stateTermSchema).readonly();

const stateConflictSchema: z.ZodType<StateConflict> = z
  .object({
    kind: z.enum(["two-values", "deleted-and-changed", "dangling-reference"]),
    subject: stateAtomicTermSchema,
    predicate: stateAtomicTermSchema.exactOptional(),
    ours: termsSchema.exactOptional(),
    theirs: termsSchema.exactOptional(),
    object: stateTermSchema.exactOptional(),
    deleted_by: z.enum(["ours", "theirs"]).exactOptional(),
  })
  .meta({ id: "StateConflict" });

/** Schema of {@link StateMerged}. */
export const stateMergedSchema: z.ZodType<StateMerged> = z
  .object({
    outcome: z.enum(["nothing to merge", "fast-forward", "merged", "conflicts"]),
    commit: z.string(),
    added: z.int(),
    deleted: z.int(),
    added_quads: quadsSchema,
    deleted_quads: quadsSchema,
    conflicts: z.array(stateConflictSchema).readonly(),
  })
  .meta({ id: "StateMerged" });

/** Schema of {@link StateProof}. */
export const stateProofSchema: z.ZodType<StateProof> = z
  .object({
    commit: z.string(),
    quad: stateQuadSchema,
    present: z.boolean(),
    commit_block: z.string(),
    nodes: z.array(z.string()).readonly(),
  })
  .meta({ id: "StateProof" });

/** Schema of {@link StateFault}. */
export const stateFaultSchema: z.ZodType<StateFault> = z
  .object({ ref: z.string(), block: z.string(), reason: z.string() })
  .meta({ id: "StateFault" });

/** Schema of {@link StateCollection}. */
export const stateCollectionSchema: z.ZodType<StateCollection> = z
  .object({ kept: z.int(), deleted: z.int() })
  .meta({ id: "StateCollection" });
