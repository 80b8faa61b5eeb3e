import { AppError } from "@steward/kernel/errors.js";
import { TEMPLATE_DEPTH_MAX } from "../../limits.js";
import { withHeldNumbers } from "../json-slice.js";
import type { Bind, CompiledStatement } from "../compiled-statement.js";
import {
  badPlaceholder,
  findPlaceholder,
  markupEnd,
  misplacedPlaceholder,
  parsePlaceholder,
} from "../placeholder.js";

/**
 * Compiles the arguments of a tool (Decision §5): a JSON object in which a placeholder may stand in
 * place of a value, or inside a string. The statement is the template itself; its parameters are
 * the placeholders in the order in which they stand. Values are put into the parsed arguments, so
 * that an output can never change their structure.
 * @throws AppError `BAD_PLACEHOLDER`, or `INVALID_PLAN` for a text that is not such an object.
 */
export function compileJsonTemplate(template: string): CompiledStatement {
  const binds: Bind[] = [];
  new JsonTemplateReader(template, (bind) => {
    binds.push(bind);
    return null;
  }).read();
  return { sql: template, binds };
}

/**
 * The arguments of a compiled template.
 * @param values JSON texts of the parameters, in the order of the compiled statement's binds.
 */
export function fillJsonTemplate(
  template: string,
  values: readonly string[],
): Readonly<Record<string, unknown>> {
  let next = 0;
  return new JsonTemplateReader(template, (): unknown => {
    const value = values[next] ?? "null";
    next += 1;
    return JSON.parse(withHeldNumbers(value));
  }).read();
}

/**
 * The parsed arguments of a template.
 * @param valueOf called with each placeholder; what it returns is the value there, or its text inside a string.
 * @throws AppError as {@link compileJsonTemplate} does.
 */
export function readJsonTemplate(
  template: string,
  valueOf: ValueOf,
): Readonly<Record<string, unknown>> {
  return new JsonTemplateReader(template, valueOf).read();
}

/** Reads the value of a placeholder. */
export type ValueOf = (bind: Bind) => unknown;

const BLANKS = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]|\\[^])*"/y;
const WORD = /-?[\w.+-]+/y;

/** A recursive-descent parser of JSON that also reads placeholders. */
class JsonTemplateReader {
  readonly #text: string;
  readonly #valueOf: ValueOf;
  #at = 0;
  #depth = 0;

  constructor(text: string, valueOf: ValueOf) {
    this.#text = text;
    this.#valueOf = valueOf;
  }

  read(): Readonly<Record<string, unknown>> {
    this.#skipBlanks();
    if (this.#text[this.#at] !== "{" || this.#isPlaceholder()) {
      throw invalid('takes a JSON object of arguments, such as {"path": "a.txt"}');
    }
    const read = this.#object();
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#unexpected("the end");
    return read;
  }

  #value(): unknown {
    this.#skipBlanks();
    if (this.#isPlaceholder()) return this.#placeholder();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#literal();
    }
  }

  #object(): Readonly<Record<string, unknown>> {
    const members = new Map<string, unknown>();
    this.#list("}", () => {
      if (this.#isPlaceholder()) throw this.#misplaced();
      const name = this.#rawString();
      const start = findPlaceholder(name);
      if (start !== undefined) throw misplacedPlaceholder(name, start, IN_A_NAME);
      if (members.has(name)) throw invalid(`has two members ${JSON.stringify(name)}`);
      this.#skipBlanks();
      this.#expect(":");
      members.set(name, this.#value());
    });
    // Unlike an assignment, this makes a member `__proto__` an ordinary one.
    return Object.fromEntries(members);
  }

  #array(): readonly unknown[] {
    const items: unknown[] = [];
    this.#list("]", () => items.push(this.#value()));
    return items;
  }

  /** Reads members or items between the brackets, with commas between them. */
  #list(close: "]" | "}", readOne: () => void): void {
    this.#depth += 1;
    if (this.#depth > TEMPLATE_DEPTH_MAX) {
      throw invalid(`is nested deeper than ${String(TEMPLATE_DEPTH_MAX)} levels`);
    }
    this.#at += 1;
    this.#skipBlanks();
    while (this.#text[this.#at] !== close) {
      readOne();
      this.#skipBlanks();
      if (this.#text[this.#at] === close) break;
      this.#expect(",");
      this.#skipBlanks();
      if (this.#text[this.#at] === close) throw this.#unexpected("a value");
    }
    this.#at += 1;
    this.#depth -= 1;
  }

  #string(): string {
    const from = this.#at;
    const text = this.#rawString();
    // A brace that is written as an escape opens no placeholder.
    if (findPlaceholder(this.#text.slice(from, this.#at)) === undefined) return text;
    return this.#filled(text);
  }

  #filled(text: string): string {
    let filled = "";
    let from = 0;
    for (
      let start = findPlaceholder(text);
      start !== undefined;
      start = findPlaceholder(text, from)
    ) {
      const end = markupEnd(text, start);
      if (end === undefined) throw badPlaceholder(text.slice(start), "has no }}");
      const ref = parsePlaceholder(text.slice(start, end));
      filled += text.slice(from, start) + String(this.#valueOf({ ...ref, form: "text" }));
      from = end;
    }
    return filled + text.slice(from);
  }

  #rawString(): string {
    const raw = this.#match(STRING);
    if (raw === undefined) throw this.#unexpected("a string");
    return String(this.#parsed(raw));
  }

  #literal(): unknown {
    const word = this.#match(WORD);
    if (word === undefined) throw this.#unexpected("a value");
    const value = this.#parsed(word);
    return typeof value === "number" ? JSON.parse(withHeldNumbers(word)) : value;
  }

  #placeholder(): unknown {
    const end = markupEnd(this.#text, this.#at);
    if (end === undefined) throw badPlaceholder(this.#text.slice(this.#at), "has no }}");
    const ref = parsePlaceholder(this.#text.slice(this.#at, end));
    this.#at = end;
    return this.#valueOf({ ...ref, form: "value" });
  }

  #isPlaceholder(): boolean {
    return (
      this.#text.startsWith("{{", this.#at) && findPlaceholder(this.#text, this.#at) === this.#at
    );
  }

  #misplaced(): AppError {
    return misplacedPlaceholder(this.#text, this.#at, IN_A_NAME);
  }

  /** A string, a number or a word, which JSON's own parser checks. */
  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.#at -= text.length;
      throw this.#unexpected("a JSON value");
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #skipBlanks(): void {
    this.#match(BLANKS);
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#unexpected(character);
    this.#at += 1;
  }

  #unexpected(expected: string): AppError {
    const found = this.#text.slice(this.#at, this.#at + EXCERPT_LENGTH_MAX);
    const where = found === "" ? "at the end" : `before ${JSON.stringify(found)}`;
    return invalid(`is not JSON: expected ${expected} ${where}`);
  }
}

const IN_A_NAME = "stands in the name of a member; names cannot be parameters";

/** Characters of the template that a message repeats. */
const EXCERPT_LENGTH_MAX = 40;

function invalid(reason: string): AppError {
  return new AppError("INVALID_PLAN", `the template ${reason}`);
}
