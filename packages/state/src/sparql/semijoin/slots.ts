import type { TermLike } from "../../index.js";

/** A position in a quad; for a part of a triple term, the path to it. */
export type Place = readonly ("subject" | "predicate" | "object" | "graph")[];

/** The name of a variable. A blank node in a query is an anonymous variable (SPARQL 1.1 §4.1.4). */
export function variableName({ termType, value }: TermLike): string | undefined {
  if (termType === "Variable") return value;
  return termType === "BlankNode" ? `_:${value}` : undefined;
}

/** Whether a term is a variable, or a triple term with one in it. */
export function isOpen(term: TermLike): boolean {
  if (term.termType !== "Quad") return variableName(term) !== undefined;
  return partsOf(term).some(([, part]) => isOpen(part));
}

/** The terms of a triple term, by their places. */
export function partsOf({ subject, predicate, object }: TermLike): readonly [Place, TermLike][] {
  const parts = Object.entries({ subject, predicate, object });
  return parts.flatMap(([place, term]) =>
    // The keys are the names of the object above.
    term === undefined ? [] : [[[place] as unknown as Place, term]],
  );
}

/** The term at a position; undefined where no triple term contains it. */
export function termAt(quad: Partial<TermLike>, place: Place): TermLike | undefined {
  return place.reduce<Partial<TermLike> | undefined>((term, part) => term?.[part], quad) as
    TermLike | undefined;
}
