import * as z from "zod";

/** A term as the SPARQL 1.2 Query Results JSON Format has it. */
export type StateTerm = StateAtomicTerm | StateTripleTerm;

/** An IRI, a blank node or a literal. */
export interface StateAtomicTerm {
  readonly type: "uri" | "bnode" | "literal";
  readonly value: string;
  readonly "xml:lang"?: string;
  /** The base direction of text with a language. */
  readonly "its:dir"?: "ltr" | "rtl";
  readonly datatype?: string;
}

/** A triple as a term, so that something can be said about it. */
export interface StateTripleTerm {
  readonly type: "triple";
  readonly value: {
    readonly subject: StateAtomicTerm;
    readonly predicate: StateAtomicTerm;
    readonly object: StateTerm;
  };
}

/** A quad; without a graph it is in the default graph. */
export interface StateQuad {
  readonly subject: StateAtomicTerm;
  readonly predicate: StateAtomicTerm;
  readonly object: StateTerm;
  readonly graph?: StateAtomicTerm;
}

/** Schema of {@link StateAtomicTerm}. */
export const stateAtomicTermSchema: z.ZodType<StateAtomicTerm> = z
  .object({
    type: z.enum(["uri", "bnode", "literal"]),
    value: z.string(),
    "xml:lang": z.string().exactOptional(),
    "its:dir": z.enum(["ltr", "rtl"]).exactOptional(),
    datatype: z.string().exactOptional(),
  })
  .meta({ id: "StateAtomicTerm" });

const stateTripleTermSchema: z.ZodType<StateTripleTerm> = z
  .object({
    type: z.literal("triple"),
    value: z.object({
      subject: stateAtomicTermSchema,
      predicate: stateAtomicTermSchema,
      // A triple term can be the object of another one.
      object: z.lazy(() => stateTermSchema),
    }),
  })
  .meta({ id: "StateTripleTerm" });

/** Schema of {@link StateTerm}. */
export const stateTermSchema: z.ZodType<StateTerm> = z
  .union([stateAtomicTermSchema, stateTripleTermSchema])
  .meta({ id: "StateTerm" });

/** Schema of {@link StateQuad}. */
export const stateQuadSchema: z.ZodType<StateQuad> = z
  .object({
    subject: stateAtomicTermSchema,
    predicate: stateAtomicTermSchema,
    object: stateTermSchema,
    graph: stateAtomicTermSchema.exactOptional(),
  })
  .meta({ id: "StateQuad" });
