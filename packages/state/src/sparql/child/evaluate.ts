import { AppError } from "@steward/kernel/errors.js";
import { jsonQuad, type QuadLike } from "../../index.js";
import type { JsonTerm, QueryAnswer } from "../../ports.js";
import { asWritten } from "../rewrite/stored-form.js";
import type { OxigraphStore } from "./oxigraph.js";
import { engineRefusal } from "./parse-query.js";

/** The SPARQL 1.2 Query Results JSON Format. */
interface JsonResults {
  readonly head: { readonly vars?: readonly string[] };
  readonly boolean?: boolean;
  readonly results?: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] };
}

/**
 * Evaluates a query in the engine; the result has the engine's private terms.
 * @param answerBytesMax limit of the result's JSON.
 * @throws AppError `INVALID_ARGUMENT` for a query that the engine refuses; `LIMIT_EXCEEDED`.
 */
export function evaluate(
  store: OxigraphStore,
  sparql: string,
  answerBytesMax: number,
): QueryAnswer {
  const found = run(store, sparql);
  if (typeof found !== "string") {
    const quads = (found as readonly QuadLike[]).map(jsonQuad);
    refuseLong(JSON.stringify(quads), answerBytesMax);
    return { kind: "quads", quads };
  }
  refuseLong(found, answerBytesMax);
  const { boolean, head, results } = JSON.parse(found) as JsonResults;
  if (boolean !== undefined) return { kind: "boolean", value: boolean };
  return { kind: "solutions", variables: head.vars ?? [], rows: results?.bindings ?? [] };
}

/** Replaces the engine's private terms in a result by the dataset's terms. */
export function inWrittenTerms(answer: QueryAnswer): QueryAnswer {
  switch (answer.kind) {
    case "boolean":
      return answer;
    case "solutions":
      return { ...answer, rows: answer.rows.map((row) => mapTerms(row)) };
    case "quads":
      return {
        ...answer,
        quads: answer.quads.map((quad) => ({ ...quad, object: asWritten(quad.object) })),
      };
  }
}

function mapTerms(row: Readonly<Record<string, JsonTerm>>): Readonly<Record<string, JsonTerm>> {
  return Object.fromEntries(Object.entries(row).map(([name, term]) => [name, asWritten(term)]));
}

/**
 * Returns solutions and booleans as JSON text. Quads are returned as objects, because the JSON format of SPARQL
 * results has none for quads.
 */
function run(store: OxigraphStore, sparql: string): unknown {
  try {
    return store.query(sparql, { results_format: "application/sparql-results+json" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/^Not supported RDF format/.test(message)) throw engineRefusal(error);
  }
  try {
    return store.query(sparql);
  } catch (error) {
    throw engineRefusal(error);
  }
}

function refuseLong(text: string, bytesMax: number): void {
  if (Buffer.byteLength(text) <= bytesMax) return;
  throw new AppError(
    "LIMIT_EXCEEDED",
    `The answer has more than ${bytesMax} bytes: reduce it with LIMIT`,
  );
}
