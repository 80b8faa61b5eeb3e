import { AppError } from "@steward/kernel/errors.js";
import { epochSeconds } from "./date-time.js";
import { HASH_BYTES, type Hash, hashAt, hashOf } from "../blocks/hash.js";
import { numericDatatype, numericLiteral } from "./numeric-literal.js";
import { refuseMisplaced, statementOf } from "./placement.js";
import {
  checkDirection,
  checkIri,
  checkLabel,
  checkLanguage,
  checkText,
  refuseDirection,
} from "./term-checks.js";
import {
  BlankNode,
  DEFAULT_GRAPH,
  type Direction,
  Literal,
  NamedNode,
  type ObjectTerm,
  RDF_DIR_LANG_STRING,
  RDF_LANG_STRING,
  type Subject,
  type Term,
  type TermLike,
  TripleTerm,
  XSD_DATE_TIME,
  XSD_STRING,
} from "./term.js";

/**
 * The encoding of terms (Decision §13): a tag, the content, a terminator. Comparing encodings
 * compares terms, no encoding is a prefix of another term's, and every term has exactly one
 * encoding. A triple term is its tag followed by the encodings of its three terms. The tags leave
 * gaps for future kinds of terms.
 */
export const TAG = {
  defaultGraph: 0x01,
  iri: 0x10,
  blank: 0x18,
  string: 0x20,
  languageString: 0x21,
  directionalString: 0x22,
  number: 0x28,
  dateTime: 0x30,
  typed: 0x38,
  triple: 0x48,
} as const;

const TERMINATOR = 0x00;
/** After a NUL: the NUL is part of the content. UTF-8 never contains this byte. */
const ESCAPED = 0xff;
/** After a NUL: the rest of the content is in a separate block, whose hash follows. */
const BODY = 0xfe;

/** Longest lexical form that is stored in the key itself, in bytes of UTF-8. */
const INLINE_BYTES_MAX: number = 256;
/** Bytes of a longer form that are stored in the key, so that keys still sort by it. */
const PREFIX_BYTES: number = 64;

/** Stores the block of a literal that is too long for a key. */
export type BodySink = (hash: Hash, body: Buffer) => void;
/** Reads the block of a literal that is too long for a key. */
export type BodySource = (hash: Hash) => Uint8Array;

/**
 * Encodes a term.
 * @param out must have three bytes per UTF-16 unit of the term and 64 more.
 * @returns the position after the term.
 * @throws AppError `INVALID_ARGUMENT` for an IRI, a label or a text that RDF does not allow.
 */
export function writeTerm(term: TermLike, out: Buffer, at: number, body: BodySink): number {
  switch (term.termType) {
    case "NamedNode":
      return writeName(TAG.iri, checkIri(term.value), out, at);
    case "BlankNode":
      return writeName(TAG.blank, checkLabel(term.value), out, at);
    case "Literal":
      return writeLiteral(term, out, at, body);
    case "Quad":
      return writeTriple(term, out, at, body);
    case "DefaultGraph":
      out[at] = TAG.defaultGraph;
      return at + 1;
    default:
      throw new AppError("INVALID_ARGUMENT", `A term of type ${term.termType} cannot be stored`);
  }
}

/** A triple term needs no terminator, because none of its three terms is a prefix of another. */
function writeTriple(term: TermLike, out: Buffer, at: number, body: BodySink): number {
  const triple = statementOf(term);
  refuseMisplaced(triple, "triple term");
  out[at] = TAG.triple;
  const predicateAt = writeTerm(triple.subject, out, at + 1, body);
  const objectAt = writeTerm(triple.predicate, out, predicateAt, body);
  return writeTerm(triple.object, out, objectAt, body);
}

function writeLiteral(term: TermLike, out: Buffer, at: number, body: BodySink): number {
  const lexical = checkText(term.value, "a literal");
  const datatype = term.datatype?.value ?? XSD_STRING.value;
  if (datatype === RDF_DIR_LANG_STRING.value) return writeDirectional(term, out, at, body);
  refuseDirection(term);
  if (datatype === XSD_STRING.value) {
    out[at] = TAG.string;
    return writeContent(lexical, out, at + 1, body);
  }
  if (datatype === RDF_LANG_STRING.value) {
    out[at] = TAG.languageString;
    const language = checkLanguage(term.language ?? "");
    return writeBytes(language, out, writeContent(lexical, out, at + 1, body));
  }
  return writeTyped(lexical, datatype, out, at, body);
}

function writeDirectional(term: TermLike, out: Buffer, at: number, body: BodySink): number {
  out[at] = TAG.directionalString;
  const language = checkLanguage(term.language ?? "");
  const direction = checkDirection(term.direction ?? "");
  const languageAt = writeContent(checkText(term.value, "a literal"), out, at + 1, body);
  return writeBytes(direction, out, writeBytes(language, out, languageAt));
}

/** Short numbers and times sort by value; all other literals by datatype, then by lexical form. */
function writeTyped(
  lexical: string,
  datatype: string,
  out: Buffer,
  at: number,
  body: BodySink,
): number {
  if (lexical.length <= INLINE_BYTES_MAX) {
    const number = numericLiteral(lexical, datatype);
    if (number !== undefined) {
      out[at] = TAG.number;
      out[writeOrdered(number.value, out, at + 1)] = number.code;
      return writeBytes(lexical, out, at + 10);
    }
    const seconds = datatype === XSD_DATE_TIME.value ? epochSeconds(lexical) : undefined;
    if (seconds !== undefined) {
      out[at] = TAG.dateTime;
      return writeBytes(lexical, out, writeOrdered(seconds, out, at + 1));
    }
  }
  const next = writeName(TAG.typed, checkIri(datatype), out, at);
  return writeContent(lexical, out, next, body);
}

function writeName(tag: number, name: string, out: Buffer, at: number): number {
  out[at] = tag;
  return writeBytes(name, out, at + 1);
}

/** Writes text without NUL characters. */
function writeBytes(content: string, out: Buffer, at: number): number {
  const end = at + out.write(content, at, "utf8");
  out[end] = TERMINATOR;
  return end + 1;
}

function writeContent(lexical: string, out: Buffer, at: number, body: BodySink): number {
  if (lexical.length > INLINE_BYTES_MAX || Buffer.byteLength(lexical) > INLINE_BYTES_MAX) {
    return writeLong(Buffer.from(lexical), out, at, body);
  }
  if (!lexical.includes("\0")) return writeBytes(lexical, out, at);
  const end = writeEscaped(Buffer.from(lexical), out, at);
  out[end] = TERMINATOR;
  return end + 1;
}

function writeLong(content: Buffer, out: Buffer, at: number, body: BodySink): number {
  const hash = hashOf(content);
  body(hash, content);
  const end = writeEscaped(content.subarray(0, PREFIX_BYTES), out, at);
  out[end] = TERMINATOR;
  out[end + 1] = BODY;
  return end + 2 + out.write(hash, end + 2, "hex");
}

function writeEscaped(content: Buffer, out: Buffer, start: number): number {
  let at = start;
  for (const byte of content) {
    out[at++] = byte;
    if (byte === TERMINATOR) out[at++] = ESCAPED;
  }
  return at;
}

/**
 * Writes eight bytes that compare like the numbers. Both zeros have the same bytes, and NaN sorts
 * last.
 */
function writeOrdered(value: number, out: Buffer, at: number): number {
  out.writeDoubleBE(value + 0, at);
  if (Number.isNaN(value)) {
    out.fill(0xff, at, at + 8);
  } else if (value < 0) {
    for (let index = at; index < at + 8; index++) out[index] = ~out.readUInt8(index) & 0xff;
  } else {
    out[at] = out.readUInt8(at) | 0x80;
  }
  return at + 8;
}

/** Position after the term that begins here; 0 when bytes are missing. */
export function termEnd(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case TAG.defaultGraph:
      return at + 1;
    case TAG.number:
      return nameEnd(bytes, at + 10);
    case TAG.dateTime:
      return nameEnd(bytes, at + 9);
    case TAG.string:
      return contentEnd(bytes, at + 1);
    case TAG.languageString:
      return nameEnd(bytes, contentEnd(bytes, at + 1));
    case TAG.directionalString:
      return nameEnd(bytes, nameEnd(bytes, contentEnd(bytes, at + 1)));
    case TAG.typed:
      return contentEnd(bytes, nameEnd(bytes, at + 1));
    case TAG.triple: {
      const objectAt = tripleObjectAt(bytes, at);
      return objectAt === 0 ? 0 : termEnd(bytes, objectAt);
    }
    default:
      return nameEnd(bytes, at + 1);
  }
}

/** The encoded subject and object of a triple term. */
export function splitTriple(bytes: Buffer): { readonly subject: Buffer; readonly object: Buffer } {
  return {
    subject: bytes.subarray(1, termEnd(bytes, 1)),
    object: bytes.subarray(tripleObjectAt(bytes, 0)),
  };
}

/** Position of a triple term's object; 0 when bytes are missing. */
function tripleObjectAt(bytes: Buffer, at: number): number {
  const predicateAt = termEnd(bytes, at + 1);
  return predicateAt === 0 ? 0 : termEnd(bytes, predicateAt);
}

/** Position after the terminator of text without NUL characters. Any byte may follow. */
function nameEnd(bytes: Buffer, start: number): number {
  let at = start;
  // A loop is faster than a call into the runtime, because names are short.
  for (let byte = bytes[at]; byte !== TERMINATOR; byte = bytes[at]) {
    if (byte === undefined) return 0;
    at += 1;
  }
  return at + 1;
}

/**
 * The position after the encoded content of a term, which ends with a terminator or a hash. In a
 * key, another term always follows.
 */
function contentEnd(bytes: Buffer, start: number): number {
  const end = contentNul(bytes, start);
  return bytes[end + 1] === BODY ? end + 2 + HASH_BYTES : end + 1;
}

/** Position of the first NUL that is not part of the content. */
function contentNul(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(TERMINATOR, start);
  while (bytes[at + 1] === ESCAPED) at = bytes.indexOf(TERMINATOR, at + 2);
  return at;
}

/** The hash of the block that holds the term's content, if it has one. */
export function bodyHash(bytes: Buffer, at: number): Hash | undefined {
  switch (bytes[at]) {
    case TAG.string:
    case TAG.languageString:
    case TAG.directionalString:
      return contentHash(bytes, at + 1);
    case TAG.typed:
      return contentHash(bytes, nameEnd(bytes, at + 1));
    case TAG.triple: {
      // Only the object of a triple term can be a literal.
      const objectAt = tripleObjectAt(bytes, at);
      return objectAt === 0 ? undefined : bodyHash(bytes, objectAt);
    }
    default:
      return undefined;
  }
}

function contentHash(bytes: Buffer, start: number): Hash | undefined {
  const end = contentNul(bytes, start);
  return bytes[end + 1] === BODY ? hashAt(bytes, end + 2) : undefined;
}

/** Whether these bytes may contain a term with a separate block. */
export function mayNameBody(bytes: Buffer): boolean {
  return bytes.includes(BODY);
}

/**
 * Decodes a term.
 * @throws AppError `STATE_CORRUPTED` for an unknown tag, or when the term's block cannot be read.
 */
export function readTerm(bytes: Buffer, at: number, body: BodySource): Term {
  const tag = bytes[at];
  switch (tag) {
    case TAG.defaultGraph:
      return DEFAULT_GRAPH;
    case TAG.iri:
      return new NamedNode(readName(bytes, at + 1));
    case TAG.blank:
      return new BlankNode(readName(bytes, at + 1));
    case TAG.string:
      return new Literal(readContent(bytes, at + 1, body), XSD_STRING, "");
    case TAG.languageString: {
      const language = readName(bytes, contentEnd(bytes, at + 1));
      return new Literal(readContent(bytes, at + 1, body), RDF_LANG_STRING, language);
    }
    case TAG.directionalString: {
      const languageAt = contentEnd(bytes, at + 1);
      const direction = readDirection(bytes, nameEnd(bytes, languageAt));
      const content = readContent(bytes, at + 1, body);
      return new Literal(content, RDF_DIR_LANG_STRING, readName(bytes, languageAt), direction);
    }
    case TAG.number: {
      const datatype = new NamedNode(numericDatatype(bytes.readUInt8(at + 9)) ?? "");
      return new Literal(readName(bytes, at + 10), datatype, "");
    }
    case TAG.dateTime:
      return new Literal(readName(bytes, at + 9), XSD_DATE_TIME, "");
    case TAG.typed: {
      const datatype = new NamedNode(readName(bytes, at + 1));
      return new Literal(readContent(bytes, nameEnd(bytes, at + 1), body), datatype, "");
    }
    case TAG.triple:
      return readTriple(bytes, at, body);
    default:
      throw new AppError("STATE_CORRUPTED", `No kind of term has the tag ${String(tag)}`);
  }
}

function readTriple(bytes: Buffer, at: number, body: BodySource): TripleTerm {
  const objectAt = tripleObjectAt(bytes, at);
  if (objectAt === 0) throw new AppError("STATE_CORRUPTED", "A triple term ends too early");
  // The positions of terms were checked when the term was encoded.
  return new TripleTerm(
    readTerm(bytes, at + 1, body) as Subject,
    readTerm(bytes, termEnd(bytes, at + 1), body) as NamedNode,
    readTerm(bytes, objectAt, body) as ObjectTerm,
  );
}

function readDirection(bytes: Buffer, start: number): Direction {
  const direction = readName(bytes, start);
  if (direction === "ltr" || direction === "rtl") return direction;
  throw new AppError("STATE_CORRUPTED", "A literal's base direction is neither ltr nor rtl");
}

/** Like {@link readTerm}, for a term whose end is known. */
export function readTermTo(bytes: Buffer, at: number, end: number, body: BodySource): Term {
  const tag = bytes[at];
  if (tag === TAG.iri) return new NamedNode(bytes.toString("utf8", at + 1, end - 1));
  return tag === TAG.defaultGraph ? DEFAULT_GRAPH : readTerm(bytes, at, body);
}

function readName(bytes: Buffer, start: number): string {
  return bytes.toString("utf8", start, bytes.indexOf(TERMINATOR, start));
}

function readContent(bytes: Buffer, start: number, body: BodySource): string {
  const end = contentNul(bytes, start);
  if (bytes[end + 1] === BODY) return Buffer.from(body(hashAt(bytes, end + 2))).toString("utf8");
  const first = bytes.indexOf(TERMINATOR, start);
  if (first === end) return bytes.toString("utf8", start, end);
  const unescaped = bytes.subarray(start, end).filter((byte) => byte !== ESCAPED);
  return Buffer.from(unescaped).toString("utf8");
}
