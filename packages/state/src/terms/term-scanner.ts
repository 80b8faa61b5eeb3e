import type { AppError } from "@steward/kernel/errors.js";
import { STATE_TRIPLE_DEPTH_MAX } from "../limits.js";
import type { Position } from "./quad-key.js";
import { IRI_REFUSED } from "./term-checks.js";
import { RDF_DIR_LANG_STRING, RDF_LANG_STRING, type TermLike, XSD_STRING } from "./term.js";

const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const HASH = 0x23;
const LESS = 0x3c;
const AT = 0x40;
const BACKSLASH = 0x5c;
const CARET = 0x5e;
const UNDERSCORE = 0x5f;

const LABEL = /_:[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_·.-]*[\p{L}\p{N}\p{M}_·-])?/uy;
const LANGUAGE = /@[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*(?![A-Za-z0-9])/y;
const DIRECTION = /--[A-Za-z]*/y;
const ESCAPES = /^(?:[^\\\n\r]|\\(?:[tbnrf"'\\]|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}))*$/;
const UNICODE_ESCAPES = /^(?:[^\\]|\\u[\dA-Fa-f]{4}|\\U[\dA-Fa-f]{8})*$/;

/** Scans RDF 1.2 terms in N-Quads syntax, one line at a time. */
export class TermScanner {
  readonly #refusal: (reason: string, column: number) => AppError;
  #text = "";
  #start = 0;
  #end = 0;
  #at = 0;

  /** @param refusal creates the error for malformed input; columns count UTF-16 units from 1. */
  constructor(refusal: (reason: string, column: number) => AppError) {
    this.#refusal = refusal;
  }

  /** Moves to the first term of a line. */
  open(text: string, start: number, end: number): void {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#at = start;
    this.#skipSpace();
  }

  /** Whether the rest of the line is only a comment. */
  isOver(): boolean {
    const code = this.#code();
    return Number.isNaN(code) || code === HASH || (code === RETURN && this.#at + 1 === this.#end);
  }

  /** Consumes this punctuation or keyword, and white space after it, if it comes next. */
  take(word: string): boolean {
    const isHere = this.#at + word.length <= this.#end && this.#text.startsWith(word, this.#at);
    if (!isHere) return false;
    this.#at += word.length;
    this.#skipSpace();
    return true;
  }

  /**
   * Consumes the next term and white space after it.
   * @param place the term's position in the statement.
   */
  term(place: Position): TermLike {
    return this.#term(place, 0);
  }

  /** Consumes a quoted text and white space after it. */
  quoted(): string {
    if (this.#code() !== QUOTE) throw this.wrong("text in double quotes must stand here");
    const value = this.#quoted();
    this.#skipSpace();
    return value;
  }

  /** An error at the scanner's position. */
  wrong(reason: string): AppError {
    return this.#refusal(reason, this.#at - this.#start + 1);
  }

  #term(place: Position, depth: number): TermLike {
    const term = this.#termHere(place, depth);
    this.#skipSpace();
    return term;
  }

  #termHere(place: Position, depth: number): TermLike {
    switch (this.#code()) {
      case LESS:
        if (!this.#text.startsWith("<<(", this.#at)) {
          return { termType: "NamedNode", value: this.#iri() };
        }
        if (place !== "object") throw this.wrong("a triple term must be an object");
        return this.#triple(depth + 1);
      case UNDERSCORE:
        if (place === "predicate") throw this.wrong("a predicate must be an <iri>");
        return { termType: "BlankNode", value: this.#matched(LABEL, "a blank node").slice(2) };
      case QUOTE:
        if (place !== "object") throw this.wrong("a literal must be an object");
        return this.#literal();
      default:
        throw this.wrong("a term must stand here: <iri>, _:label, a literal or <<( a triple )>>");
    }
  }

  #triple(depth: number): TermLike {
    if (depth > STATE_TRIPLE_DEPTH_MAX) {
      throw this.wrong(`triple terms nest ${STATE_TRIPLE_DEPTH_MAX} deep at most`);
    }
    this.take("<<(");
    const subject = this.#term("subject", depth);
    const predicate = this.#term("predicate", depth);
    const object = this.#term("object", depth);
    if (!this.take(")>>")) throw this.wrong(")>> must end the triple term");
    return { termType: "Quad", value: "", subject, predicate, object };
  }

  #iri(): string {
    const close = this.#text.indexOf(">", this.#at);
    if (close === -1 || close >= this.#end) throw this.wrong("the IRI does not end");
    const value = this.#text.slice(this.#at + 1, close);
    const colon = value.indexOf(":");
    if (colon < 1) throw this.wrong("the IRI is relative");
    const iri = value.includes("\\") ? this.#unescapedIri(value) : value;
    if (IRI_REFUSED.test(iri)) throw this.wrong("the IRI has characters that no IRI can have");
    this.#at = close + 1;
    return iri;
  }

  #unescapedIri(value: string): string {
    if (UNICODE_ESCAPES.test(value)) return unescaped(value);
    throw this.wrong("the IRI has a wrong escape");
  }

  #literal(): TermLike {
    const value = this.#quoted();
    this.#skipSpace();
    switch (this.#code()) {
      case AT:
        return this.#languageString(value);
      case CARET:
        if (!this.take("^^")) throw this.wrong("^^ must stand here");
        if (this.#code() !== LESS) throw this.wrong("the datatype must be an <iri>");
        return { termType: "Literal", value, datatype: { value: this.#datatype() } };
      default:
        return { termType: "Literal", value, datatype: XSD_STRING };
    }
  }

  #languageString(value: string): TermLike {
    const language = this.#matched(LANGUAGE, "a language tag (BCP 47)").slice(1);
    DIRECTION.lastIndex = this.#at;
    const [found] = DIRECTION.exec(this.#text) ?? [];
    if (found === undefined) {
      return { termType: "Literal", value, language, datatype: RDF_LANG_STRING };
    }
    const direction = found.slice(2);
    if (direction !== "ltr" && direction !== "rtl") {
      throw this.wrong("the base direction must be --ltr or --rtl");
    }
    this.#at += found.length;
    return { termType: "Literal", value, language, direction, datatype: RDF_DIR_LANG_STRING };
  }

  #datatype(): string {
    const start = this.#at;
    const value = this.#iri();
    if (value !== RDF_LANG_STRING.value && value !== RDF_DIR_LANG_STRING.value) return value;
    this.#at = start;
    throw this.wrong('text of this datatype must have a language, as in "text"@en');
  }

  #quoted(): string {
    const start = this.#at + 1;
    let hasEscapes = false;
    for (let at = start; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        const value = this.#text.slice(start, at);
        if (hasEscapes && !ESCAPES.test(value)) throw this.wrong("the literal has a wrong escape");
        this.#at = at + 1;
        return hasEscapes ? unescaped(value) : value;
      }
      if (code === BACKSLASH) {
        hasEscapes = true;
        at += 1;
      } else if (code === NEWLINE || code === RETURN) break;
    }
    throw this.wrong("the literal does not end");
  }

  #matched(pattern: RegExp, what: string): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) throw this.wrong(`${what} must stand here`);
    this.#at += found.length;
    return found;
  }

  /** The current character; NaN at the end of the line. */
  #code(): number {
    return this.#at < this.#end ? this.#text.charCodeAt(this.#at) : Number.NaN;
  }

  #skipSpace(): void {
    for (let code = this.#code(); code === SPACE || code === TAB; code = this.#code()) {
      this.#at += 1;
    }
  }
}

const CHARACTERS: Readonly<Record<string, string>> = {
  t: "\t",
  b: "\b",
  n: "\n",
  r: "\r",
  f: "\f",
};

/** Resolves the escapes in a literal's text. */
function unescaped(quoted: string): string {
  return quoted.replace(
    /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))/g,
    (_escape, short?: string, long?: string, char?: string) => {
      const code = Number.parseInt(short ?? long ?? "", 16);
      if (Number.isNaN(code)) return CHARACTERS[char ?? ""] ?? char ?? "";
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    },
  );
}
