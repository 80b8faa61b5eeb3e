import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.js";
import { serveThread } from "../worker-thread.js";

/** Calls that the test makes to the thread. */
export interface TestCalls {
  /** Responds with the number after that many ms. */
  readonly after: { readonly input: number; readonly output: number };
  readonly fail: { readonly input: string; readonly output: undefined };
  readonly throwAnything: { readonly input: undefined; readonly output: undefined };
  readonly askBack: { readonly input: number; readonly output: number };
  readonly calledOff: { readonly input: undefined; readonly output: number };
  readonly hang: { readonly input: undefined; readonly output: undefined };
  readonly die: { readonly input: undefined; readonly output: undefined };
}

/** Calls that the thread makes to the test. */
export interface TestNews {
  readonly double: { readonly input: number; readonly output: number };
}

let calledOff = 0;

const host = serveThread<TestCalls, TestNews>({
  after: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => {
      calledOff += 1;
    });
    return ms;
  },
  fail: (message) => {
    const details = [{ field: "sql", reason: "wrong" }];
    const cause = new Error("underneath");
    throw new AppError("INVALID_ARGUMENT", message, { details, retryAfterMs: 5, cause });
  },
  throwAnything: () => {
    // A library may throw a value that is not an Error.
    throw new TypeError("a secret of the library");
  },
  askBack: (number): Promise<number> => host.call("double", number),
  calledOff: () => calledOff,
  hang: () => {
    for (;;);
  },
  die: () => {
    setImmediate(() => {
      throw new Error("died on purpose");
    });
    return new Promise<undefined>(() => undefined);
  },
});
