import { AppError } from "@steward/kernel/errors.js";
import { DEFAULT_GRAPH, type QuadLike, type TermLike } from "./term.js";

/**
 * Refuses a term in a position that RDF does not allow (RDF 1.2 Concepts §3.1, §4).
 * @param whole the kind of statement, for the error.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function refuseMisplaced(
  { subject, predicate, object, graph }: QuadLike,
  whole: "quad" | "triple term" = "quad",
): void {
  const wrong = !isNode(subject)
    ? "subject"
    : predicate.termType !== "NamedNode"
      ? "predicate"
      : !isNode(object) && object.termType !== "Literal" && object.termType !== "Quad"
        ? "object"
        : !isNode(graph) && graph.termType !== "DefaultGraph"
          ? "graph"
          : undefined;
  if (wrong === undefined) return;
  const { termType } = { subject, predicate, object, graph }[wrong];
  const misplaced = termType === "Quad" ? "triple term" : termType;
  throw new AppError("INVALID_ARGUMENT", `A ${misplaced} cannot be the ${wrong} of a ${whole}`);
}

function isNode({ termType }: TermLike): boolean {
  return termType === "NamedNode" || termType === "BlankNode";
}

/**
 * The three terms of a triple term.
 * @throws AppError `INVALID_ARGUMENT` when a term is missing, or there is a graph.
 */
export function statementOf({ subject, predicate, object, graph }: TermLike): QuadLike {
  if (subject === undefined || predicate === undefined || object === undefined) {
    throw new AppError("INVALID_ARGUMENT", "A triple term must have three terms");
  }
  if (graph !== undefined && graph.termType !== "DefaultGraph") {
    throw new AppError("INVALID_ARGUMENT", "A triple term cannot stand in a named graph");
  }
  return { subject, predicate, object, graph: DEFAULT_GRAPH };
}
