import type { Position } from "./quad-key.js";
import type { Pattern, Snapshot } from "./snapshot.js";
import type { Quad, Term, TermLike } from "./term.js";

/** Stands for any term, and for the same one wherever its name stands. */
export interface Variable {
  readonly termType: "Variable";
  readonly value: string;
}

/** A variable of this name. */
export function variable(name: string): Variable {
  return { termType: "Variable", value: name };
}

/** A quad with variables in it; a place left out takes anything. */
export type QuadPattern = Readonly<Partial<Record<Position, TermLike | Variable>>>;

/** What the variables of a solution stand for. */
export type Bindings = ReadonlyMap<string, Term>;

const POSITIONS = ["subject", "predicate", "object", "graph"] as const;

/** The solutions that {@link solving} finds. */
export function* solve(snapshot: Snapshot, patterns: readonly QuadPattern[]): Generator<Bindings> {
  for (const row of solving(snapshot, patterns)) if (row !== undefined) yield row;
}

/**
 * The solutions of a basic graph pattern (SPARQL 1.1 §18.3), and undefined, as a place to pause, for each quad that was
 * looked at and leads to none. The pattern that the fewest quads match is
 * asked first, then whichever the fewest match once the first ones' variables are known. The trees tell how many those
 * are at most, so no statistics are kept.
 * @param examined called for every quad that is looked at; what it throws ends the search.
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

/** The order of the patterns, chosen as far as it is needed, by the first bindings that reach it. */
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

/** The pattern with the terms that its variables stand for, and nothing where they stand for any. */
export function substitute(pattern: QuadPattern, bindings: Bindings): Pattern {
  const known: Partial<Record<Position, TermLike>> = {};
  for (const position of POSITIONS) {
    const term = pattern[position];
    const value = term?.termType === "Variable" ? bindings.get(term.value) : term;
    if (value !== undefined) known[position] = value;
  }
  return known;
}

/** The bindings with what this quad adds; undefined when one variable would be two terms. */
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
