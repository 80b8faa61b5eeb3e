import type { StepOutput } from "../ports.js";

/** Characters of step outputs kept at hand for each open plan; the rest is read when it is needed. */
const OUTPUTS_LENGTH_MAX = 32 * 1024;

/** The outputs of a plan's steps that are at hand for the steps that refer to them. */
export class RecentOutputs {
  readonly #outputs = new Map<string, StepOutput>();
  #length = 0;

  /** Keeps a step's output, if there is room. */
  keep(stepId: string, output: StepOutput): void {
    if (this.#length + output.json.length > OUTPUTS_LENGTH_MAX) return;
    this.#length += output.json.length;
    this.#outputs.set(stepId, output);
  }

  /** A step's output, if it is at hand. */
  find(stepId: string): StepOutput | undefined {
    return this.#outputs.get(stepId);
  }
}
