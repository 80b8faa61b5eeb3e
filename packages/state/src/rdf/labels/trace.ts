/**
 * Record of a refinement as a sequence of numbers, which do not depend on the numbering of
 * vertices. If two refinements have different traces, no automorphism maps one to the other. Traces
 * are compared lexicographically.
 */
export class Trace {
  readonly #facts: number[] = [];
  readonly #reference: Trace | undefined;
  #comparison: "smaller" | "equal" | "larger" = "equal";

  /** @param reference the trace that this trace is compared with while it grows. */
  constructor(reference?: Trace) {
    this.#reference = reference;
  }

  add(fact: number): void {
    if (this.#reference !== undefined && this.#comparison === "equal") {
      const other = this.#reference.#facts[this.#facts.length] ?? -1;
      if (fact !== other) this.#comparison = fact < other ? "smaller" : "larger";
    }
    this.#facts.push(fact);
  }

  /** Whether this trace is larger than its reference, however it continues. */
  get isLarger(): boolean {
    return this.#comparison === "larger";
  }

  /** Whether this completed trace is smaller than its reference. */
  get isSmaller(): boolean {
    if (this.#comparison !== "equal") return this.#comparison === "smaller";
    return this.#reference !== undefined && this.#facts.length < this.#reference.#facts.length;
  }
}
