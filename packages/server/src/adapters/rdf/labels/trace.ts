/**
 * What is recorded of a refinement: numbers that do not depend on how vertices are numbered. Of two refinements with
 * different traces, no automorphism maps one to the other. Traces compare as words in a dictionary do.
 */
export class Trace {
  readonly #facts: number[] = [];
  readonly #reference: Trace | undefined;
  #comparison: "smaller" | "equal" | "larger" = "equal";

  /** @param reference what this trace is compared with while it grows. */
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

  /** Whether this trace is larger than its reference, however it goes on. */
  get isLarger(): boolean {
    return this.#comparison === "larger";
  }

  /** Whether this trace, which has ended, is smaller than its reference. */
  get isSmaller(): boolean {
    if (this.#comparison !== "equal") return this.#comparison === "smaller";
    return this.#reference !== undefined && this.#facts.length < this.#reference.#facts.length;
  }
}
