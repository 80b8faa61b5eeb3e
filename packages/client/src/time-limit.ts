/** The time that one try of a call may take, and the caller's own signal, as one signal. */
export class TimeLimit {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly #late = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms left out: the try may take as long as it takes. */
  constructor(ms: number | undefined, signal: AbortSignal | undefined) {
    this.ms = ms ?? Infinity;
    if (ms === undefined) {
      this.signal = signal;
      return;
    }
    this.#timer = setTimeout(() => this.#late.abort(), ms);
    this.signal =
      signal === undefined ? this.#late.signal : AbortSignal.any([signal, this.#late.signal]);
  }

  get hasPassed(): boolean {
    return this.#late.signal.aborted;
  }

  /** Ends the limit: an answer that is read as it comes may take longer. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
