import * as z from "zod";
import type { Infer } from "../operation.js";

/** A term in the SPARQL 1.2 Query Results JSON Format. */
export type StateTerm = StateAtomicTerm | StateTripleTerm;

/** An IRI, a blank node or a literal. */
export const stateAtomicTermSchema = z
  .object({
    type: z.enum(["uri", "bnode", "literal"]).describe("Kind of the term"),
    value: z.string().describe("The IRI, the label of the blank node, or the text of the literal"),
    "xml:lang": z.string().exactOptional().describe("Language of a literal"),
    /** The base direction of text with a language. */
    "its:dir": z
      .enum(["ltr", "rtl"])
      .exactOptional()
      .describe("Base direction of a text with a language"),
    datatype: z.string().exactOptional().describe("IRI of the datatype of a literal"),
  })
  .meta({ id: "StateAtomicTerm", description: "An IRI, a blank node or a literal" });

export type StateAtomicTerm = Infer<typeof stateAtomicTermSchema>;

/** A triple as a term, so that other triples can describe it. */
export interface StateTripleTerm {
  readonly type: "triple";
  readonly value: {
    readonly subject: StateAtomicTerm;
    readonly predicate: StateAtomicTerm;
    readonly object: StateTerm;
  };
}

const stateTripleTermSchema: z.ZodType<StateTripleTerm> = z
  .object({
    type: z.literal("triple").describe("Always triple"),
    value: z
      .object({
        subject: stateAtomicTermSchema.describe("Subject of the statement"),
        predicate: stateAtomicTermSchema.describe("The property"),
        // A triple term can be the object of another one.
        object: z.lazy(() => stateTermSchema).describe("Its value"),
      })
      .describe("The triple"),
  })
  .meta({
    id: "StateTripleTerm",
    description: "A triple used as a term",
  });

export const stateTermSchema: z.ZodType<StateTerm> = z
  .union([stateAtomicTermSchema, stateTripleTermSchema])
  .meta({
    id: "StateTerm",
    description: "A term as the SPARQL 1.2 Query Results JSON Format has it",
  });

/** A quad; without a graph it belongs to the default graph. */
export const stateQuadSchema = z
  .object({
    subject: stateAtomicTermSchema.describe("Subject of the statement"),
    predicate: stateAtomicTermSchema.describe("The property"),
    object: stateTermSchema.describe("Its value"),
    graph: stateAtomicTermSchema
      .exactOptional()
      .describe("Graph of the quad; absent for the default graph"),
  })
  .meta({
    id: "StateQuad",
    description: "A quad",
    examples: [
      {
        subject: { type: "uri", value: "urn:order:1" },
        predicate: { type: "uri", value: "urn:p:status" },
        object: { type: "literal", value: "open" },
      },
    ],
  });

export type StateQuad = Infer<typeof stateQuadSchema>;

/** Quads of an answer. */
export const quadsSchema = z.array(stateQuadSchema).readonly();
