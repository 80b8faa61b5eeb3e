import type { StepOutput } from "../ports.js";

/**
 * Total length of step outputs that are cached for each open plan, in characters. Other outputs are
 * read from the store when needed.
 */
const OUTPUTS_LENGTH_MAX = 32 * 1024;

/** A cache of step outputs for the steps that refer to them. */
export class RecentOutputs {
  readonly #outputs = new Map<string, StepOutput>();
  #length = 0;

  /** Caches a step's output, if there is room. */
  keep(stepId: string, output: StepOutput): void {
    this.drop(stepId);
    if (this.#length + output.json.length > OUTPUTS_LENGTH_MAX) return;
    this.#length += output.json.length;
    this.#outputs.set(stepId, output);
  }

  /** Has a step's output read from the log when it is needed. */
  drop(stepId: string): void {
    this.#length -= this.#outputs.get(stepId)?.json.length ?? 0;
    this.#outputs.delete(stepId);
  }

  /** A step's output, if it is cached. */
  find(stepId: string): StepOutput | undefined {
    return this.#outputs.get(stepId);
  }
}
