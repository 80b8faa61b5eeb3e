import type { JsonLdQuad, JsonLdTerm } from "jsonld";
import { AppError } from "../../kernel/errors.js";
import {
  blank,
  checkQuad,
  DEFAULT_GRAPH,
  iri,
  type NamedNode,
  quad,
  type Quad,
  type Term,
  text as plainText,
  typed,
} from "../../state/index.js";
import { jsonErrorOffset } from "./json-syntax.js";
import { malformed, positionAt, type TextPosition } from "./text-position.js";

/**
 * Reads JSON-LD 1.1. Contexts that stand elsewhere are not fetched: a server that opens whatever address a
 * document names serves its attackers. What the standard drops in silence is refused.
 * @throws AppError `INVALID_ARGUMENT`, with line and column where the text has the culprit.
 */
export async function readJsonLd(text: string): Promise<readonly Quad[]> {
  const document = parseJson(text);
  const { default: jsonld } = await import("jsonld");
  try {
    const options = { safe: true, documentLoader: refuseToLoad };
    const expanded = await jsonld.expand(document, options);
    hideDoubles(expanded);
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
  const message = `The context ${url} stands elsewhere and is not fetched: put it into the document`;
  return Promise.reject(new AppError("INVALID_ARGUMENT", message));
}

const XSD_DOUBLE = "http://www.w3.org/2001/XMLSchema#double";
/** Stands for xsd:double while jsonld looks, which would rewrite the forms of written doubles. */
const HIDDEN_DOUBLE = "urn:x-steward:double";

/** Hides the datatype of doubles that are written as text: the standard converts numbers only. */
function hideDoubles(expanded: unknown): void {
  if (typeof expanded !== "object" || expanded === null) return;
  const node = expanded as Record<string, unknown>;
  if (typeof node["@value"] === "string" && node["@type"] === XSD_DOUBLE) {
    node["@type"] = HIDDEN_DOUBLE;
  }
  for (const value of Object.values(node)) hideDoubles(value);
}

function ownQuad({ subject, predicate, object, graph }: JsonLdQuad): Quad {
  // What may stand in which place is checked here, for the package's types say nothing.
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
      return datatype === undefined ? plainText(value) : typed(value, datatypeOf(datatype.value));
  }
}

function datatypeOf(value: string): NamedNode {
  return iri(value === HIDDEN_DOUBLE ? XSD_DOUBLE : value);
}

/** What jsonld tells of a failure: the culprit, under one of several names, perhaps deep inside. */
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
