import type { JsonLdQuad, JsonLdTerm } from "jsonld";
import { AppError } from "@steward/kernel/errors.js";
import {
  blank,
  checkQuad,
  DEFAULT_GRAPH,
  iri,
  type Literal,
  quad,
  type Quad,
  type Term,
  text as plainText,
  typed,
} from "../index.js";
import { jsonErrorOffset } from "./json-syntax.js";
import { malformed, positionAt, type TextPosition } from "./text-position.js";

/**
 * Parses JSON-LD 1.1. Remote contexts are not fetched, because a server that requests any URL in a
 * document can be abused by attackers. Anything that the standard drops silently is refused.
 * @throws AppError `INVALID_ARGUMENT`, with line and column if the text contains the offending
 * value.
 */
export async function readJsonLd(text: string): Promise<readonly Quad[]> {
  const document = parseJson(text);
  const { default: jsonld } = await import("jsonld");
  try {
    const options = { safe: true, documentLoader: refuseToLoad };
    const expanded = await jsonld.expand(document, options);
    hideLosses(expanded);
    const quads = await jsonld.toRDF(expanded, { ...options, skipExpansion: true });
    return quads.map(ownQuad);
  } catch (error) {
    throw refusal(error, text);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const offset = jsonErrorOffset(text);
    const found = text.codePointAt(offset);
    const reason =
      found === undefined
        ? "The JSON ends too early"
        : `${JSON.stringify(String.fromCodePoint(found))} cannot stand here in JSON`;
    throw malformed(reason, positionAt(text, offset), error);
  }
}

function refuseToLoad(url: string): Promise<never> {
  const message = `The remote context ${url} is not fetched: put it into the document`;
  return Promise.reject(new AppError("INVALID_ARGUMENT", message));
}

const XSD_DOUBLE = "http://www.w3.org/2001/XMLSchema#double";
// Placeholder datatypes used while jsonld processes the document. Braces are not allowed in IRIs,
// so no document contains them.
const HIDDEN_DOUBLE = "urn:x-steward:{double}";
const HIDDEN_LTR = "urn:x-steward:{ltr}";
const HIDDEN_RTL = "urn:x-steward:{rtl}";

/**
 * Protects values that jsonld would lose. One is the lexical form of doubles written as text,
 * because the standard only converts numbers. The other is base directions, which JSON-LD 1.1
 * cannot represent as an RDF literal.
 */
function hideLosses(expanded: unknown): void {
  if (typeof expanded !== "object" || expanded === null) return;
  const node = expanded as Record<string, unknown>;
  if (node["@value"] === undefined) {
    for (const value of Object.values(node)) hideLosses(value);
  } else if (typeof node["@value"] === "string" && node["@type"] === XSD_DOUBLE) {
    node["@type"] = HIDDEN_DOUBLE;
  } else if (node["@direction"] !== undefined) {
    hideDirection(node);
  }
  // The content of a JSON literal is not changed.
}

/** Encodes language and base direction in a datatype. Only "ltr" and "rtl" pass expansion. */
function hideDirection(value: Record<string, unknown>): void {
  const { "@language": language, "@direction": direction } = value;
  if (typeof language !== "string") {
    const message = "Text with a base direction must have a language to be RDF";
    throw Object.assign(new Error(message), { details: { value: value["@value"] } });
  }
  delete value["@language"];
  delete value["@direction"];
  value["@type"] = (direction === "ltr" ? HIDDEN_LTR : HIDDEN_RTL) + language;
}

function ownQuad({ subject, predicate, object, graph }: JsonLdQuad): Quad {
  // The positions of terms are checked here, because the package's types do not express them.
  const place = (term: JsonLdTerm): never => ownTerm(term) as never;
  const made = quad(place(subject), place(predicate), place(object), place(graph));
  checkQuad(made);
  return made;
}

function ownTerm({ termType, value, language, datatype }: JsonLdTerm): Term {
  switch (termType) {
    case "NamedNode":
      return iri(value);
    case "BlankNode":
      return blank(value);
    case "DefaultGraph":
      return DEFAULT_GRAPH;
    case "Literal":
      if (language !== undefined && language !== "") return plainText(value, language);
      return datatype === undefined ? plainText(value) : ownLiteral(value, datatype.value);
  }
}

function ownLiteral(value: string, datatype: string): Literal {
  if (datatype === HIDDEN_DOUBLE) return typed(value, iri(XSD_DOUBLE));
  if (datatype.startsWith(HIDDEN_LTR)) {
    return plainText(value, datatype.slice(HIDDEN_LTR.length), "ltr");
  }
  if (datatype.startsWith(HIDDEN_RTL)) {
    return plainText(value, datatype.slice(HIDDEN_RTL.length), "rtl");
  }
  return typed(value, iri(datatype));
}

/**
 * The details of jsonld's errors: the offending value, under one of several names, possibly nested.
 */
interface JsonLdError {
  readonly details?: {
    readonly event?: { readonly message?: string; readonly details?: Culprit };
    readonly cause?: unknown;
  } & Culprit;
}
type Culprit = Readonly<Record<string, unknown>>;

function refusal(error: unknown, text: string): AppError {
  if (!(error instanceof Error)) throw error;
  const { details } = error as JsonLdError;
  const own = [error, details?.cause].find((cause) => cause instanceof AppError);
  const reason = own?.message ?? details?.event?.message ?? error.message;
  const culprit = { ...details, ...details?.event?.details };
  return malformed(reason, culpritPosition(culprit, text), error);
}

function culpritPosition(culprit: Culprit, text: string): TextPosition | undefined {
  for (const name of ["url", "id", "property", "value", "term", "type", "language"]) {
    const value = culprit[name];
    if (typeof value !== "string" && typeof value !== "number") continue;
    const offset = text.indexOf(JSON.stringify(value));
    if (offset !== -1) return positionAt(text, offset);
  }
  return undefined;
}
