/** The ends of a plan's steps that are being written. No end is reported before it is durable. */
export class UnwrittenEnds {
  readonly #writing = new Map<string, Promise<unknown>>();

  /** @param written settles when the step's end is durable, or will not be. */
  add(stepId: string, written: Promise<unknown>): void {
    this.#writing.set(stepId, written);
    const done = (): void => {
      this.#writing.delete(stepId);
    };
    written.then(done, done);
  }

  /**
   * Resolves when the ends of these steps are durable or have failed; `undefined` when none is
   * being written.
   */
  of(stepIds: readonly string[]): Promise<unknown> | undefined {
    if (this.#writing.size === 0) return undefined;
    const writing = stepIds.flatMap((stepId) => this.#writing.get(stepId) ?? []);
    return writing.length === 0 ? undefined : Promise.allSettled(writing);
  }
}
