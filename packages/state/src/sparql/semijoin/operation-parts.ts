import type {
  ExtendOperation,
  Expression,
  LeftOperation,
  Operation,
  ValuesOperation,
} from "../algebra.js";
import type { TermLike } from "../../index.js";
import { domainOf, type Domains, narrowed, only, UNRESTRICTED, united } from "./domains.js";
import type { Part } from "./part.js";
import { type GraphScope, PathPart } from "./path-part.js";
import { type Loading, PatternPart } from "./pattern-part.js";
import { variableName } from "./slots.js";
import { domainsOfFilter, domainsOfRows } from "./value-domains.js";

/** The part that loads the quads for an operation of the algebra. */
export function partOf(loading: Loading, graph: GraphScope, operation: Operation): Part {
  const part = (inner: Operation): Part => partOf(loading, graph, inner);
  switch (operation.type) {
    case "bgp":
    case "join":
      return new JoinPart(joined(loading, graph, operation));
    case "path":
      return new PathPart(loading, graph, operation);
    case "union":
      return new UnionPart(operation.input.map(part));
    case "leftjoin":
    case "minus":
      return new LeftPart(operation, part);
    case "filter":
      return new FilterPart(operation.input, operation.expression, part);
    case "extend":
      return new ExtendPart(operation, part);
    case "values":
      return new ValuesPart(operation);
    case "graph":
      return graphPart(loading, operation.name, operation.input);
    case "orderby":
      return new FilterPart(operation.input, undefined, part, operation.expressions);
    case "group":
      return new ClosedPart(part(operation.input), operation.variables, {
        exists: operation.aggregates.flatMap((one) => existsIn(one).map(part)),
      });
    case "project":
      return new ClosedPart(part(operation.input), operation.variables);
    case "slice":
      return new ClosedPart(part(operation.input));
    case "nop":
      return new JoinPart([]);
    default:
      return part(operation.input);
  }
}

/** The parts of a join, with nested joins flattened. */
function joined(loading: Loading, graph: GraphScope, operation: Operation): readonly Part[] {
  switch (operation.type) {
    case "bgp":
      return operation.patterns.map(({ subject, predicate, object }) => {
        const triple = { subject, predicate, object };
        return new PatternPart(loading, graph === undefined ? triple : { ...triple, graph });
      });
    case "join":
      return operation.input.flatMap((inner) => joined(loading, graph, inner));
    default:
      return [partOf(loading, graph, operation)];
  }
}

/**
 * When no quad of the graph is required, the result depends on which graphs exist, and so on every
 * quad.
 */
function graphPart(loading: Loading, graph: TermLike, inner: Operation): Part {
  const part = partOf(loading, graph, inner);
  return part.needsQuad ? part : new JoinPart([part, new PatternPart(loading, { graph })]);
}

/** The graph patterns in an expression's EXISTS or NOT EXISTS (SPARQL 1.1 §8.1). */
function existsIn(expression: Expression): readonly Operation[] {
  switch (expression.subType) {
    case "existence":
      return [expression.input];
    case "operator":
    case "named":
      return expression.args.flatMap(existsIn);
    case "aggregate":
      return existsIn(expression.expression);
    default:
      return [];
  }
}

/**
 * Parts that must match together. They are loaded in the order of their costs, each within the
 * domains that the previous ones have left.
 */
class JoinPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.variables = new Set(parts.flatMap(({ variables }) => [...variables]));
    this.needsQuad = parts.some(({ needsQuad }) => needsQuad);
  }

  /** The cheapest part decides: the others are loaded within its domains. */
  cost(domains: Domains): number {
    if (this.#parts.length === 0) return 0;
    return Math.min(...this.#parts.map((part) => part.cost(domains)));
  }

  load(domains: Domains): Domains {
    let found = UNRESTRICTED;
    const open = new Set(this.#parts);
    while (open.size > 0) {
      const known = narrowed(domains, found);
      const next = cheapest(open, known);
      if (next === undefined) break;
      open.delete(next);
      found = narrowed(found, next.load(known));
    }
    return found;
  }
}

/** Alternatives (SPARQL 1.1 §7). */
class UnionPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean;
  readonly #branches: readonly Part[];

  constructor(branches: readonly Part[]) {
    this.#branches = branches;
    const [first, ...others] = branches;
    const shared = [...(first?.variables ?? [])].filter((name) =>
      others.every((other) => other.variables.has(name)),
    );
    this.variables = new Set(shared);
    this.needsQuad = branches.every((branch) => branch.needsQuad);
  }

  cost(domains: Domains): number {
    return this.#branches.reduce((sum, branch) => sum + branch.cost(domains), 0);
  }

  load(domains: Domains): Domains {
    return only(united(this.#branches.map((branch) => branch.load(domains))), this.variables);
  }
}

/** A part with the variables of the part that it wraps. */
abstract class WrappedPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean;
  protected readonly inner: Part;

  constructor(inner: Part) {
    this.inner = inner;
    this.variables = inner.variables;
    this.needsQuad = inner.needsQuad;
  }

  cost(domains: Domains): number {
    return this.inner.cost(domains);
  }

  abstract load(domains: Domains): Domains;
}

/**
 * OPTIONAL or MINUS. The right side only matters where it matches the left one. Outer parts must
 * not narrow it: with fewer quads on the right side, wrong solutions could remain.
 */
class LeftPart extends WrappedPart {
  readonly #others: readonly Part[];

  constructor({ input, expression }: LeftOperation, part: (operation: Operation) => Part) {
    const [left, right] = input;
    super(part(left));
    const exists = expression === undefined ? [] : existsIn(expression);
    this.#others = [right, ...exists].map(part);
  }

  load(domains: Domains): Domains {
    const found = this.inner.load(domains);
    for (const other of this.#others) other.load(only(found, this.variables));
    return found;
  }
}

/**
 * FILTER or ORDER BY. An EXISTS in their expressions matches other quads, with the bound variables.
 */
class FilterPart extends WrappedPart {
  readonly #allowed: Domains;
  readonly #exists: readonly Part[];

  constructor(
    input: Operation,
    condition: Expression | undefined,
    part: (operation: Operation) => Part,
    others: readonly Expression[] = [],
  ) {
    super(part(input));
    const expressions = condition === undefined ? others : [condition, ...others];
    const allowed = condition === undefined ? UNRESTRICTED : domainsOfFilter(condition);
    this.#allowed = only(allowed, this.variables);
    this.#exists = expressions.flatMap((one) => existsIn(one).map(part));
  }

  override cost(domains: Domains): number {
    return this.inner.cost(narrowed(domains, this.#allowed));
  }

  load(domains: Domains): Domains {
    const found = this.inner.load(narrowed(domains, this.#allowed));
    for (const exists of this.#exists) exists.load(only(found, this.variables));
    return found;
  }
}

/** BIND, or an expression of a projection. For a constant, the variable's value is known. */
class ExtendPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean;
  readonly #input: Part;
  readonly #constant: Domains;
  readonly #exists: readonly Part[];

  constructor(
    { input, variable, expression }: ExtendOperation,
    part: (operation: Operation) => Part,
  ) {
    this.#input = part(input);
    const name = variableName(variable);
    const term = expression.subType === "term" ? expression.term : undefined;
    const isConstant = name !== undefined && term !== undefined && variableName(term) === undefined;
    this.#constant = isConstant ? new Map([[name, domainOf([term])]]) : UNRESTRICTED;
    this.#exists = existsIn(expression).map(part);
    this.variables = new Set([...this.#input.variables, ...this.#constant.keys()]);
    this.needsQuad = this.#input.needsQuad;
  }

  cost(domains: Domains): number {
    return this.#input.cost(domains);
  }

  load(domains: Domains): Domains {
    const found = this.#input.load(domains);
    for (const exists of this.#exists) exists.load(only(found, this.#input.variables));
    return narrowed(found, this.#constant);
  }
}

/** VALUES: it restricts variables and loads nothing. */
class ValuesPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean = false;
  readonly #domains: Domains;

  constructor(operation: ValuesOperation) {
    this.#domains = domainsOfRows(operation);
    this.variables = new Set(this.#domains.keys());
  }

  cost(): number {
    return 0;
  }

  load(): Domains {
    return this.#domains;
  }
}

/** A subquery, a group or a slice, which is answered before anything outside of it is known (SPARQL 1.1 §12). */
class ClosedPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean = false;
  readonly #inner: Part;
  readonly #exists: readonly Part[];

  /** @param projected the variables that are seen from outside; undefined: all. */
  constructor(
    inner: Part,
    projected?: readonly TermLike[],
    { exists = [] }: { readonly exists?: readonly Part[] } = {},
  ) {
    this.#inner = inner;
    this.#exists = exists;
    const names = projected?.map(({ value }) => value) ?? [...inner.variables];
    this.variables = new Set(names.filter((name) => inner.variables.has(name)));
  }

  cost(): number {
    return this.#inner.cost(UNRESTRICTED);
  }

  load(): Domains {
    const found = this.#inner.load(UNRESTRICTED);
    for (const exists of this.#exists) exists.load(UNRESTRICTED);
    return only(found, this.variables);
  }
}

function cheapest(parts: ReadonlySet<Part>, domains: Domains): Part | undefined {
  let best: { readonly part: Part; readonly cost: number } | undefined;
  for (const part of parts) {
    const cost = part.cost(domains);
    if (best === undefined || cost < best.cost) best = { part, cost };
  }
  return best?.part;
}
