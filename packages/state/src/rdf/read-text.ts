import type { Token, TermFactory } from "n3";
import { AppError } from "@steward/kernel/errors.js";
import {
  blank,
  checkQuad,
  DEFAULT_GRAPH,
  type Direction,
  iri,
  type Literal,
  type NamedNode,
  quad,
  Quad,
  text as plainText,
  type TripleTerm,
  tripleTerm,
  typed,
} from "../index.js";
import { malformed, offsetOf, positionAt, type TextPosition } from "./text-position.js";

/** The formats that n3 parses, with n3's names. */
const N3_FORMATS = { turtle: "Turtle", trig: "TriG" } as const;

export type TextFormat = keyof typeof N3_FORMATS;

/**
 * Parses RDF text. Labels of blank nodes are only meaningful within the result.
 * @throws AppError `INVALID_ARGUMENT` with line and column for malformed text.
 */
export async function readText(text: string, format: TextFormat): Promise<readonly Quad[]> {
  const { default: n3 } = await import("n3");
  let token: Token | undefined;
  try {
    const parser = new n3.Parser({
      format: N3_FORMATS[format],
      factory: ownTerms(),
      blankNodePrefix: LABELLED,
    });
    // The parser only returns terms made by our factory.
    return parser.parse(text, { onToken: (next) => (token = next) }) as Quad[];
  } catch (error) {
    throw refusal(error, text, token);
  }
}

/** Prefix of labels from the text; generated labels do not have it. */
const LABELLED = "l";
const ABSOLUTE_IRI = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Creates our own terms. A term that a store would refuse is refused here, where the position is
 * known.
 */
function ownTerms(): TermFactory {
  let unlabelled = 0;
  return {
    namedNode: (value) => {
      if (ABSOLUTE_IRI.test(value)) return iri(value);
      throw new AppError("INVALID_ARGUMENT", `<${value}> is relative, and there is no base`);
    },
    blankNode: (name) => blank(name ?? `u${++unlabelled}`),
    literal: ownLiteral,
    variable: (name) => {
      throw new AppError("INVALID_ARGUMENT", `?${name} is a variable, which data cannot contain`);
    },
    defaultGraph: () => DEFAULT_GRAPH,
    quad: (subject, predicate, object, graph) => {
      // The positions of terms are checked here, because the parser's types do not express them.
      const said = object instanceof Quad ? termOf(object) : object;
      const made = quad(subject as never, predicate as never, said as never, graph as never);
      checkQuad(made);
      return made;
    },
  };
}

/** The parser creates triple terms as quads. */
function termOf({ subject, predicate, object }: Quad): TripleTerm {
  return tripleTerm(subject, predicate, object);
}

function ownLiteral(value: string, what?: unknown): Literal {
  if (what === undefined) return plainText(value);
  if (typeof what === "string") return plainText(value, what);
  // The remaining case is a datatype created by the factory.
  const { language, direction } = what as { language?: string; direction?: Direction };
  if (language === undefined) return typed(value, what as NamedNode);
  return plainText(value, language, direction);
}

/** The details of n3's errors. */
interface N3Error {
  readonly context?: { readonly token?: Token; readonly previousToken?: Token };
}

function refusal(error: unknown, text: string, current: Token | undefined): AppError {
  if (!(error instanceof Error)) throw error;
  if (error instanceof AppError) {
    return malformed(error.message, current && startOf(current), error);
  }
  // Every exception of the parser concerns the text.
  const { context } = error as N3Error;
  const reason = error.message.replace(/ on line \d+\.$/, "");
  if (context?.token !== undefined) return malformed(reason, startOf(context.token), error);
  return malformed(reason, positionAfter(text, context?.previousToken), error);
}

function startOf({ line, start }: Token): TextPosition {
  return { line, column: start + 1 };
}

const SPACE_OR_COMMENTS = /(?:\s+|#[^\n\r]*)*/y;

/** Start of the first token that could not be parsed. */
function positionAfter(text: string, previous: Token | undefined): TextPosition {
  const from =
    previous === undefined
      ? 0
      : offsetOf(text, { line: previous.endLine ?? previous.line, column: previous.end + 1 });
  SPACE_OR_COMMENTS.lastIndex = from;
  return positionAt(text, from + (SPACE_OR_COMMENTS.exec(text)?.[0].length ?? 0));
}
