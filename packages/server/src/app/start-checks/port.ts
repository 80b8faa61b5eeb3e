import { createServer } from "node:net";
import { fail, ok, reasonOf, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/** Time limit for the response of a server that already listens, in ms. */
const ANSWER_MS = 2000;

/** Checks that a server can listen on the port. If not, the check reports what listens there. */
export async function checkPort(name: string, host: string, port: number): Promise<Finding> {
  const where = `${host}:${String(port)}`;
  const failure = await tryToListen(host, port);
  if (failure === undefined) return ok(name, port === 0 ? "any free one" : `${where} is free`);
  if (failure.code !== "EADDRINUSE") {
    return fail(name, `${where}: ${reasonOf(failure)}`, "choose another with --host or --port");
  }
  if (await isSteward(host, port)) {
    const found = `a Steward server answers on ${where}`;
    return warn(name, found, "use it, or start another with a --port of its own");
  }
  return fail(name, `something else listens on ${where}`, "stop it, or choose another --port");
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function isSteward(host: string, port: number): Promise<boolean> {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${String(port)}/healthz`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    // A JSON response of another server lacks these fields and is rejected.
    const body = (await answer.json()) as { readonly data?: { readonly status?: unknown } };
    return body.data?.status === "alive";
  } catch {
    // The program that listens on the port is no Steward server.
    return false;
  }
}
