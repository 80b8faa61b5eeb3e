import { AppError } from "../kernel/errors.js";
import { STATE_TRIPLE_DEPTH_MAX } from "../kernel/limits.js";
import { type BodySink, type BodySource, readTerm, TAG, termEnd, writeTerm } from "./codec.js";
import type { Hash } from "./hash.js";
import { refuseMisplaced, statementOf } from "./placement.js";
import { KEY_BYTES_MAX } from "./splitter.js";
import { Quad, type QuadLike, type TermLike } from "./term.js";
import type { Graph, NamedNode, ObjectTerm, Subject, Term } from "./term.js";

/** A place in a quad. */
export type Position = "subject" | "predicate" | "object" | "graph";

/** An order in which quads are kept: the order of its tree's keys. */
export type Order = "spog" | "posg" | "ospg";

/** The places of a quad in each order. */
export const ORDERS: Readonly<Record<Order, readonly [Position, Position, Position, Position]>> = {
  spog: ["subject", "predicate", "object", "graph"],
  posg: ["predicate", "object", "subject", "graph"],
  ospg: ["object", "subject", "predicate", "graph"],
};

/** A quad's terms as bytes. */
export type QuadBytes = Readonly<Record<Position, Buffer>>;

/** Room for any term that a key has room for, in UTF-8 of three bytes per unit, before it is found too long. */
const SCRATCH_BYTES = 4 * KEY_BYTES_MAX;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/**
 * A term as bytes.
 * @throws AppError `INVALID_ARGUMENT` for what RDF does not allow, `LIMIT_EXCEEDED` for what is too long.
 */
export function termBytes(term: TermLike, body: BodySink): Buffer {
  if (nameLength(term, 0) > KEY_BYTES_MAX) throw tooLong();
  return Buffer.from(scratch.subarray(0, writeTerm(term, scratch, 0, body)));
}

/** The same term as one of our own, as a decoded key would give it. @throws AppError as {@link termBytes} does. */
export function ownTerm(term: TermLike): Term {
  const bodies = new Map<Hash, Uint8Array>();
  const bytes = termBytes(term, (hash, body) => bodies.set(hash, body));
  return readTerm(Buffer.concat([bytes, END]), 0, (hash) => bodies.get(hash) ?? END);
}

/** Content is only read with another term behind it. */
const END = Buffer.from([TAG.defaultGraph]);

/** UTF-16 units of what is not cut to fit: a literal's text is, its datatype and its language are not. */
function nameLength(term: TermLike, depth: number): number {
  if (term.termType === "Literal") {
    return (term.datatype?.value.length ?? 0) + (term.language ?? "").length;
  }
  if (term.termType !== "Quad") return term.value.length;
  if (depth === STATE_TRIPLE_DEPTH_MAX) throw tooDeep();
  const { subject, predicate, object } = statementOf(term);
  const inside = depth + 1;
  return nameLength(subject, inside) + nameLength(predicate, inside) + nameLength(object, inside);
}

/** A quad's terms as bytes. @throws AppError as {@link termBytes} does, also for a misplaced term. */
export function quadBytes(quad: QuadLike, body: BodySink): QuadBytes {
  refuseMisplaced(quad);
  const bytes = {
    subject: termBytes(quad.subject, body),
    predicate: termBytes(quad.predicate, body),
    object: termBytes(quad.object, body),
    graph: termBytes(quad.graph, body),
  };
  const { subject, predicate, object, graph } = bytes;
  if (subject.length + predicate.length + object.length + graph.length > KEY_BYTES_MAX) {
    throw tooLong();
  }
  return bytes;
}

/** Whether a quad can be stored. @throws AppError as {@link quadBytes} when it cannot. */
export function checkQuad(quad: QuadLike): void {
  quadBytes(quad, () => undefined);
}

/** What a quad is refused with whose terms do not fit into a key. */
export function tooLong(): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    `A quad's terms have ${KEY_BYTES_MAX} bytes at most together: shorten its IRIs`,
  );
}

function tooDeep(): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    `Triple terms nest ${STATE_TRIPLE_DEPTH_MAX} deep at most: give the inner one a reifier`,
  );
}

/** The quad's key in an order. */
export function keyIn(order: Order, bytes: QuadBytes): Buffer {
  return Buffer.concat(ORDERS[order].map((position) => bytes[position]));
}

/**
 * Whether the order keeps quads with this object. Who points to a literal is asked by its predicate, and so is who
 * points to a triple term, nearly always by rdf:reifies.
 */
export function isKeptIn(order: Order, object: Buffer): boolean {
  return order !== "ospg" || object[0] === TAG.iri || object[0] === TAG.blank;
}

/** Takes a key of an order apart. */
export function splitKey(order: Order, key: Buffer): QuadBytes {
  const bytes = { subject: key, predicate: key, object: key, graph: key };
  let at = 0;
  for (const position of ORDERS[order]) {
    const end = termEnd(key, at);
    bytes[position] = key.subarray(at, end);
    at = end;
  }
  return bytes;
}

/** The quad of a key. */
export function quadOf(order: Order, key: Buffer, body: BodySource): Quad {
  const bytes = splitKey(order, key);
  // What may stand in which place was checked when the quad was written.
  return new Quad(
    readTerm(bytes.subject, 0, body) as Subject,
    readTerm(bytes.predicate, 0, body) as NamedNode,
    readTerm(bytes.object, 0, body) as ObjectTerm,
    readTerm(bytes.graph, 0, body) as Graph,
  );
}
