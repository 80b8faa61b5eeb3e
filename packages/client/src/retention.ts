import type {
  LegalHold,
  LiftedHold,
  NewLegalHold,
  NewRetention,
  Retention as RetentionInForce,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import type { CallOptions } from "./plans.js";

/** Retention and legal holds: the routes under `/api/retention` and `/api/holds`. Calls reject with a StewardError. */
export interface Retention {
  /** For how long the organization's data is kept. */
  show(options?: CallOptions): Promise<RetentionInForce>;
  /** Changes the named periods; null: the operator's. */
  set(periods: NewRetention, options?: CallOptions): Promise<RetentionInForce>;
  /** The legal holds, oldest first. */
  holds(options?: CallOptions): Promise<readonly LegalHold[]>;
  /** Not retried automatically, because each request places a hold. */
  placeHold(hold: NewLegalHold, options?: CallOptions): Promise<LegalHold>;
  /** Not retried automatically: a second request finds no hold. */
  liftHold(holdId: string, options?: CallOptions): Promise<LiftedHold>;
}

export function createRetention(http: Http): Retention {
  return {
    show: ({ signal } = {}) => http.call({ method: "GET", path: PATH, idempotent: true, signal }),
    set: (body, { signal } = {}) =>
      http.call({ method: "PUT", path: PATH, body, idempotent: true, signal }),
    holds: ({ signal } = {}) => http.call({ method: "GET", path: HOLDS, idempotent: true, signal }),
    placeHold: (body, { signal } = {}) =>
      http.call({ method: "POST", path: HOLDS, body, idempotent: false, signal }),
    liftHold: (holdId, { signal } = {}) =>
      http.call({
        method: "DELETE",
        path: `${HOLDS}/${encodeURIComponent(holdId)}`,
        idempotent: false,
        signal,
      }),
  };
}

const PATH = "/api/retention";
const HOLDS = "/api/holds";
