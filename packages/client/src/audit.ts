import type {
  AuditConsistency,
  AuditConsistencyQuery,
  AuditPage,
  AuditQuery,
  AuditRecord,
  AuditWitness,
  ProvenAuditRecord,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import { eachItem } from "./paging.js";
import type { CallOptions } from "./plans.js";

/** The audit log: the routes under `/api/audit` and `/audit`. Calls reject with a StewardError. */
export interface Audit {
  /** One page of your organization's records, newest first. */
  list(query?: AuditQuery, options?: CallOptions): Promise<AuditPage>;
  /** All records, newest first, fetched page by page; `limit` is the page size. */
  listAll(query?: AuditQuery, options?: CallOptions): AsyncIterable<AuditRecord>;
  /** A record with the proof that the log contains it. @param index its place in the log. */
  record(index: number, options?: CallOptions): Promise<ProvenAuditRecord>;
  /** The proof that the log begins with an earlier state of it. */
  consistency(query: AuditConsistencyQuery, options?: CallOptions): Promise<AuditConsistency>;
  /** The newest checkpoint, a signed note; empty before the first record. */
  checkpoint(options?: CallOptions): Promise<string>;
  /** The operator's witnesses, each with the newest checkpoint that it has cosigned. */
  witnesses(options?: CallOptions): Promise<readonly AuditWitness[]>;
  /** A file of the log in the layout of C2SP tlog-tiles. @param path such as `tile/0/000`. */
  tile(path: string, options?: CallOptions): Promise<Uint8Array>;
}

export function createAudit(http: Http): Audit {
  const get = (path: string, signal: AbortSignal | undefined, query = {}) =>
    ({ method: "GET", path, query, idempotent: true, signal, headers: {} }) as const;
  const audit: Audit = {
    list: (query = {}, { signal } = {}) => http.call(get(`${PATH}/records`, signal, query)),
    listAll: (query = {}, options) =>
      eachItem(query, async (page) => {
        const { records: items, next_cursor: next } = await audit.list(page, options);
        return { items, next };
      }),
    record: (index, { signal } = {}) => http.call(get(`${PATH}/records/${String(index)}`, signal)),
    consistency: (query, { signal } = {}) => http.call(get(`${PATH}/consistency`, signal, query)),
    checkpoint: ({ signal } = {}) =>
      http.exchange({ ...get("/audit/checkpoint", signal), headers: ANY }, (response) =>
        response.text(),
      ),
    witnesses: ({ signal } = {}) => http.call(get(`${PATH}/witnesses`, signal)),
    tile: (path, { signal } = {}) =>
      http.exchange(
        { ...get(`/audit/${path}`, signal), headers: ANY },
        async (response) => new Uint8Array(await response.arrayBuffer()),
      ),
  };
  return audit;
}

const PATH = "/api/audit";

/** These answers are no JSON. */
const ANY = { accept: "*/*" };
