import { EXIT } from "../exit-code.js";

/**
 * Signals within this interval count as one, because npm forwards a Ctrl-C that the program has
 * received already.
 */
const SAME_SIGNAL_MS = 300;

/**
 * Calls `first` at the first Ctrl-C or SIGTERM. The second signal ends the process at once, so that
 * nobody needs kill -9. Disposal removes the handlers.
 */
export function onStopSignal(first: () => void): Disposable {
  let firstAtMs: number | undefined;
  const stop = (): void => {
    const nowMs = performance.now();
    if (firstAtMs === undefined) {
      firstAtMs = nowMs;
      first();
    } else if (nowMs - firstAtMs > SAME_SIGNAL_MS) {
      process.exit(EXIT.failed);
    }
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return {
    [Symbol.dispose]: () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
    },
  };
}
