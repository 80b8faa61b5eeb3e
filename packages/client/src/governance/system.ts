import type { SystemStatus } from "@steward/protocol/rest";
import type { Http } from "../http.js";
import type { CallOptions } from "../plans.js";

/** The server as its operator sees it. Calls reject with a StewardError. */
export interface System {
  /** Health, nodes, queues, versions and settings, over all organizations; for operators. */
  status(options?: CallOptions): Promise<SystemStatus>;
}

export function createSystem(http: Http): System {
  return {
    status: ({ signal } = {}) =>
      http.call({ method: "GET", path: "/api/system", idempotent: true, signal }),
  };
}
