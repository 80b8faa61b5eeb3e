import * as z from "zod";
import { operation, type Infer } from "../operation.js";
import { commitName, patternShape } from "./state-fields.js";
import { quadsSchema, stateTermSchema } from "./state-terms.js";

/** Maximum length of a SPARQL query, in characters. */
const SPARQL_LENGTH_MAX = 64 * 1024;

/** Maximum number of patterns in one query. */
const PATTERNS_MAX = 32;

/** Maximum number of solutions of one query of patterns. */
const SOLUTIONS_MAX = 10_000;

/** The kind of query determines which members its answer has. */
const answer = z
  .object({
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
  })
  .meta({
    id: "StateAnswer",
    description: "Answer to a query; its members depend on the kind of query",
    examples: [
      {
        head: { vars: ["order"] },
        results: { bindings: [{ order: { type: "uri", value: "urn:order:1" } }] },
      },
    ],
  });

export type StateAnswer = Infer<typeof answer>;

export const queryState = operation({
  name: "queryState",
  action: "state:read",
  resolves: { at: { names: "commit", idIn: "at", default: "main" } },
  summary: "Query a commit by SPARQL or by patterns",
  description:
    "SPARQL 1.1 SELECT, ASK, CONSTRUCT and DESCRIBE, with triple terms and base directions as in SPARQL 1.2, over " +
    "datasets of any size, as long as the query's patterns do not match too many quads; terms are " +
    "returned exactly as they are stored. Solutions have the shape of the SPARQL 1.2 Query Results JSON Format.",
  tag: "State",
  input: z
    .strictObject({
      at: commitName.exactOptional().describe("A branch, a tag or a content id; default: main"),
      sparql: z
        .string()
        .max(SPARQL_LENGTH_MAX)
        .exactOptional()
        .describe("SELECT, ASK, CONSTRUCT or DESCRIBE"),
      patterns: z
        .array(z.strictObject(patternShape))
        .min(1)
        .max(PATTERNS_MAX)
        .readonly()
        .exactOptional()
        .describe("Instead of SPARQL: quads with variables such as ?name in them"),
      limit: z
        .int()
        .min(1)
        .max(SOLUTIONS_MAX)
        .exactOptional()
        .describe("Largest number of solutions of a query by patterns; default 10000"),
    })
    .meta({
      id: "StateQuery",
      description: "A query: either SPARQL or patterns",
      examples: [
        { patterns: [{ subject: "?order", predicate: "<urn:p:status>", object: '"open"' }] },
      ],
    }),
  output: answer,
  errors: [404, 413, 501, 504],
  rest: { method: "POST", path: "/api/state/query", answered: "The answer" },
  retry: true,
});
