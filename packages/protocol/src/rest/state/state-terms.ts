import * as z from "zod";
import type { Message } from "../envelope.js";

/** A term in the SPARQL 1.2 Query Results JSON Format. */
export type StateTerm = StateAtomicTerm | StateTripleTerm;

const stateAtomicTermShape = {
  type: z.enum(["uri", "bnode", "literal"]).describe("Kind of the term"),
  value: z.string().describe("The IRI, the label of the blank node, or the text of the literal"),
  "xml:lang": z.string().exactOptional().describe("Language of a literal"),
  /** The base direction of text with a language. */
  "its:dir": z
    .enum(["ltr", "rtl"])
    .exactOptional()
    .describe("Base direction of a text with a language"),
  datatype: z.string().exactOptional().describe("IRI of the datatype of a literal"),
};

/** An IRI, a blank node or a literal. */
export interface StateAtomicTerm extends Message<typeof stateAtomicTermShape> {}

export const stateAtomicTermSchema: z.ZodType<StateAtomicTerm> = z
  .object(stateAtomicTermShape)
  .meta({ id: "StateAtomicTerm", description: "An IRI, a blank node or a literal" });

const stateTripleTermShape = {
  type: z.literal("triple").describe("Always triple"),
  value: z
    .object({
      subject: stateAtomicTermSchema.describe("Subject of the statement"),
      predicate: stateAtomicTermSchema.describe("The property"),
      // A triple term can be the object of another one.
      object: z.lazy(() => stateTermSchema).describe("Its value"),
    })
    .describe("The triple"),
};

/** A triple as a term, so that other triples can describe it. */
export interface StateTripleTerm extends Message<typeof stateTripleTermShape> {}

const stateTripleTermSchema: z.ZodType<StateTripleTerm> = z.object(stateTripleTermShape).meta({
  id: "StateTripleTerm",
  description: "A triple used as a term",
});

export const stateTermSchema: z.ZodType<StateTerm> = z
  .union([stateAtomicTermSchema, stateTripleTermSchema])
  .meta({
    id: "StateTerm",
    description: "A term as the SPARQL 1.2 Query Results JSON Format has it",
  });

const stateQuadShape = {
  subject: stateAtomicTermSchema.describe("Subject of the statement"),
  predicate: stateAtomicTermSchema.describe("The property"),
  object: stateTermSchema.describe("Its value"),
  graph: stateAtomicTermSchema
    .exactOptional()
    .describe("Graph of the quad; absent for the default graph"),
};

/** A quad; without a graph it belongs to the default graph. */
export interface StateQuad extends Message<typeof stateQuadShape> {}

export const stateQuadSchema: z.ZodType<StateQuad> = z.object(stateQuadShape).meta({
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
