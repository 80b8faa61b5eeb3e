import type { Quad, Snapshot, Term, TermLike } from "../../index.js";
import { type Domain, DOMAIN_TERMS_MAX, type Domains, termKey, UNRESTRICTED } from "./domains.js";
import { type Part, type QuadSink, TooManyQuads } from "./part.js";
import { isOpen, partsOf, type Place, termAt, variableName } from "./slots.js";

/** The source and target of a query's quads. */
export interface Loading {
  readonly dataset: Snapshot;
  readonly sink: QuadSink;
}

/** A triple pattern and its graph: terms and variables; a place that is left out takes anything. */
export interface QuadSlots {
  readonly subject?: TermLike;
  readonly predicate?: TermLike;
  readonly object?: TermLike;
  readonly graph?: TermLike;
}

/** Looking for one key costs as much as going through this many. */
const LOOKUP_COST = 20;
/** Terms of a domain that are looked up to estimate how many quads all of them have. */
const SAMPLE_TERMS = 5;

/** A triple pattern of the query, in its graph. */
export class PatternPart implements Part {
  readonly variables: ReadonlySet<string>;
  readonly needsQuad: boolean = true;
  readonly #loading: Loading;
  readonly #constants: Readonly<Record<string, TermLike>>;
  /** The places of each variable. */
  readonly #places = new Map<string, Place[]>();
  /** Terms inside a triple term that has variables too. */
  readonly #inner: { readonly place: Place; readonly term: TermLike }[] = [];
  readonly #isNamedGraph: boolean;
  #scanCost: number | undefined;

  /**
   * @param pattern without a graph it matches in any graph; with a variable, in any named graph.
   */
  constructor(loading: Loading, pattern: QuadSlots) {
    this.#loading = loading;
    const constants: Record<string, TermLike> = {};
    for (const [position, term] of Object.entries(pattern) as [Place[number], TermLike][]) {
      if (isOpen(term)) this.#open([position], term);
      else constants[position] = term;
    }
    this.#constants = constants;
    this.#isNamedGraph = pattern.graph !== undefined && isOpen(pattern.graph);
    this.variables = new Set(this.#places.keys());
  }

  cost(domains: Domains): number {
    return this.#cheapest(domains).cost;
  }

  load(domains: Domains): Domains {
    const { driver } = this.#cheapest(domains);
    const restricted = [...this.variables].flatMap((name) => {
      const domain = domains.get(name);
      return domain === undefined ? [] : [{ name, domain }];
    });
    const scan = restricted.length === 0 ? this.#key() : undefined;
    const { sink, dataset } = this.#loading;
    const isLoaded = scan !== undefined && sink.isComplete(scan);
    if (scan !== undefined && !isLoaded) this.#refuseTooMany();
    const found = new Found(this.#places);
    for (const constants of this.#lookups(driver, domains)) {
      for (const quad of dataset.match(constants)) {
        if (!this.#fits(quad) || !restricted.every((one) => this.#isWithin(quad, one))) continue;
        if (!isLoaded) sink.take(quad);
        found.add(quad);
      }
    }
    if (scan !== undefined) sink.complete(scan);
    return found.domains;
  }

  #open(place: Place, term: TermLike): void {
    const name = variableName(term);
    if (name !== undefined) {
      this.#places.set(name, [...(this.#places.get(name) ?? []), place]);
      return;
    }
    for (const [inside, part] of partsOf(term)) {
      const inner = [...place, ...inside];
      if (isOpen(part)) this.#open(inner, part);
      else this.#inner.push({ place: inner, term: part });
    }
  }

  /** Counting takes a tenth of the time that loading takes. */
  #refuseTooMany(): void {
    const { sink, dataset } = this.#loading;
    if (this.cost(UNRESTRICTED) <= sink.room) return;
    let count = 0;
    for (const quad of dataset.match(this.#constants)) {
      if (this.#fits(quad)) count += 1;
      if (count > sink.room) throw new TooManyQuads();
    }
  }

  #cheapest(domains: Domains): { readonly cost: number; readonly driver?: string } {
    this.#scanCost ??= this.#loading.dataset.countAtMost(this.#constants);
    let best: { cost: number; driver?: string } = { cost: this.#scanCost };
    for (const [name, places] of this.#places) {
      const domain = domains.get(name);
      // No index starts with a part of a triple term.
      if (domain === undefined || !places.some((place) => place.length === 1)) continue;
      if (domain.size * LOOKUP_COST >= best.cost) continue;
      const cost = domain.size * (LOOKUP_COST + this.#averageMatches(name, domain));
      if (cost < best.cost) best = { cost, driver: name };
    }
    return best;
  }

  #averageMatches(name: string, domain: Domain): number {
    let [matches, samples] = [0, 0];
    for (const term of domain.values()) {
      if (samples === SAMPLE_TERMS) break;
      samples += 1;
      matches += this.#loading.dataset.countAtMost(this.#bound(name, term));
    }
    return matches / Math.max(samples, 1);
  }

  *#lookups(driver: string | undefined, domains: Domains): Generator<QuadSlots> {
    const domain = driver === undefined ? undefined : domains.get(driver);
    if (driver === undefined || domain === undefined) yield this.#constants;
    else for (const term of domain.values()) yield this.#bound(driver, term);
  }

  #bound(name: string, term: TermLike): QuadSlots {
    const bound: Record<string, TermLike> = { ...this.#constants };
    for (const [place, ...inside] of this.#places.get(name) ?? []) {
      if (place !== undefined && inside.length === 0) bound[place] = term;
    }
    return bound;
  }

  /** Whether the quad matches beyond its constants, for example where a variable occurs twice. */
  #fits(quad: Quad): boolean {
    if (this.#isNamedGraph && quad.graph.termType === "DefaultGraph") return false;
    if (!this.#inner.every(({ place, term }) => ownTermAt(quad, place)?.equals(term))) return false;
    for (const [first, ...others] of this.#places.values()) {
      const term = first && ownTermAt(quad, first);
      if (term === undefined) return false;
      if (!others.every((other) => ownTermAt(quad, other)?.equals(term))) return false;
    }
    return true;
  }

  #isWithin(quad: Quad, { name, domain }: { name: string; domain: Domain }): boolean {
    const [place] = this.#places.get(name) ?? [];
    const term = place && termAt(quad, place);
    return term === undefined || domain.has(termKey(term));
  }

  #key(): string {
    const terms = Object.entries(this.#constants).map(([place, term]) => [place, termKey(term)]);
    const inner = this.#inner.map(({ place, term }) => [place, termKey(term)]);
    return JSON.stringify([terms, inner, [...this.#places.values()], this.#isNamedGraph]);
  }
}

/** The terms that were found in the places of variables, as long as they are few enough for a domain. */
class Found {
  readonly #places: ReadonlyMap<string, readonly Place[]>;
  readonly #terms: Map<string, Map<string, TermLike>>;

  constructor(places: ReadonlyMap<string, readonly Place[]>) {
    this.#places = places;
    this.#terms = new Map([...places.keys()].map((name) => [name, new Map<string, TermLike>()]));
  }

  add(quad: Quad): void {
    for (const [name, terms] of this.#terms) {
      const [place] = this.#places.get(name) ?? [];
      const term = place && termAt(quad, place);
      if (term !== undefined) terms.set(termKey(term), term);
      if (terms.size > DOMAIN_TERMS_MAX) this.#terms.delete(name);
    }
  }

  get domains(): Domains {
    return this.#terms;
  }
}

/** A term of a quad of the dataset: one of our own. */
function ownTermAt(quad: Quad, place: Place): Term | undefined {
  return termAt(quad, place) as Term | undefined;
}
