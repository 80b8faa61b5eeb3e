/** Orders for the load process. */
export interface LoadOrder {
  readonly kind: "echo" | "steps";
  /** host:port of each server; plans alternate between them. */
  readonly addresses: readonly string[];
  /** Number of concurrent plans or echo loops. */
  readonly concurrency: number;
  /** Plans that each of them runs in sequence. */
  readonly plansEach: number;
  /** The `authorization` of every call. */
  readonly authorization?: string;
}

/** The measurements. */
export interface LoadResult {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds of every call, ascending. */
  readonly latenciesMs: readonly number[];
}

/** Steps of each plan: reads, each of which depends on the previous one. */
export const STEPS_PER_PLAN = 10;
