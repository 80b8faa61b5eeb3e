import { AppError, invalidField } from "../kernel/errors.js";
import { type Variable, variable } from "./basic-graph-pattern.js";
import { ownTerm } from "./quad-key.js";
import type { Term } from "./term.js";
import { TermScanner } from "./term-scanner.js";

const VARIABLE = /^\?([A-Za-z_]\w{0,63})$/;
const FORMS =
  'must be a term as N-Triples writes it: <iri>, _:label, "text", "text"@en, "text"@ar--rtl, "1"^^<iri> or ' +
  '<<( <iri> <iri> "text" )>>, which takes no variables';

/**
 * Reads a term as N-Triples writes it.
 * @param field whose value it is, for the error.
 * @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED` for what is too long or too deep.
 */
export function parseTerm(source: string, field: string): Term {
  const scanner = new TermScanner((reason, column) =>
    invalidField(field, `${FORMS} (column ${column}: ${reason})`),
  );
  scanner.open(source, 0, source.length);
  // Of all places an object takes the most kinds of terms.
  const term = scanner.term("object");
  if (!scanner.isOver()) throw scanner.wrong("nothing may follow the term");
  try {
    return ownTerm(term);
  } catch (error) {
    const { code, message } = AppError.from(error);
    const details = [{ field, reason: message }];
    throw new AppError(code, `${field}: ${message}`, { details, cause: error });
  }
}

/** Reads a term or a variable such as `?name`. @throws AppError as {@link parseTerm} does. */
export function parseTermOrVariable(source: string, field: string): Term | Variable {
  const [, name] = VARIABLE.exec(source) ?? [];
  return name === undefined ? parseTerm(source, field) : variable(name);
}
