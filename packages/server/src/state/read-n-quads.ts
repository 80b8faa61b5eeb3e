import { AppError } from "../kernel/errors.js";
import {
  DEFAULT_GRAPH,
  type QuadLike,
  RDF_LANG_STRING,
  type TermLike,
  XSD_STRING,
} from "./term.js";
import { unescaped } from "./term-text.js";

/**
 * Reads N-Quads or N-Triples, piece by piece: for datasets that are too large to be a text. Labels of blank nodes
 * stay as they are written.
 * @param pieces the text, cut anywhere.
 * @throws AppError `INVALID_ARGUMENT` with line and column; what is wrong with a term, its user says.
 */
export function* readNQuads(pieces: Iterable<string>): Generator<QuadLike> {
  let line = 1;
  let rest = "";
  for (const piece of pieces) {
    const text = rest === "" ? piece : rest + piece;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const quad = new Line(text, start, end, line).quad();
      if (quad !== undefined) yield quad;
      start = end + 1;
      line += 1;
    }
    rest = text.slice(start);
  }
  const quad = new Line(rest, 0, rest.length, line).quad();
  if (quad !== undefined) yield quad;
}

const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;
const QUOTE = 0x22;
const HASH = 0x23;
const DOT = 0x2e;
const LESS = 0x3c;
const AT = 0x40;
const BACKSLASH = 0x5c;
const CARET = 0x5e;
const UNDERSCORE = 0x5f;

const LABEL = /_:[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_·.-]*[\p{L}\p{N}\p{M}_·-])?/uy;
const LANGUAGE = /@[A-Za-z]+(?:-[A-Za-z0-9]+)*/y;
const ESCAPES = /^(?:[^\\\n\r]|\\(?:[tbnrf"'\\]|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}))*$/;
const UNICODE_ESCAPES = /^(?:[^\\]|\\u[\dA-Fa-f]{4}|\\U[\dA-Fa-f]{8})*$/;

/** One line of a text. */
class Line {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  readonly #number: number;
  #at: number;

  constructor(text: string, start: number, end: number, number: number) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#number = number;
    this.#at = start;
  }

  /** The quad of the line; undefined when it is empty. */
  quad(): QuadLike | undefined {
    this.#skipSpace();
    if (this.#isOver()) return undefined;
    const subject = this.#term();
    const predicate = this.#term();
    const object = this.#term();
    const graph = this.#code() === DOT ? DEFAULT_GRAPH : this.#term();
    if (this.#code() !== DOT) throw this.#wrong("a dot must end the statement");
    this.#at += 1;
    this.#skipSpace();
    if (!this.#isOver()) throw this.#wrong("nothing may follow the dot");
    return { subject, predicate, object, graph };
  }

  #term(): TermLike {
    const term = this.#termHere();
    this.#skipSpace();
    return term;
  }

  #termHere(): TermLike {
    switch (this.#code()) {
      case LESS:
        return { termType: "NamedNode", value: this.#iri() };
      case UNDERSCORE:
        return { termType: "BlankNode", value: this.#matched(LABEL, "a blank node").slice(2) };
      case QUOTE:
        return this.#literal();
      default:
        throw this.#wrong("a term must stand here: <iri>, _:label or a literal");
    }
  }

  #iri(): string {
    const close = this.#text.indexOf(">", this.#at);
    if (close === -1 || close >= this.#end) throw this.#wrong("the IRI does not end");
    const value = this.#text.slice(this.#at + 1, close);
    const colon = value.indexOf(":");
    if (colon < 1) throw this.#wrong("the IRI is relative");
    if (value.includes("\\")) {
      if (!UNICODE_ESCAPES.test(value)) throw this.#wrong("the IRI has a wrong escape");
      this.#at = close + 1;
      return unescaped(value);
    }
    this.#at = close + 1;
    return value;
  }

  #literal(): TermLike {
    const value = this.#quoted();
    switch (this.#code()) {
      case AT: {
        const language = this.#matched(LANGUAGE, "a language").slice(1);
        return { termType: "Literal", value, language, datatype: RDF_LANG_STRING };
      }
      case CARET: {
        if (this.#text.charCodeAt(this.#at + 1) !== CARET) throw this.#wrong("^^ must stand here");
        this.#at += 2;
        if (this.#code() !== LESS) throw this.#wrong("the datatype must be an <iri>");
        return { termType: "Literal", value, datatype: { value: this.#iri() } };
      }
      default:
        return { termType: "Literal", value, datatype: XSD_STRING };
    }
  }

  #quoted(): string {
    const start = this.#at + 1;
    let hasEscapes = false;
    for (let at = start; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        const value = this.#text.slice(start, at);
        if (hasEscapes && !ESCAPES.test(value)) throw this.#wrong("the literal has a wrong escape");
        this.#at = at + 1;
        return hasEscapes ? unescaped(value) : value;
      }
      if (code === BACKSLASH) {
        hasEscapes = true;
        at += 1;
      }
    }
    throw this.#wrong("the literal does not end");
  }

  #matched(pattern: RegExp, what: string): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) throw this.#wrong(`${what} must stand here`);
    this.#at += found.length;
    return found;
  }

  /** The character here; NaN behind the line's end. */
  #code(): number {
    return this.#at < this.#end ? this.#text.charCodeAt(this.#at) : Number.NaN;
  }

  #skipSpace(): void {
    for (let code = this.#code(); code === SPACE || code === TAB; code = this.#code()) {
      this.#at += 1;
    }
  }

  #isOver(): boolean {
    const code = this.#code();
    return Number.isNaN(code) || code === HASH || (code === RETURN && this.#at + 1 === this.#end);
  }

  #wrong(reason: string): AppError {
    const place = `line ${this.#number}, column ${this.#at - this.#start + 1}`;
    return new AppError("INVALID_ARGUMENT", `content: ${place}: ${reason}`, {
      details: [{ field: "content", reason: `${place}: ${reason}` }],
    });
  }
}
