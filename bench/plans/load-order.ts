/** What the load process is told. */
export interface LoadOrder {
  readonly kind: "echo" | "steps";
  /** host:port of each server; the plans take turns. */
  readonly addresses: readonly string[];
  /** Plans, or echo loops, under way at once. */
  readonly concurrency: number;
  /** Plans each of them runs, one after the other. */
  readonly plansEach: number;
  /** The value of `authorization` that every call shows. */
  readonly authorization?: string;
}

/** What it measured. */
export interface LoadResult {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds of every call, ascending. */
  readonly latenciesMs: readonly number[];
}

/** Steps of each plan: reads, each of which depends on the one before. */
export const STEPS_PER_PLAN = 10;
