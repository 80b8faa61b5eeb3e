import { StewardError } from "@steward/client";

/** Silence of the server after which it is probed, in ms. */
const SILENCE_MS = 2_000;
/** Time limit of the probe, in ms: a busy server takes its turn, and one that hangs never does. */
const PROBE_MS = 10_000;

/**
 * A `fetch` that does not wait for ever for a server that accepts connections and never responds. A
 * request may legitimately take long, so after a period of silence the server is probed once over a
 * second connection. A server that has answered once is there, however busy it is later.
 */
export function watchedFetch(
  baseUrl: string,
  { silenceMs = SILENCE_MS, probeMs = PROBE_MS }: WatchLimits = {},
): typeof fetch {
  let hasAnswered = false;
  return async (input, init = {}) => {
    const given = init.signal ?? undefined;
    const silent = new AbortController();
    const probe = async (): Promise<void> => {
      const isUp = await isThere(baseUrl, probeMs);
      hasAnswered ||= isUp;
      if (!hasAnswered) silent.abort(noAnswer(baseUrl));
    };
    const timer = setTimeout(() => {
      if (!hasAnswered) void probe();
    }, silenceMs);
    try {
      const signals = given === undefined ? [silent.signal] : [given, silent.signal];
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      hasAnswered = true;
      return response;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Time limits of a watched request, in ms. */
interface WatchLimits {
  readonly silenceMs?: number;
  readonly probeMs?: number;
}

async function isThere(baseUrl: string, probeMs: number): Promise<boolean> {
  try {
    const url = `${baseUrl.replace(/\/+$/, "")}/healthz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(probeMs) });
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
