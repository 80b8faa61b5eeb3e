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
 * Migrations: the routes under `/api/state/migrations`, for schema admins. Calls reject with a
 * StewardError.
 */
export interface Migrations {
  /**
   * Plans and proves a migration to a wanted schema. Not retried automatically. The status
   * `unchanged` means that the database has the wanted schema already; nothing was stored then.
   */
  propose(proposal: MigrationProposal, options?: CallOptions): Promise<Migration | UnchangedSchema>;
  /** All migrations, newest first. */
  list(options?: CallOptions): Promise<readonly Migration[]>;
  show(id: string, options?: CallOptions): Promise<Migration>;
  /** Proves a migration again, up and down, in a scratch database. */
  verify(id: string, options?: CallOptions): Promise<MigrationProof>;
  /** Applying an applied migration has no effect. */
  apply(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** Reverting a reverted migration has no effect. */
  revert(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** Resumes an interrupted run. */
  resume(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** Undoes the changes of an interrupted run, and nothing else. */
  undo(id: string, request?: RunMigrationRequest, options?: CallOptions): Promise<Migration>;
  /** The scripts between the schemas of two commits, in both directions. */
  diff(query: SchemaDiffQuery, options?: CallOptions): Promise<SchemaDiff>;
  /**
   * The current schema of a database as SQL that can be proposed. The name may be omitted when
   * there is only one database.
   */
  dump(database?: string, options?: CallOptions): Promise<SchemaDump>;
  /** The difference between a database and its recorded schema. */
  drift(database: string, options?: CallOptions): Promise<SchemaDrift>;
  /** Records the actual schema of a database as the expected one. */
  acceptDrift(request: AcceptDriftRequest, options?: CallOptions): Promise<AcceptedDrift>;
}

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
