import { AppError, invalidField } from "@steward/kernel/errors.js";
import { type Variable, variable } from "./basic-graph-pattern.js";
import { ownTerm } from "../terms/quad-key.js";
import type { Term } from "../terms/term.js";
import { TermScanner } from "../terms/term-scanner.js";

const VARIABLE = /^\?([A-Za-z_]\w{0,63})$/;
const FORMS =
  'must be a term in N-Triples syntax: <iri>, _:label, "text", "text"@en, "text"@ar--rtl, "1"^^<iri> or ' +
  '<<( <iri> <iri> "text" )>>, which takes no variables';

/**
 * Parses a term in N-Triples syntax.
 * @param field the request field, for the error.
 * @throws AppError `INVALID_ARGUMENT`; `LIMIT_EXCEEDED` for a term that is too long or too deeply
 * nested.
 */
export function parseTerm(source: string, field: string): Term {
  const scanner = new TermScanner((reason, column) =>
    invalidField(field, `${FORMS} (column ${column}: ${reason})`),
  );
  scanner.open(source, 0, source.length);
  // The object position allows the most kinds of terms.
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

/**
 * Parses a term, or a variable such as `?name`.
 * @throws AppError as {@link parseTerm} does.
 */
export function parseTermOrVariable(source: string, field: string): Term | Variable {
  const [, name] = VARIABLE.exec(source) ?? [];
  return name === undefined ? parseTerm(source, field) : variable(name);
}
