import { type TermLike, variable } from "../../index.js";
import type { Path, PathPattern } from "../algebra.js";
import { type Domain, DOMAIN_TERMS_MAX, domainOf, type Domains, union } from "./domains.js";
import type { Part } from "./part.js";
import { type Loading, PatternPart } from "./pattern-part.js";
import { variableName } from "./slots.js";

/**
 * The graph of a pattern: a certain graph, any named graph (a variable), or any graph (undefined).
 */
export type GraphScope = TermLike | undefined;

/** The possible values of a path's two ends. */
interface Ends {
  readonly from?: Domain | undefined;
  readonly to?: Domain | undefined;
}

/** Looking along a path from one term costs about as much as going through this many quads. */
const STEP_COST = 100;

/** A property path of the query (SPARQL 1.1 §9), in its graph. */
export class PathPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean;
  readonly #walk: PathWalk;
  readonly #pattern: PathPattern;

  constructor(loading: Loading, graph: GraphScope, pattern: PathPattern) {
    this.#walk = new PathWalk(loading, graph);
    this.#pattern = pattern;
    const names = [pattern.subject, pattern.object].flatMap((end) => variableName(end) ?? []);
    this.variables = new Set(names);
    this.needsQuad = !mayBeEmpty(pattern.predicate);
  }

  cost(domains: Domains): number {
    const { from, to } = this.#ends(domains);
    const sizes = [from, to].flatMap((domain) => (domain === undefined ? [] : [domain.size]));
    const whole = this.#walk.cost(this.#pattern.predicate);
    return Math.min(whole, ...sizes.map((size) => size * STEP_COST));
  }

  load(domains: Domains): Domains {
    const { subject, predicate, object } = this.#pattern;
    const ends = this.#walk.load(predicate, this.#ends(domains));
    const found = new Map<string, Domain>();
    for (const [end, domain] of [
      [subject, ends.from],
      [object, ends.to],
    ] as const) {
      const name = variableName(end);
      if (name !== undefined && domain !== undefined) found.set(name, domain);
    }
    return found;
  }

  #ends(domains: Domains): Ends {
    const domainAt = (end: TermLike): Domain | undefined => {
      const name = variableName(end);
      return name === undefined ? domainOf([end]) : domains.get(name);
    };
    return { from: domainAt(this.#pattern.subject), to: domainAt(this.#pattern.object) };
  }
}

const FROM = variable("from");
const TO = variable("to");
const ANY = variable("any");

/** Loads the quads along paths, starting from a known end. */
class PathWalk {
  readonly #loading: Loading;
  readonly #graph: GraphScope;

  constructor(loading: Loading, graph: GraphScope) {
    this.#loading = loading;
    this.#graph = graph;
  }

  /** How many quads the path could use at most. */
  cost(path: Path): number {
    switch (path.type) {
      case "link":
        return this.#step(path.iri).cost(new Map());
      case "nps":
        return this.#step(ANY).cost(new Map());
      case "seq":
      case "alt":
        return path.input.reduce((sum, item) => sum + this.cost(item), 0);
      default:
        return this.cost(path.path);
    }
  }

  load(path: Path, ends: Ends): Ends {
    switch (path.type) {
      case "link":
        return this.#take(path.iri, ends);
      case "nps":
        return this.#take(ANY, ends);
      case "seq":
        return this.#sequence(path.input, ends);
      case "alt":
        return eitherOf(path.input.map((item) => this.load(item, ends)));
      case "inv":
        return turned(this.load(path.path, turned(ends)));
      case "OneOrMorePath":
        return this.#closure(path.path, ends);
      case "ZeroOrMorePath":
        return this.#orNone(ends, () => this.#closure(path.path, ends));
      case "ZeroOrOnePath":
        return this.#orNone(ends, () => this.load(path.path, ends));
    }
  }

  #step(predicate: TermLike): PatternPart {
    const graph = this.#graph === undefined ? {} : { graph: this.#graph };
    return new PatternPart(this.#loading, { subject: FROM, predicate, object: TO, ...graph });
  }

  #take(predicate: TermLike, { from, to }: Ends): Ends {
    const domains = new Map<string, Domain>();
    if (from !== undefined) domains.set(FROM.value, from);
    if (to !== undefined) domains.set(TO.value, to);
    const found = this.#step(predicate).load(domains);
    return { from: found.get(FROM.value), to: found.get(TO.value) };
  }

  #sequence(items: readonly Path[], ends: Ends): Ends {
    if (ends.from === undefined && ends.to !== undefined) {
      return turned(this.#forward([...items].reverse(), turned(ends), true));
    }
    return this.#forward(items, ends, false);
  }

  #forward(items: readonly Path[], { from, to }: Ends, isTurned: boolean): Ends {
    let at = from;
    let start: Domain | undefined;
    for (const [index, item] of items.entries()) {
      const ends = { from: at, to: index === items.length - 1 ? to : undefined };
      const found = isTurned ? turned(this.load(item, turned(ends))) : this.load(item, ends);
      if (index === 0) start = found.from;
      at = found.to;
    }
    return { from: start, to: at };
  }

  /** One or more steps: begins at the end that is known and follows the path until it reaches nothing new. */
  #closure(item: Path, ends: Ends): Ends {
    if (ends.from !== undefined) return this.#reach(item, ends.from, false);
    return ends.to === undefined ? this.load(item, ends) : turned(this.#reach(item, ends.to, true));
  }

  #reach(item: Path, start: Domain, isTurned: boolean): Ends {
    const reached = new Map<string, TermLike>();
    for (let frontier = start; frontier.size > 0;) {
      const found = this.load(item, isTurned ? { to: frontier } : { from: frontier });
      const next = isTurned ? found.from : found.to;
      // Too many to store, so all quads of the path are loaded.
      if (next === undefined || reached.size > DOMAIN_TERMS_MAX) return this.load(item, {});
      frontier = new Map([...next].filter(([key]) => !reached.has(key)));
      for (const [key, term] of frontier) reached.set(key, term);
    }
    return { from: start, to: reached };
  }

  /** Also no step at all, which leads from each node of the graph to itself. */
  #orNone({ from, to }: Ends, load: () => Ends): Ends {
    const known = from ?? to;
    const isAnyNode = known === undefined || [...known.values()].some(isLiteral);
    if (isAnyNode) {
      this.#take(ANY, {});
      return {};
    }
    for (const term of known.values()) this.#witness(term);
    const found = load();
    return from === undefined
      ? { from: unionOf([known, found.from]), to }
      : { from, to: unionOf([known, found.to]) };
  }

  /** Loads what shows that a term is a node of the graph, if it is one. */
  #witness(term: TermLike): void {
    const { dataset, sink } = this.#loading;
    const graph = this.#graph;
    const isOneGraph = graph !== undefined && variableName(graph) === undefined;
    for (const pattern of [{ subject: term }, { object: term }]) {
      for (const quad of dataset.match(isOneGraph ? { ...pattern, graph } : pattern)) {
        sink.take(quad);
        if (isOneGraph) return;
      }
    }
  }
}

/** Whether a path may have no step at all. */
function mayBeEmpty(path: Path): boolean {
  switch (path.type) {
    case "link":
    case "nps":
      return false;
    case "seq":
      return path.input.every(mayBeEmpty);
    case "alt":
      return path.input.some(mayBeEmpty);
    case "inv":
    case "OneOrMorePath":
      return mayBeEmpty(path.path);
    default:
      return true;
  }
}

function isLiteral({ termType }: TermLike): boolean {
  return termType === "Literal";
}

function turned({ from, to }: Ends): Ends {
  return { from: to, to: from };
}

function eitherOf(ends: readonly Ends[]): Ends {
  return { from: unionOf(ends.map(({ from }) => from)), to: unionOf(ends.map(({ to }) => to)) };
}

function unionOf(domains: readonly (Domain | undefined)[]): Domain | undefined {
  const known = domains.filter((domain) => domain !== undefined);
  return known.length === domains.length ? union(known) : undefined;
}
