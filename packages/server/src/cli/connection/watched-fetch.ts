import { StewardError } from "@steward/client";

/** Silence of the server after which it is probed, in ms. */
const SILENCE_MS = 2_000;
/** Time limit of the probe, in ms; its response needs no store. */
const PROBE_MS = 2_000;

/**
 * A `fetch` that does not wait for ever for a server that accepts connections and never responds. A
 * request may legitimately take long, so after a period of silence the server is probed once over a
 * second connection.
 */
export function watchedFetch(baseUrl: string, silenceMs: number = SILENCE_MS): typeof fetch {
  return async (input, init = {}) => {
    const given = init.signal ?? undefined;
    const silent = new AbortController();
    let answered = false;
    const timer = setTimeout(() => {
      isThere(baseUrl).then(
        (there) => {
          if (!there && !answered) silent.abort(noAnswer(baseUrl));
        },
        () => undefined,
      );
    }, silenceMs);
    try {
      const signals = given === undefined ? [silent.signal] : [given, silent.signal];
      return await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    } finally {
      answered = true;
      clearTimeout(timer);
    }
  };
}

async function isThere(baseUrl: string): Promise<boolean> {
  try {
    const url = `${baseUrl.replace(/\/+$/, "")}/healthz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function noAnswer(baseUrl: string): StewardError {
  const server = new URL(baseUrl).origin;
  const message = `${server} accepts connections but does not answer: it hangs, or it is not a Steward server`;
  return new StewardError("BAD_RESPONSE", message);
}
