import type { Component, QuadPattern } from "./component.js";
import { compareDigests, type Digest } from "./digest.js";
import { IdentifierIssuer } from "./identifier-issuer.js";
import type { StepBudget } from "./step-budget.js";

/**
 * RDF Dataset Canonicalization 1.0 (https://www.w3.org/TR/rdf-canon/): numbers blank nodes in the
 * order in which its algorithm (§4.4) assigns the labels c14n0, c14n1 and so on.
 *
 * The standard allows abandoning a path that cannot become the smallest. This implementation
 * follows every path to its end, because the point of abandonment depends on the order of quads. So
 * isomorphic components take equally many steps, and a budget suffices for all or none of them.
 * @param first by node: its first-degree hash.
 * @returns by node: its number.
 * @throws StepsExhausted when too many nodes are alike: the number of steps grows with the number
 * of their permutations.
 */
export function rdfcNumbers(
  component: Component,
  first: readonly string[],
  digest: Digest,
  budget: StepBudget,
): Int32Array {
  return new Canonicalization({ component, first, digest, budget }).numbers();
}

interface Parts {
  readonly component: Component;
  readonly first: readonly string[];
  readonly digest: Digest;
  readonly budget: StepBudget;
}

/** A result of Hash N-Degree Quads: the hash, and the numbered nodes in order. */
interface Hashed {
  readonly hash: string;
  readonly nodes: readonly number[];
}

class Canonicalization {
  readonly #parts: Parts;
  readonly #canonical = new IdentifierIssuer();
  /** The issuer of the current search. */
  #issuer = new IdentifierIssuer();
  /** Memo of related hashes by their input, because few different inputs occur. */
  readonly #relatedHashes = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** §4.4.3, the canonicalization algorithm, from step 3 on. */
  numbers(): Int32Array {
    const { first } = this.#parts;
    const groups = new Groups();
    first.forEach((hash, node) => {
      groups.add(hash, node);
    });
    const byHash = groups.sorted();
    for (const [, [node = 0, ...others]] of byHash) {
      if (others.length === 0) this.#canonical.issue(node);
    }
    for (const [, nodes] of byHash) {
      const open = nodes.filter((node) => this.#canonical.numberOf(node) === undefined);
      const found = open.map((node) => this.#hashFrom(node));
      for (const hashed of found.sort((a, b) => compareDigests(a.hash, b.hash))) {
        for (const node of hashed.nodes) this.#canonical.issue(node);
      }
    }
    return Int32Array.from(first, (_, node) => this.#canonical.numberOf(node) ?? 0);
  }

  /** §4.4.3 steps 5.2.2 to 5.2.4. */
  #hashFrom(node: number): Hashed {
    this.#issuer = new IdentifierIssuer();
    this.#issuer.issue(node);
    const hash = this.#hashNDegree(node);
    return { hash, nodes: this.#issuer.issuedFrom(0) };
  }

  /** §4.8, Hash N-Degree Quads. Continues with the current state of the issuer. */
  #hashNDegree(node: number): string {
    let data = "";
    for (const [hash, related] of this.#relatedNodes(node))
      data += hash + this.#smallestPath(related);
    return this.#parts.digest(data);
  }

  /** §4.8.3 steps 1 to 3: the nodes that share a quad with this one, grouped by related hash. */
  #relatedNodes(node: number): readonly Group[] {
    const mentions = this.#parts.component.mentions[node] ?? [];
    this.#parts.budget.spend(mentions.length);
    const related = new Groups();
    for (const { nodes, pattern } of mentions) {
      nodes.forEach((other, index) => {
        if (other === node) return;
        related.add(this.#relatedHash(other, pattern, index), other);
      });
    }
    return related.sorted();
  }

  /** §4.7, Hash Related Blank Node. */
  #relatedHash(node: number, { places, predicate }: QuadPattern, index: number): string {
    const name = this.#name(node) ?? this.#parts.first[node] ?? "";
    const place = places[index] ?? "s";
    const text = place === "g" ? `g${name}` : `${place}${predicate}${name}`;
    let hash = this.#relatedHashes.get(text);
    if (hash === undefined) {
      hash = this.#parts.digest(text);
      this.#relatedHashes.set(text, hash);
    }
    return hash;
  }

  /**
   * §4.8.3 step 5: the smallest path over all permutations of these nodes. The issuer takes over
   * its numbers.
   */
  #smallestPath(related: readonly number[]): string {
    // The budget is charged in advance, because the permutations of 30 nodes would never end.
    this.#parts.budget.spend(factorial(related.length));
    if (related.length === 1) return this.#path(related);
    const before = this.#issuer.size;
    let smallest: { readonly path: string; readonly nodes: readonly number[] } | undefined;
    for (const permutation of permutations(related)) {
      const path = this.#path(permutation);
      if (smallest === undefined || path < smallest.path) {
        smallest = { path, nodes: this.#issuer.issuedFrom(before) };
      }
      this.#parts.budget.spend(this.#issuer.size - before);
      this.#issuer.revert(before);
    }
    for (const node of smallest?.nodes ?? []) this.#issuer.issue(node);
    return smallest?.path ?? "";
  }

  /** §4.8.3 steps 5.4.4 and 5.4.5: the path for one permutation. */
  #path(permutation: readonly number[]): string {
    let path = "";
    const unvisited: number[] = [];
    for (const node of permutation) {
      if (this.#name(node) === undefined) {
        unvisited.push(node);
        this.#issuer.issue(node);
      }
      path += this.#name(node) ?? "";
    }
    for (const node of unvisited) {
      const hash = this.#parts.budget.nested(() => this.#hashNDegree(node));
      path += `${this.#name(node) ?? ""}<${hash}>`;
    }
    return path;
  }

  #name(node: number): string | undefined {
    const canonical = this.#canonical.numberOf(node);
    if (canonical !== undefined) return `_:c14n${canonical}`;
    const number = this.#issuer.numberOf(node);
    return number === undefined ? undefined : `_:b${number}`;
  }
}

/** Nodes with the same related hash. */
type Group = readonly [hash: string, nodes: readonly number[]];

class Groups {
  readonly #nodes = new Map<string, number[]>();

  add(hash: string, node: number): void {
    const known = this.#nodes.get(hash);
    if (known === undefined) this.#nodes.set(hash, [node]);
    else known.push(node);
  }

  /** Ordered by hash. */
  sorted(): readonly Group[] {
    return [...this.#nodes].sort(([a], [b]) => compareDigests(a, b));
  }
}

/** Infinity from 171 on. */
function factorial(n: number): number {
  let product = 1;
  for (let factor = 2; factor <= n && product < Infinity; factor++) product *= factor;
  return product;
}

function* permutations(nodes: readonly number[]): Generator<readonly number[]> {
  if (nodes.length < 2) {
    yield nodes;
    return;
  }
  for (const [index, node] of nodes.entries()) {
    for (const others of permutations(nodes.toSpliced(index, 1))) yield [node, ...others];
  }
}
