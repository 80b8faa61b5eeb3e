import type {
  AcceptDriftRequest,
  AcceptedDrift,
  Migration,
  MigrationProof,
  MigrationProposal,
  RunMigrationRequest,
  SchemaDiff,
  SchemaDiffQuery,
  SchemaDrift,
  SchemaDump,
  UnchangedSchema,
} from "@steward/protocol/rest";
import type { Http } from "./http.js";
import type { CallOptions } from "./plans.js";

/**
 * Migrations: everything the server's `/api/state/migrations` offers, for those who may change schemas.
 * Calls reject with a StewardError.
 */
export interface Migrations {
  /**
   * Works out how a database comes to have a schema, and proves it. Not tried again by itself. The status
   * `unchanged` says that the database has the schema already: nothing is to be done, and nothing was kept.
   */
  propose(proposal: MigrationProposal, options?: CallOptions): Promise<Migration | UnchangedSchema>;
  /** The newest first. */
  list(options?: CallOptions): Promise<readonly Migration[]>;
  show(id: string, options?: CallOptions): Promise<Migration>;
  /** Tries a migration, up and down, on a scratch database. */
  verify(id: string, options?: CallOptions): Promise<MigrationProof>;
  /** Applying what is applied changes nothing. */
  apply(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** Reverting what is reverted changes nothing. */
  revert(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** Goes on with a run that stopped half way. */
  resume(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** Takes back what a run that stopped half way has done, and nothing else. */
  undo(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** What leads from the schema of one commit to that of another, and back. */
  diff(query: SchemaDiffQuery, options?: CallOptions): Promise<SchemaDiff>;
  /** The present schema of a database as SQL that can be proposed; of the only one unless it is named. */
  dump(database?: string, options?: CallOptions): Promise<SchemaDump>;
  /** How a database is, beside how it was left. */
  drift(database: string, options?: CallOptions): Promise<SchemaDrift>;
  /** Takes a database as it is for what it should be. */
  acceptDrift(request: AcceptDriftRequest, options?: CallOptions): Promise<AcceptedDrift>;
}

/** Migrations over HTTP. */
export function createMigrations(http: Http): Migrations {
  const get = <Payload>(path: string, { signal }: CallOptions = {}): Promise<Payload> =>
    http.call({ method: "GET", path, idempotent: true, signal });
  const post = <Payload>(
    path: string,
    body: unknown,
    idempotent: boolean,
    { signal }: CallOptions = {},
  ): Promise<Payload> => http.call({ method: "POST", path, body, idempotent, signal });
  const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;
  return {
    propose: (body, options) => post(PATH, body, false, options),
    list: (options) => get(PATH, options),
    show: (id, options) => get(pathOf(id), options),
    verify: (id, options) => post(`${pathOf(id)}/verify`, {}, true, options),
    apply: (id, body = {}, options) => post(`${pathOf(id)}/apply`, body, true, options),
    revert: (id, body = {}, options) => post(`${pathOf(id)}/revert`, body, true, options),
    resume: (id, body = {}, options) => post(`${pathOf(id)}/resume`, body, false, options),
    undo: (id, body = {}, options) => post(`${pathOf(id)}/undo`, body, false, options),
    diff: (query, { signal } = {}) =>
      http.call({ method: "GET", path: DIFF, query: { ...query }, idempotent: true, signal }),
    dump: (database, { signal } = {}) =>
      http.call({
        method: "GET",
        path: DUMP,
        query: database === undefined ? {} : { database },
        idempotent: true,
        signal,
      }),
    drift: (database, { signal } = {}) =>
      http.call({ method: "GET", path: DRIFT, query: { database }, idempotent: true, signal }),
    acceptDrift: (body, options) => post(DRIFT, body, true, options),
  };
}

const PATH = "/api/state/migrations";
const DIFF = "/api/state/schema-diff";
const DUMP = "/api/state/schema";
const DRIFT = "/api/state/drift";
