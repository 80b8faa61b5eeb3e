import type { Expression, ValuesOperation } from "../algebra.js";
import { type Domain, domainOf, type Domains, narrowed, UNRESTRICTED, united } from "./domains.js";
import { variableName } from "./slots.js";

/** The domains of the variables that every row of VALUES gives a term. */
export function domainsOfRows({ bindings }: ValuesOperation): Domains {
  return united(
    bindings.map(
      (row) =>
        new Map(
          Object.entries(row).map(([name, term]): [string, Domain] => [name, domainOf([term])]),
        ),
    ),
  );
}

/**
 * The domains that a filter leaves for variables that must be one of some IRIs. Literals are
 * compared by value, so a filter on a literal may match differently written ones.
 */
export function domainsOfFilter(expression: Expression): Domains {
  if (expression.subType !== "operator") return UNRESTRICTED;
  const { operator, args } = expression;
  const [left, ...others] = args;
  const [right] = others;
  if (left === undefined || right === undefined) return UNRESTRICTED;
  switch (operator.toLowerCase()) {
    case "&&":
      return narrowed(domainsOfFilter(left), domainsOfFilter(right));
    case "=":
    case "sameterm":
      return narrowed(oneOf(left, [right]), oneOf(right, [left]));
    case "in":
      return oneOf(left, others);
    default:
      return UNRESTRICTED;
  }
}

function oneOf(restricted: Expression, values: readonly Expression[]): Domains {
  const name = restricted.subType === "term" ? variableName(restricted.term) : undefined;
  const iris = values.flatMap((value) =>
    value.subType === "term" && value.term.termType === "NamedNode" ? [value.term] : [],
  );
  if (name === undefined || iris.length < values.length) return UNRESTRICTED;
  return new Map([[name, domainOf(iris)]]);
}
