import type { audit as operations, AuditRecord, ClientOf, InputOf } from "@steward/operations";
import { AUDIT } from "./gen/routes.js";
import type { Http } from "./http.js";
import { callsOf } from "./operations/operation-calls.js";
import { eachItem } from "./paging.js";
import type { CallOptions } from "./plans.js";

/** The audit log: the routes under `/api/audit` and `/audit`. Calls reject with a StewardError. */
export interface Audit extends ClientOf<typeof operations, CallOptions> {
  /** All records, newest first, fetched page by page; `limit` is the page size. */
  eachAuditRecord(
    query?: InputOf<typeof operations.listAuditRecords>,
    options?: CallOptions,
  ): AsyncIterable<AuditRecord>;
  /** The newest checkpoint, a signed note; empty before the first record. */
  checkpoint(options?: CallOptions): Promise<string>;
  /** A file of the log in the layout of C2SP tlog-tiles. @param path such as `tile/0/000`. */
  tile(path: string, options?: CallOptions): Promise<Uint8Array>;
}

export function createAudit(http: Http): Audit {
  const calls = callsOf<typeof operations>(http, AUDIT);
  // These answers are no JSON.
  const file = (path: string, signal: AbortSignal | undefined) =>
    ({ method: "GET", path, idempotent: true, signal, headers: { accept: "*/*" } }) as const;
  return {
    ...calls,
    eachAuditRecord: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { records: items, next_cursor: next } = await calls.listAuditRecords(page, options);
        return { items, next };
      }),
    checkpoint: ({ signal } = {}) =>
      http.exchange(file("/audit/checkpoint", signal), (response) => response.text()),
    tile: (path, { signal } = {}) =>
      http.exchange(
        file(`/audit/${path}`, signal),
        async (response) => new Uint8Array(await response.arrayBuffer()),
      ),
  };
}
