import { createClient } from "@steward/client";
import { QueryClient } from "@tanstack/react-query";
import { chosenOrganization, chosenRole } from "./organization.js";
import { isReached, noteReached, onConnectionChange } from "./connection.js";

/** Time limit of one attempt of a call, in ms. The server answers all that the console asks in less. */
const CALL_MS_MAX = 30_000;
/** Time between two tries to reach a server that did not answer, in ms. */
const PING_MS = 2000;
/** Time for which an answer is shown again without asking the server, in ms. */
const FRESH_MS = 2000;

/** The client of the public API, with the browser's session. The console uses no other API. */
export const client = createClient({
  baseUrl: window.location.origin,
  // Shows the server that a script of its own page sends the request, and not a form of another site.
  headers: { "x-steward-console": "1" },
  timeout: CALL_MS_MAX,
  maxRetries: 1,
  fetch: fetchNoted,
});

/** The answers of the server, which pages share. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The client itself retries requests that are safe to repeat.
      retry: false,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

/** `fetch`, which notes whether the server could be reached. */
async function fetchNoted(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, { ...init, headers: headersOf(init) });
    noteReached(true);
    if (response.status === 401) askToSignIn();
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) noteReached(false);
    throw error;
  }
}

/** The headers of a call, with the organization and the role that the person has chosen. */
function headersOf(init: RequestInit | undefined): Headers {
  const headers = new Headers(init?.headers);
  const organization = chosenOrganization.get();
  if (organization !== "") headers.set("x-org-id", organization);
  const role = chosenRole.get();
  if (role !== "") headers.set("x-user-role", role);
  return headers;
}

/** Leads to the sign-in, and from there back to this page. */
function askToSignIn(): void {
  const { pathname, search, hash } = window.location;
  if (pathname === "/sign-in") return;
  const returnTo = encodeURIComponent(`${pathname}${search}${hash}`);
  // Reloading the page drops the data of the person who was signed in before.
  window.location.assign(`/sign-in?return_to=${returnTo}`);
}

/** Asks whether the server is there, and notes the answer. A proxy's error page is none. */
export async function isServerThere(): Promise<boolean> {
  const isThere = await fetch("/healthz").then(
    ({ ok }) => ok,
    () => false,
  );
  noteReached(isThere);
  return isThere;
}

/** While the server cannot be reached, asks whether it is back, and then asks for everything anew. */
export function followConnection(): void {
  let timer: number | undefined;
  onConnectionChange(() => {
    window.clearInterval(timer);
    if (isReached()) {
      void queries.invalidateQueries();
      return;
    }
    timer = window.setInterval(() => {
      void isServerThere();
    }, PING_MS);
  });
}
