import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../kernel/assert.js";
import { AppError } from "../../kernel/errors.js";
import {
  type JsonAtomicTerm,
  jsonQuad,
  type JsonQuad,
  type JsonTerm,
  type QuadLike,
  type QueryAnswer,
} from "../../state/index.js";
import type { WorkerMessage, WorkerRequest, WorkerSettings } from "./worker-protocol.js";

/**
 * The thread that runs queries: one that never ends can be ended with it, and the memory that a dataset takes in
 * the engine goes when the thread does.
 */
const { packageName, answerBytesMax } = workerData as WorkerSettings;
const port = parentPort;
assert(port !== null, "the query worker runs in a worker thread");

/** The part of the engine that is used. */
interface Oxigraph {
  readonly Store: new () => OxigraphStore;
  readonly namedNode: (value: string) => unknown;
  readonly blankNode: (label: string) => unknown;
  readonly literal: (value: string, languageOrDatatype?: unknown) => unknown;
  readonly defaultGraph: () => unknown;
  readonly quad: (s: unknown, p: unknown, o: unknown, g: unknown) => unknown;
}
interface OxigraphStore {
  load(text: string, options: { readonly format: string; readonly lenient: boolean }): void;
  add(quad: unknown): void;
  query(sparql: string, options?: { readonly results_format: string }): unknown;
}

let oxigraph: Oxigraph | undefined;
let store: OxigraphStore | undefined;
try {
  oxigraph = ((await import(packageName)) as { default: Oxigraph }).default;
} catch {
  // Each query is told so.
}
post({ kind: "ready" });

port.on("message", (request: WorkerRequest) => {
  switch (request.kind) {
    case "begin":
      store = oxigraph && new oxigraph.Store();
      return;
    case "piece":
      // What was written from our own terms needs no second look.
      store?.load(request.text, { format: "application/n-quads", lenient: true });
      for (const quad of request.quads) store?.add(foreignQuad(quad));
      return;
    case "query":
      try {
        post({ kind: "answered", answer: answer(request.sparql) });
      } catch (error) {
        const { code, message } = AppError.from(error);
        post({ kind: "failed", code, message });
      }
  }
});

function post(message: WorkerMessage): void {
  port?.postMessage(message);
}

function answer(sparql: string): QueryAnswer {
  if (store === undefined) {
    throw new AppError(
      "UNIMPLEMENTED",
      `SPARQL needs the package ${packageName}, which is not installed: npm install ${packageName}`,
    );
  }
  const found = run(store, sparql);
  if (typeof found !== "string") {
    return { kind: "quads", quads: (found as readonly QuadLike[]).map(jsonQuad) };
  }
  if (Buffer.byteLength(found) > answerBytesMax) {
    throw new AppError(
      "LIMIT_EXCEEDED",
      `The answer has more than ${answerBytesMax} bytes: ask for less with LIMIT`,
    );
  }
  const { boolean, head, results } = JSON.parse(found) as JsonResults;
  if (boolean !== undefined) return { kind: "boolean", value: boolean };
  return { kind: "solutions", variables: head.vars ?? [], rows: results?.bindings ?? [] };
}

/** The SPARQL 1.2 Query Results JSON Format. */
interface JsonResults {
  readonly head: { readonly vars?: readonly string[] };
  readonly boolean?: boolean;
  readonly results?: { readonly bindings: readonly Record<string, JsonTerm>[] };
}

/** Solutions and truth as JSON text; quads as they are, for which there is no such text. */
function run(from: OxigraphStore, sparql: string): unknown {
  try {
    return from.query(sparql, { results_format: "application/sparql-results+json" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/^Not supported RDF format/.test(message)) throw refused(message, error);
  }
  try {
    return from.query(sparql);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error), error);
  }
}

function refused(message: string, cause: unknown): AppError {
  const [, line, column, reason] = /^error at (\d+):(\d+): (.*)$/s.exec(message) ?? [];
  const told =
    line === undefined ? message : `line ${line}, column ${column ?? ""}: ${reason ?? ""}`;
  return new AppError("INVALID_ARGUMENT", `sparql: ${told}`, { cause });
}

function foreignQuad({ subject, predicate, object, graph }: JsonQuad): unknown {
  return oxigraph?.quad(
    foreignTerm(subject),
    foreignTerm(predicate),
    foreignTerm(object),
    graph === undefined ? oxigraph.defaultGraph() : foreignTerm(graph),
  );
}

function foreignTerm(term: JsonTerm): unknown {
  switch (term.type) {
    case "uri":
      return oxigraph?.namedNode(term.value);
    case "bnode":
      return oxigraph?.blankNode(term.value);
    case "triple":
      return foreignQuad(term.value);
    case "literal":
      return foreignLiteral(term);
  }
}

function foreignLiteral(term: JsonAtomicTerm): unknown {
  const { value, "xml:lang": language, "its:dir": direction, datatype } = term;
  if (language === undefined) {
    return oxigraph?.literal(value, datatype && oxigraph.namedNode(datatype));
  }
  return oxigraph?.literal(value, direction === undefined ? language : { language, direction });
}
