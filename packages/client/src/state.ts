import type {
  ClientOf,
  state as operations,
  StateDocumentQuery,
  StateExportQuery,
  StateFormat,
  StateImport,
  StateImported,
} from "@steward/operations";
import { STATE } from "./gen/routes.js";
import type { Http, StreamedBody } from "./http.js";
import { callsOf } from "./operations/operation-calls.js";
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
export interface State extends ClientOf<typeof operations, CallOptions> {
  /** Imports a document as one commit. Not retried automatically. */
  importState(document: StateImport, options?: CallOptions): Promise<StateImported>;
  /** Imports a streamed document of any size as one commit. Not retried automatically. */
  importStateDocument(document: StateDocument, options?: CallOptions): Promise<StateImported>;
  /** A commit's dataset as text, in pieces. */
  exportState(query?: StateExportQuery, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

export function createState(http: Http): State {
  return {
    ...callsOf<typeof operations>(http, STATE),
    importState: (body, { signal } = {}) =>
      http.call({ method: "POST", path: "/api/state/import", body, idempotent: false, signal }),
    importStateDocument: ({ format, content, ...query }, { signal } = {}) =>
      http.call({
        method: "POST",
        path: "/api/state/documents",
        query: { ...query },
        headers: { "content-type": MEDIA_TYPES[format] },
        stream: content,
        idempotent: false,
        signal,
      }),
    exportState: async (query = {}, { signal } = {}) => {
      const { body } = await http.open({
        method: "GET",
        path: "/api/state/export",
        query: { ...query },
        headers: { accept: "*/*" },
        idempotent: true,
        signal,
      });
      return body ?? new ReadableStream({ start: (controller) => controller.close() });
    },
  };
}

const MEDIA_TYPES: Readonly<Record<StateFormat, string>> = {
  "n-triples": "application/n-triples",
  "n-quads": "application/n-quads",
  turtle: "text/turtle",
  trig: "application/trig",
  "json-ld": "application/ld+json",
};
