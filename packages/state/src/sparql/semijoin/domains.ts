import type { TermLike } from "../../index.js";
import { partsOf } from "./slots.js";

/** An upper bound of the terms that a variable can take, by key. */
export type Domain = ReadonlyMap<string, TermLike>;

/** Domains by variable. A variable without a domain is unrestricted. */
export type Domains = ReadonlyMap<string, Domain>;

export const UNRESTRICTED: Domains = new Map();

/** Size limit of a domain. A larger one restricts little and is not worth its memory. */
export const DOMAIN_TERMS_MAX: number = 100_000;

/**
 * A text that is equal exactly for equal terms. Language tags are compared without regard to case
 * (RDF 1.2 §3.4).
 */
export function termKey(term: TermLike): string {
  const { termType, value, language = "", direction, datatype } = term;
  if (termType === "Quad") return JSON.stringify(partsOf(term).map(([, part]) => termKey(part)));
  const kind = `${language.toLowerCase()} ${direction ?? ""} ${datatype?.value ?? ""}`;
  return `${termType} ${kind} ${value}`;
}

/** The domain of these terms. */
export function domainOf(terms: Iterable<TermLike>): Domain {
  const domain = new Map<string, TermLike>();
  for (const term of terms) domain.set(termKey(term), term);
  return domain;
}

/** The intersection of two restrictions. */
export function narrowed(one: Domains, other: Domains): Domains {
  const both = new Map(one);
  for (const [name, domain] of other) {
    const known = both.get(name);
    both.set(name, known === undefined ? domain : intersection(known, domain));
  }
  return both;
}

/** The union of alternatives: a variable is restricted only if all of them restrict it. */
export function united(alternatives: readonly Domains[]): Domains {
  const [first = UNRESTRICTED, ...others] = alternatives;
  const all = new Map<string, Domain>();
  for (const [name, domain] of first) {
    const domains = [domain, ...others.flatMap((other) => other.get(name) ?? [])];
    if (domains.length === alternatives.length) all.set(name, union(domains));
  }
  return capped(all);
}

/** Removes the domains of all other variables. */
export function only(domains: Domains, names: ReadonlySet<string>): Domains {
  return new Map([...domains].filter(([name]) => names.has(name)));
}

/** Without the domains that are too large. */
function capped(domains: Domains): Domains {
  return new Map([...domains].filter(([, domain]) => domain.size <= DOMAIN_TERMS_MAX));
}

/** The terms of several domains. */
export function union(domains: readonly Domain[]): Domain {
  return new Map(domains.flatMap((domain) => [...domain]));
}

function intersection(one: Domain, other: Domain): Domain {
  const [small, large] = one.size <= other.size ? [one, other] : [other, one];
  return new Map([...small].filter(([key]) => large.has(key)));
}
