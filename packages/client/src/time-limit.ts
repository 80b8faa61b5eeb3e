/** Combines the time limit of one attempt and the caller's signal into one signal. */
export class TimeLimit {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly #late = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms absent: no time limit. */
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

  /** Removes the time limit, because a streamed response may take longer. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
