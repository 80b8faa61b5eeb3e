import type { Position } from "../terms/quad-key.js";
import type { Pattern, Snapshot } from "./snapshot.js";
import type { Quad, Term, TermLike } from "../terms/term.js";

/** A variable of a query. All occurrences of a variable stand for the same term. */
export interface Variable {
  readonly termType: "Variable";
  readonly value: string;
}

export function variable(name: string): Variable {
  return { termType: "Variable", value: name };
}

/** A quad pattern. An omitted position matches any term. */
export type QuadPattern = Readonly<Partial<Record<Position, TermLike | Variable>>>;

/** The terms bound to the variables of a solution. */
export type Bindings = ReadonlyMap<string, Term>;

const POSITIONS = ["subject", "predicate", "object", "graph"] as const;

/** The solutions, without the pauses of {@link solving}. */
export function* solve(snapshot: Snapshot, patterns: readonly QuadPattern[]): Generator<Bindings> {
  for (const row of solving(snapshot, patterns)) if (row !== undefined) yield row;
}

/**
 * Evaluates a basic graph pattern (SPARQL 1.1 §18.3). The generator yields solutions, and undefined
 * as a pause for each examined quad that leads to none. The pattern with the fewest matching quads
 * is evaluated first; then always the one with the fewest matches under the bindings so far. The
 * trees give an upper bound of the number of matches, so no statistics are stored.
 * @param examined called for every examined quad; an error that it throws ends the search.
 */
export function solving(
  snapshot: Snapshot,
  patterns: readonly QuadPattern[],
  examined: () => void = () => undefined,
): Generator<Bindings | undefined> {
  return solveFrom(new Plan(snapshot, patterns, examined), 0, new Map());
}

function* solveFrom(
  plan: Plan,
  depth: number,
  bindings: Bindings,
): Generator<Bindings | undefined> {
  const pattern = plan.at(depth, bindings);
  if (pattern === undefined) {
    yield bindings;
    return;
  }
  for (const quad of plan.snapshot.scan(substitute(pattern, bindings), plan.examined)) {
    const next = quad && bind(pattern, quad, bindings);
    if (next === undefined) yield undefined;
    else yield* solveFrom(plan, depth + 1, next);
  }
}

/**
 * The order in which patterns are evaluated. It is chosen lazily, by the first bindings that reach
 * each position.
 */
class Plan {
  readonly snapshot: Snapshot;
  readonly examined: () => void;
  readonly #order: QuadPattern[] = [];
  readonly #rest: Set<QuadPattern>;

  constructor(snapshot: Snapshot, patterns: readonly QuadPattern[], examined: () => void) {
    this.snapshot = snapshot;
    this.examined = examined;
    this.#rest = new Set(patterns);
  }

  at(depth: number, bindings: Bindings): QuadPattern | undefined {
    if (this.#order[depth] === undefined && this.#rest.size > 0) {
      const next = this.#cheapest(bindings);
      this.#rest.delete(next);
      this.#order.push(next);
    }
    return this.#order[depth];
  }

  #cheapest(bindings: Bindings): QuadPattern {
    const counted = [...this.#rest].map((pattern) => ({
      pattern,
      count: this.snapshot.countAtMost(substitute(pattern, bindings)),
    }));
    return counted.reduce((best, other) => (other.count < best.count ? other : best)).pattern;
  }
}

/** The pattern with bound variables replaced by their terms and unbound variables omitted. */
export function substitute(pattern: QuadPattern, bindings: Bindings): Pattern {
  const known: Partial<Record<Position, TermLike>> = {};
  for (const position of POSITIONS) {
    const term = pattern[position];
    const value = term?.termType === "Variable" ? bindings.get(term.value) : term;
    if (value !== undefined) known[position] = value;
  }
  return known;
}

/** The bindings extended by a quad; undefined when a variable would get two different terms. */
function bind(pattern: QuadPattern, quad: Quad, bindings: Bindings): Bindings | undefined {
  const next = new Map(bindings);
  for (const position of POSITIONS) {
    const term = pattern[position];
    if (term?.termType !== "Variable") continue;
    const bound = next.get(term.value);
    if (bound === undefined) next.set(term.value, quad[position]);
    else if (!bound.equals(quad[position])) return undefined;
  }
  return next;
}
