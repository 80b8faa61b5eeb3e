import type {
  Erasure,
  ErasureEstimate,
  NewErasure,
  LegalHold,
  LiftedHold,
  NewLegalHold,
  NewRetention,
  Retention as RetentionInForce,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import type { CallOptions } from "./plans.js";

/** Retention, legal holds and erasures: the routes under `/api/retention`, `/api/holds` and
 * `/api/erasures`. Calls reject with a StewardError. */
export interface Retention {
  /** For how long the organization's data is kept. */
  show(options?: CallOptions): Promise<RetentionInForce>;
  /** Changes the named periods; null goes back to the operator's period. */
  set(periods: NewRetention, options?: CallOptions): Promise<RetentionInForce>;
  /** The legal holds, oldest first. */
  holds(options?: CallOptions): Promise<readonly LegalHold[]>;
  /** Not retried automatically, because each request places a hold. */
  placeHold(hold: NewLegalHold, options?: CallOptions): Promise<LegalHold>;
  /** Not retried automatically: a second request finds no hold. */
  liftHold(holdId: string, options?: CallOptions): Promise<LiftedHold>;
  /** What an erasure would delete. Nothing is deleted. */
  estimateErasure(what: NewErasure, options?: CallOptions): Promise<ErasureEstimate>;
  /** Begins an erasure, which goes on in the background. Not retried automatically. */
  erase(what: NewErasure, options?: CallOptions): Promise<Erasure>;
  /** An erasure, or its receipt. */
  erasure(erasureId: string, options?: CallOptions): Promise<Erasure>;
  /** The newest erasures of the organization. */
  erasures(options?: CallOptions): Promise<readonly Erasure[]>;
}

const ERASURES = "/api/erasures";

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
    estimateErasure: (body, { signal } = {}) =>
      http.call({ method: "POST", path: `${ERASURES}/estimate`, body, idempotent: true, signal }),
    erase: (body, { signal } = {}) =>
      http.call({ method: "POST", path: ERASURES, body, idempotent: false, signal }),
    erasure: (erasureId, { signal } = {}) =>
      http.call({
        method: "GET",
        path: `${ERASURES}/${encodeURIComponent(erasureId)}`,
        idempotent: true,
        signal,
      }),
    erasures: ({ signal } = {}) =>
      http.call({ method: "GET", path: ERASURES, idempotent: true, signal }),
  };
}

const PATH = "/api/retention";
const HOLDS = "/api/holds";
