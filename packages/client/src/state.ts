import type {
  MovedStateRef,
  MoveStateRef,
  StateAnswer,
  StateCollection,
  StateCommit,
  StateDiff,
  StateDocumentQuery,
  StateFault,
  StateFormat,
  StateImport,
  StateImported,
  StateMerge,
  StateMerged,
  StatePage,
  StatePattern,
  StateProof,
  StateQuery,
  StateRef,
  StateRevert,
  StateReverted,
} from "@steward/protocol/rest";
import type { Http, HttpRequest, StreamedBody } from "./http.js";
import type { CallOptions } from "./plans.js";

/** A streamed document. */
export interface StateDocument extends StateDocumentQuery {
  readonly format: StateFormat;
  readonly content: StreamedBody;
}

/**
 * State: the routes under `/api/state`. A commit is named by a branch, a tag or its content id;
 * terms are in N-Triples syntax. Calls reject with a StewardError.
 */
export interface State {
  refs(options?: CallOptions): Promise<readonly StateRef[]>;
  /** Moves a ref if it is at the expected commit. Not retried automatically. */
  moveRef(move: MoveStateRef, options?: CallOptions): Promise<MovedStateRef>;
  /** A commit and its ancestors, newest first. */
  log(
    query?: { readonly from?: string; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly StateCommit[]>;
  diff(
    query?: { readonly from?: string; readonly to?: string; readonly limit?: number },
    options?: CallOptions,
  ): Promise<StateDiff>;
  /** The quads of a commit that match these terms. */
  at(
    query?: StatePattern & {
      readonly at?: string;
      readonly limit?: number;
      readonly offset?: number;
    },
    options?: CallOptions,
  ): Promise<StatePage>;
  query(query: StateQuery, options?: CallOptions): Promise<StateAnswer>;
  /** Imports a document as one commit. Not retried automatically. */
  import(document: StateImport, options?: CallOptions): Promise<StateImported>;
  /** Imports a streamed document of any size as one commit. Not retried automatically. */
  importDocument(document: StateDocument, options?: CallOptions): Promise<StateImported>;
  /** A commit's dataset as text, in pieces. */
  export(
    query?: { readonly at?: string; readonly format?: StateFormat; readonly graph?: string },
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
  proof(
    query: StatePattern & {
      readonly at?: string;
      readonly subject: string;
      readonly predicate: string;
      readonly object: string;
    },
    options?: CallOptions,
  ): Promise<StateProof>;
  /** Not retried automatically. */
  merge(merge: StateMerge, options?: CallOptions): Promise<StateMerged>;
  /** Reverts one commit by a new commit. Not retried automatically. */
  revert(revert: StateRevert, options?: CallOptions): Promise<StateReverted>;
  /** Checks all blocks reachable from refs, and returns the defects. */
  fsck(options?: CallOptions): Promise<readonly StateFault[]>;
  /** Deletes unreachable blocks. */
  gc(options?: CallOptions): Promise<StateCollection>;
}

export function createState(http: Http): State {
  const get = <Payload>(
    path: string,
    query: HttpRequest["query"] = {},
    { signal }: CallOptions = {},
  ): Promise<Payload> =>
    http.call({ method: "GET", path: `${STATE}/${path}`, query, idempotent: true, signal });
  const post = <Payload>(
    path: string,
    body: unknown,
    { signal }: CallOptions = {},
    idempotent = false,
  ): Promise<Payload> =>
    http.call({
      ...{ method: "POST", path: `${STATE}/${path}`, idempotent, signal },
      ...(body === undefined ? {} : { body }),
    });
  return {
    refs: (options) => get("refs", {}, options),
    moveRef: (move, options) => post("refs", move, options),
    log: (query = {}, options) => get("log", { ...query }, options),
    diff: (query = {}, options) => get("diff", { ...query }, options),
    at: (query = {}, options) => get("at", { ...query }, options),
    query: (query, options) => post("query", query, options, true),
    import: (document, options) => post("import", document, options),
    importDocument: ({ format, content, ...query }, { signal } = {}) =>
      http.call({
        method: "POST",
        path: `${STATE}/documents`,
        query: { ...query },
        headers: { "content-type": MEDIA_TYPES[format] },
        stream: content,
        idempotent: false,
        signal,
      }),
    export: async (query = {}, { signal } = {}) => {
      const path = `${STATE}/export`;
      const request = {
        method: "GET",
        path,
        query: { ...query },
        idempotent: true,
        signal,
      } as const;
      const { body } = await http.open({ ...request, headers: { accept: "*/*" } });
      return body ?? new ReadableStream({ start: (controller) => controller.close() });
    },
    proof: (query, options) => get("proof", { ...query }, options),
    merge: (merge, options) => post("merge", merge, options),
    revert: (revert, options) => post("revert", revert, options),
    fsck: (options) => post("fsck", undefined, options, true),
    gc: (options) => post("gc", undefined, options, true),
  };
}

const STATE = "/api/state";

const MEDIA_TYPES: Readonly<Record<StateFormat, string>> = {
  "n-triples": "application/n-triples",
  "n-quads": "application/n-quads",
  turtle: "text/turtle",
  trig: "application/trig",
  "json-ld": "application/ld+json",
};
