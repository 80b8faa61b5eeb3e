import type { Session as SessionState, SignedIn, SignedOut } from "@steward/protocol/rest";
import type { Http } from "../http.js";
import type { CallOptions } from "../plans.js";

/**
 * Sign-in of a person who uses a browser: the route `/api/session`. The session is in a cookie that
 * scripts cannot read. Programs send a credential with every call instead. Calls reject with a
 * StewardError.
 */
export interface Session {
  /** Who the caller is, what it may do, and how to sign in; also for callers without a credential. */
  get(options?: CallOptions): Promise<SessionState>;
  /** Exchanges an API key for a session; a session that the browser had before ends. */
  signIn(apiKey: string, options?: CallOptions): Promise<SignedIn>;
  /** Ends the session. */
  signOut(options?: CallOptions): Promise<SignedOut>;
}

export function createSession(http: Http): Session {
  return {
    get: ({ signal } = {}) => http.call({ method: "GET", path: PATH, idempotent: true, signal }),
    signIn: (apiKey, { signal } = {}) =>
      http.call({
        ...{ method: "POST", path: PATH, headers: OWN_PAGE },
        ...{ body: { api_key: apiKey }, idempotent: false, signal },
      }),
    signOut: ({ signal } = {}) =>
      http.call({ method: "DELETE", path: PATH, headers: OWN_PAGE, idempotent: true, signal }),
  };
}

const PATH = "/api/session";
/** Shows that a script of the server's own page sends the request. */
const OWN_PAGE = { "x-steward-console": "1" } as const;
