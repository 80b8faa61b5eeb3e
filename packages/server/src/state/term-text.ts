import { AppError } from "../kernel/errors.js";
import { type Variable, variable } from "./basic-graph-pattern.js";
import { blank, iri, type Literal, type Term, text, typed } from "./term.js";

const IRI = /^<([^<>"{}|^`\\\0-\x20]*)>$/;
const BLANK = /^_:(\S+)$/;
const VARIABLE = /^\?([A-Za-z_]\w{0,63})$/;
const LITERAL =
  /^"((?:[^"\\\n\r]|\\[tbnrf"'\\]|\\u[\dA-Fa-f]{4}|\\U[\dA-Fa-f]{8})*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^<([^<>"{}|^`\\\0-\x20]+)>)?$/;

/**
 * Reads a term as N-Triples writes it.
 * @param field whose value it is, for the error.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function parseTerm(source: string, field: string): Term {
  const [, name] = IRI.exec(source) ?? [];
  if (name !== undefined) return iri(name);
  const [, label] = BLANK.exec(source) ?? [];
  if (label !== undefined) return blank(label);
  const literal = parseLiteral(source);
  if (literal !== undefined) return literal;
  const reason =
    'must be a term as N-Triples writes it: <iri>, _:label, "text", "text"@en, "1"^^<iri>';
  throw new AppError("INVALID_ARGUMENT", `${field}: ${reason}`, { details: [{ field, reason }] });
}

/** Reads a term or a variable such as `?name`. @throws AppError `INVALID_ARGUMENT`. */
export function parseTermOrVariable(source: string, field: string): Term | Variable {
  const [, name] = VARIABLE.exec(source) ?? [];
  return name === undefined ? parseTerm(source, field) : variable(name);
}

function parseLiteral(source: string): Literal | undefined {
  const [, quoted, language, datatype] = LITERAL.exec(source) ?? [];
  if (quoted === undefined) return undefined;
  const value = unescaped(quoted);
  if (datatype !== undefined) return typed(value, iri(datatype));
  return text(value, language);
}

const CHARACTERS: Readonly<Record<string, string>> = {
  t: "\t",
  b: "\b",
  n: "\n",
  r: "\r",
  f: "\f",
};

/** The text that stands between the quotes of a literal. */
export function unescaped(quoted: string): string {
  return quoted.replace(
    /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))/g,
    (_escape, short?: string, long?: string, char?: string) => {
      const code = Number.parseInt(short ?? long ?? "", 16);
      if (Number.isNaN(code)) return CHARACTERS[char ?? ""] ?? char ?? "";
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    },
  );
}
