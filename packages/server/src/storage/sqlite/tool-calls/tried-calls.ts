import type { SetAside } from "@steward/kernel/concurrency/set-aside.js";

/** A call of the log that could not be read, or can be read again. */
export interface TriedCall {
  readonly key: string;
  /** Why it cannot be read. */
  readonly error?: Error;
}

/** Stands for the {@link SetAside} of the main thread in a thread that reads calls, and records what it is told. */
export class TriedCalls implements Pick<SetAside, "waiting" | "succeeded" | "failed"> {
  readonly all: TriedCall[] = [];
  readonly #waiting: readonly string[];

  /** @param waiting the calls that are not tried yet. */
  constructor(waiting: readonly string[]) {
    this.#waiting = waiting;
  }

  waiting(): readonly string[] {
    return this.#waiting;
  }

  succeeded(key: string): void {
    this.all.push({ key });
  }

  failed(key: string, error: unknown): void {
    this.all.push({ key, error: error instanceof Error ? error : new Error(String(error)) });
  }
}

/** Tells the main thread's {@link SetAside} what another thread has recorded. */
export function tellTried(setAside: SetAside | undefined, tried: readonly TriedCall[]): void {
  for (const { key, error } of tried) {
    if (error === undefined) setAside?.succeeded(key);
    else setAside?.failed(key, error);
  }
}
