import { AppError } from "@steward/kernel/errors.js";
import { STATE_TRIPLE_DEPTH_MAX } from "../limits.js";
import { type BodySink, type BodySource, readTerm, TAG, termEnd, writeTerm } from "./codec.js";
import type { Hash } from "../blocks/hash.js";
import { refuseMisplaced, statementOf } from "./placement.js";
import { KEY_BYTES_MAX } from "../tree/splitter.js";
import { Quad, type QuadLike, type TermLike } from "./term.js";
import type { Graph, NamedNode, ObjectTerm, Subject, Term } from "./term.js";

/** A position in a quad. */
export type Position = "subject" | "predicate" | "object" | "graph";

/** A sort order of quads: the order of the keys in one tree. */
export type Order = "spog" | "posg" | "ospg";

/** The positions of a quad in each order. */
export const ORDERS: Readonly<Record<Order, readonly [Position, Position, Position, Position]>> = {
  spog: ["subject", "predicate", "object", "graph"],
  posg: ["predicate", "object", "subject", "graph"],
  ospg: ["object", "subject", "predicate", "graph"],
};

/** A quad's encoded terms. */
export type QuadBytes = Readonly<Record<Position, Buffer>>;

/** Buffer size for encoding any term that fits into a key, at three bytes of UTF-8 per unit. */
const SCRATCH_BYTES = 4 * KEY_BYTES_MAX;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/**
 * Encodes a term.
 * @throws AppError `INVALID_ARGUMENT` for terms that RDF does not allow; `LIMIT_EXCEEDED` for terms
 * that are too long.
 */
export function termBytes(term: TermLike, body: BodySink): Buffer {
  if (nameLength(term, 0) > KEY_BYTES_MAX) throw tooLong();
  return Buffer.from(scratch.subarray(0, writeTerm(term, scratch, 0, body)));
}

/**
 * Converts a foreign RDF/JS term to our own class, with the values that decoding its key would
 * give.
 * @throws AppError as {@link termBytes} does.
 */
export function ownTerm(term: TermLike): Term {
  const bodies = new Map<Hash, Uint8Array>();
  const bytes = termBytes(term, (hash, body) => bodies.set(hash, body));
  return readTerm(Buffer.concat([bytes, END]), 0, (hash) => bodies.get(hash) ?? END);
}

/** A terminator: content is only decoded when another term follows. */
const END = Buffer.from([TAG.defaultGraph]);

/**
 * UTF-16 units of the parts that are never moved to a separate block: everything but a literal's
 * text.
 */
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

/**
 * Encodes a quad's terms.
 * @throws AppError as {@link termBytes} does, also for a misplaced term.
 */
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

/**
 * Checks that a quad can be stored.
 * @throws AppError as {@link quadBytes} does.
 */
export function checkQuad(quad: QuadLike): void {
  quadBytes(quad, () => undefined);
}

/** The error for a quad whose terms do not fit into a key. */
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

/** A quad's key in the tree of this order: its encoded terms, concatenated in that order. */
export function keyIn(order: Order, bytes: QuadBytes): Buffer {
  return Buffer.concat(ORDERS[order].map((position) => bytes[position]));
}

/**
 * Whether the order contains quads with this object. Quads with a literal are looked up by
 * predicate, as are quads with a triple term, which nearly always have the predicate rdf:reifies.
 */
export function isKeptIn(order: Order, object: Buffer): boolean {
  return order !== "ospg" || object[0] === TAG.iri || object[0] === TAG.blank;
}

/** Splits a key into its terms. */
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

/** Decodes a key. */
export function quadOf(order: Order, key: Buffer, body: BodySource): Quad {
  const bytes = splitKey(order, key);
  // The positions of terms were checked when the quad was written.
  return new Quad(
    readTerm(bytes.subject, 0, body) as Subject,
    readTerm(bytes.predicate, 0, body) as NamedNode,
    readTerm(bytes.object, 0, body) as ObjectTerm,
    readTerm(bytes.graph, 0, body) as Graph,
  );
}
